import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fc, runs } from '../../test/support/fast-check.ts'
import { temporaryFolder } from '../../test/support/cleanup.ts'
import { mmdb, type Data } from '../../test/support/mmdb.ts'
import { bundledTables, cities, countries, openBundle } from './bundled.ts'
import { keyOf } from './compact-format.ts'
import { writeCompact } from './compact-write.ts'
import { openCompact } from './compact.ts'
import { openMmdb, type Mmdb } from './mmdb.ts'
import { placeAt, type PlaceFile } from './record.ts'

const octet = fc.nat({ max: 255 })

const four = fc.array(octet, { minLength: 4, maxLength: 4 })

const six = fc
  .tuple(fc.constantFrom(0x20, 0x24, 0x26, 0x28, 0x2a, 0x3f), fc.array(octet, { minLength: 15, maxLength: 15 }))
  .map(([first, rest]) => [first, ...rest])

test('a table has the same place for every address as its file', (t) => {
  const folder = temporaryFolder(t)
  const network = fc.oneof(
    fc.tuple(four, fc.integer({ min: 1, max: 32 })).map(([bytes, prefix]) => `${bytes.join('.')}/${prefix}`),
    fc.tuple(six, fc.integer({ min: 4, max: 56 })).map(([bytes, prefix]) => `${textOf(bytes)}/${prefix}`),
  )
  const city = fc.constantFrom('Berlin', 'Zürich', 'Tōkyō', '')
  const country = fc.constantFrom('DE', 'CH', 'JP', 'none')
  const record: fc.Arbitrary<Data> = fc.record({ country_code: country, city })
  const networks = fc.array(fc.tuple(network, record), { maxLength: 60 })
  const property = fc.property(networks, fc.array(fc.oneof(four, six)), (known, addresses) => {
    // At least one place, which no other network covers: a table without any is refused.
    const content = mmdb(distinct([['223.255.255.255/32', { country_code: 'FR' }], ...known]))
    const [path, table] = [join(folder, 'places.mmdb'), join(folder, 'places.table')]
    writeFileSync(path, content)
    const file = openMmdb(path)
    writeCompact([file], table)
    const compact = openCompact(table, keyOf([file]))
    const tried = [...addresses, ...known.flatMap(([each]) => edgesOf(each))]
    for (const address of tried) {
      const offset = file.find(address)
      const place = offset === undefined ? undefined : placeAt(file, offset)
      const isUnknown = place === undefined || (place.country === null && place.city === null)
      assert.deepEqual(compact.find(address), isUnknown ? undefined : place, address.join('.'))
    }
    file.close()
    compact.close()
  })
  fc.assert(property, { numRuns: 200 })
})

/** Drops networks that overlap an earlier one, which the writer of the tests does not support. */
function distinct(known: [string, Data][]): [string, Data][] {
  const result: [string, Data][] = []
  for (const each of known) {
    const bits = bitsOf(each[0])
    if (!result.some(([other]) => bits.startsWith(bitsOf(other)) || bitsOf(other).startsWith(bits))) result.push(each)
  }
  return result
}

function bytesOf(address: string): number[] {
  if (!address.includes(':')) return address.split('.').map(Number)
  return address.split(':').flatMap((pair) => [Number.parseInt(pair, 16) >> 8, Number.parseInt(pair, 16) & 255])
}

function bitsOf(network: string): string {
  const [address = '', prefix] = network.split('/')
  const bytes = bytesOf(address)
  const bits = bytes.map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return `${bytes.length}:${bits.slice(0, Number(prefix))}`
}

/** The first and the last address of a network, and their neighbours. */
function edgesOf(network: string): number[][] {
  const [family = '', bits = ''] = bitsOf(network).split(':')
  const length = Number(family) * 8
  return ['0', '1'].flatMap((fill) => {
    const value = BigInt(`0b${bits.padEnd(length, fill)}`)
    return [value, value - 1n, value + 1n].flatMap((each) => {
      // Neighbours in IPv6 are a /56 apart, the resolution of the table.
      const moved = length === 128 && each !== value ? value + (each - value) * 2n ** 72n : each
      const text = moved.toString(2).padStart(length, '0')
      const isInside = moved >= 0n && text.length === length && (length === 32 || text.startsWith('001'))
      return isInside
        ? [Array.from({ length: length / 8 }, (_, at) => Number(`0b${text.slice(at * 8, at * 8 + 8)}`))]
        : []
    })
  })
}

function textOf(bytes: number[]): string {
  const pairs = Array.from({ length: 8 }, (_, index) => (bytes[index * 2] ?? 0) * 256 + (bytes[index * 2 + 1] ?? 0))
  return pairs.map((pair) => pair.toString(16)).join(':')
}

for (const bundle of [cities, countries]) {
  test(`the bundled ${bundle.table} has the same places as its files`, (t) => {
    const files = openBundle(bundle)
    const table = openCompact(bundledTables + bundle.table, keyOf(files))
    t.after(() => [table, ...files].forEach(({ close }) => close()))
    const [ipv4, ipv6 = ipv4] = files
    assert.ok(ipv4 && ipv6)
    compareRandomly(table, ipv4, ipv6)
  })
}

function compareRandomly(table: PlaceFile, ipv4: Mmdb, ipv6: Mmdb): void {
  const property = fc.property(fc.oneof(four, six), (address) => {
    const file = address.length === 4 ? ipv4 : ipv6
    // In IPv6, the first network of a /56 counts for all of it.
    const lookedUp = address.map((byte, index) => (address.length === 4 || index < 7 ? byte : 0))
    const offset = file.find(lookedUp)
    const place = offset === undefined ? undefined : placeAt(file, offset)
    const isUnknown = place === undefined || (place.country === null && place.city === null)
    const found = table.find(address)
    // All but one of the towns that share a name have their region as a suffix.
    const hasSuffix = found?.city?.startsWith(`${place?.city}, `) === true
    const expected = hasSuffix ? { ...place, city: found.city } : place
    assert.deepEqual(found, isUnknown ? undefined : expected)
  })
  fc.assert(property, { numRuns: runs(600) })
}

test('towns that share a name get their region as a suffix, unless they are one town', (t) => {
  const folder = temporaryFolder(t)
  const [path, table] = [join(folder, 'places.mmdb'), join(folder, 'places.table')]
  const town = (country: string, city: string, state1: string, latitude: number, longitude: number) => ({
    country_code: country,
    city,
    state1,
    latitude,
    longitude,
  })
  const content = mmdb([
    ['5.1.0.0/24', town('DE', 'Essen', 'Lower Saxony', 52.72, 7.94)],
    ['5.2.0.0/16', town('DE', 'Essen', 'North Rhine-Westphalia', 51.46, 7.01)],
    ['5.3.0.0/16', town('CZ', 'Prague', 'Prague', 50.09, 14.42)],
    ['5.4.0.0/24', town('CZ', 'Prague', 'Hlavni mesto Praha', 50.03, 14.51)],
    ['5.5.0.0/16', town('US', 'Springfield', 'Illinois', 39.8, -89.64)],
    ['5.6.0.0/24', town('US', 'Springfield', 'Oregon', 44.05, -122.98)],
    [
      '5.7.0.0/24',
      {
        country: { iso_code: 'FR' },
        city: { names: { en: 'Chatillon' } },
        subdivisions: [{ iso_code: 'ARA', names: { en: 'Auvergne-Rhone-Alpes' } }],
        location: { latitude: 45.88, longitude: 4.65 },
      },
    ],
    ['5.8.0.0/16', town('FR', 'Chatillon', 'Ile-de-France', 48.8, 2.29)],
    ['5.9.0.0/24', { country_code: 'FR', city: 'Chatillon' }],
    ['5.10.0.0/24', town('BE', 'Essen', 'Flanders', 51.47, 4.47)],
  ])
  writeFileSync(path, content)
  const file = openMmdb(path)
  t.after(file.close)
  writeCompact([file], table)
  const compact = openCompact(table)
  t.after(compact.close)
  const names = Array.from({ length: 10 }, (_, index) => compact.find([5, index + 1, 0, 1])?.city)
  assert.deepEqual(names, [
    'Essen, Lower Saxony',
    'Essen',
    'Prague',
    'Prague',
    'Springfield, IL',
    'Springfield, OR',
    'Chatillon, Auvergne-Rhone-Alpes',
    'Chatillon',
    'Chatillon',
    'Essen',
  ])
})

test('a table does not repeat IPv4 where its file does', (t) => {
  const folder = temporaryFolder(t)
  const tableOf = (copies: string[]) => {
    const [path, table] = [join(folder, 'places.mmdb'), join(folder, 'places.table')]
    writeFileSync(path, mmdb([['5.1.0.0/16', { country_code: 'DE', city: 'Berlin' }]], { copies }))
    const file = openMmdb(path)
    writeCompact([file], table)
    file.close()
    const compact = openCompact(table)
    compact.close()
    return readFileSync(table)
  }
  // The header has the file's size.
  assert.deepEqual(tableOf(['2002::/16', '2001::/32']).subarray(512), tableOf([]).subarray(512))
})
