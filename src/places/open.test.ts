import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { anyCharacter, fc } from '../../test/support/fast-check.ts'
import { temporaryFolder, undoLater } from '../../test/support/cleanup.ts'
import { mmdb, builtAt } from '../../test/support/mmdb.ts'
import { openPlaces } from './open.ts'

const day = 86_400_000
const soon = () => builtAt + 30 * day
const unknown = { country: null, city: null }

/** Opens sources, and collects their warnings. */
function openAll(t: TestContext, sources: string[], { now = soon, dataDir = temporaryFolder(t) } = {}) {
  const warnings: string[] = []
  const log = { warn: (text: string) => void warnings.push(text) }
  const places = openPlaces({ sources, dataDir, now, monotonic: now, fetch, log })
  undoLater(t, places.close)
  return { ...places, warnings, dataDir }
}

async function placesOf(t: TestContext, content: Buffer, now = soon) {
  const file = join(temporaryFolder(t), 'places.mmdb')
  writeFileSync(file, content)
  const opened = openAll(t, [file], { now })
  await opened.refresh()
  return { ...opened, file }
}

test('without a file, cities and countries come from the bundled ones', (t) => {
  const { find, warnings } = openAll(t, ['bundled'])
  assert.deepEqual(warnings, [])
  assert.deepEqual(
    find('129.132.1.1'),
    { country: 'CH', city: 'Zurich' },
    'ETH Zürich, in the district of universities',
  )
  assert.deepEqual(find('::ffff:129.132.1.1'), { country: 'CH', city: 'Zurich' })
  assert.deepEqual(find('18.9.22.69'), { country: 'US', city: 'Cambridge, MA' }, 'MIT')
  assert.deepEqual(find('2003:e0::'), { country: 'DE', city: 'Marburg' }, 'Deutsche Telekom')
})

test('flat records and those of MaxMind are read', async (t) => {
  const { find, warnings } = await placesOf(
    t,
    mmdb([
      ['5.1.0.0/16', { country_code: 'DE', city: 'Berlin' }],
      [
        '5.2.0.0/16',
        { country: { iso_code: 'CH', names: { en: 'Switzerland' } }, city: { names: { de: 'Genf', en: 'Geneva' } } },
      ],
      ['5.3.0.0/16', { country: 'AT', city: 'Wien' }],
      ['5.4.0.0/16', { country: { iso_code: 'FR' } }],
      ['5.5.5.5/32', { country_code: 'IT' }],
      ['2a01:4f8::/32', { country_code: 'FI', city: 'Helsinki' }],
    ]),
  )
  assert.deepEqual(warnings, [])
  assert.deepEqual(find('5.1.2.3'), { country: 'DE', city: 'Berlin' })
  assert.deepEqual(find('::ffff:5.1.2.3'), { country: 'DE', city: 'Berlin' })
  assert.deepEqual(find('5.2.2.3'), { country: 'CH', city: 'Geneva' })
  assert.deepEqual(find('5.3.2.3'), { country: 'AT', city: 'Wien' })
  assert.deepEqual(find('5.4.2.3'), { country: 'FR', city: null })
  assert.deepEqual(find('5.5.5.5'), { country: 'IT', city: null })
  assert.deepEqual(find('5.5.5.6'), unknown)
  assert.deepEqual(find('2a01:4f8:1:2::'), { country: 'FI', city: 'Helsinki' })
  assert.deepEqual(find('2a01:4f9::1'), unknown)
})

test('private and special addresses, and other texts, have no place, whatever the file has', async (t) => {
  const everywhere = { country_code: 'DE', city: 'Berlin' }
  const { find } = await placesOf(
    t,
    mmdb([
      ['0.0.0.0/1', everywhere],
      ['128.0.0.0/1', everywhere],
      ['8000::/1', everywhere],
      ['2000::/3', everywhere],
    ]),
  )
  assert.deepEqual(find('9.9.9.9'), { country: 'DE', city: 'Berlin' })
  for (const address of '10.0.0.1 127.0.0.1 100.64.0.1 169.254.1.1 192.168.1.1 172.16.0.1 192.0.2.1 224.0.0.1 0.0.0.0 255.255.255.255'.split(
    ' ',
  )) {
    assert.deepEqual(find(address), unknown, address)
    assert.deepEqual(find(`::ffff:${address}`), unknown, address)
  }
  for (const address of ':: ::1 fe80::1 fe80::1%eth0 fc00::1 ff02::1 2001:db8::1 2002:a00:1:: 64:ff9b::a00:1'.split(
    ' ',
  )) {
    assert.deepEqual(find(address), unknown, address)
  }
  for (const text of [
    '',
    'unknown',
    '1.2.3',
    '010.1.2.3',
    '0x5010203',
    '1.2.3.4.5',
    '5.1.2.3 ',
    'x'.repeat(10_000),
    '__proto__',
  ]) {
    assert.deepEqual(find(text), unknown, text)
  }
  fc.assert(fc.property(fc.string({ unit: anyCharacter }), (text) => void find(text)))
})

test('a file of IPv4 only has no place for IPv6 addresses', async (t) => {
  const { find } = await placesOf(t, mmdb([['0.0.0.0/1', { country_code: 'DE' }]], { ipVersion: 4 }))
  assert.deepEqual(find('5.1.2.3'), { country: 'DE', city: null })
  assert.deepEqual(find('2a01:4f8::1'), unknown)
})

test('names are cleaned, and codes that are not a country are dropped', async (t) => {
  const { find } = await placesOf(
    t,
    mmdb([
      ['5.1.0.0/16', { country_code: 'de', city: ' New\r\nYork\t\u0000City\u202e ' }],
      ['5.2.0.0/16', { country_code: 'DEU', city: 'x'.repeat(500) }],
      ['5.3.0.0/16', { country_code: 'EU', city: `${'x'.repeat(99)}😀` }],
      ['5.4.0.0/16', { country_code: 49, city: 7 }],
      ['5.5.0.0/16', { country_code: '<b', city: '\u0007' }],
      ['5.6.0.0/16', { country: { iso_code: 'D\n' }, city: { names: {} } }],
      ['5.7.0.0/16', 'Berlin'],
      ['5.8.0.0/16', { country_code: 'BR', city: 'São Paulo' }],
    ]),
  )
  assert.deepEqual(find('5.1.0.1'), { country: null, city: 'New York City' })
  assert.deepEqual(find('5.2.0.1'), { country: null, city: 'x'.repeat(100) })
  assert.deepEqual(find('5.3.0.1'), { country: null, city: 'x'.repeat(99) })
  for (const address of ['5.4.0.1', '5.5.0.1', '5.6.0.1', '5.7.0.1']) assert.deepEqual(find(address), unknown, address)
  assert.deepEqual(find('5.8.0.1'), { country: 'BR', city: 'São Paulo' })
})

test('a missing or damaged file is logged, and the bundled database is used instead', async (t) => {
  const good = mmdb([['5.1.0.0/16', { country_code: 'DE' }]])
  // A pointer to itself in the place of the record's map: 0x20 0x00 points to the start of the data.
  const endless = Buffer.from(good)
  endless.writeUInt16BE(0x2000, good.indexOf('country_code') - 2)
  const archive = Buffer.concat([Buffer.alloc(512), good])
  archive.write('ustar', 257)
  const damaged: Record<string, Buffer> = {
    'a record that points to itself': endless,
    'an archive': archive,
    'an empty file': Buffer.alloc(0),
    'a text': Buffer.from('<!doctype html><title>404</title>'),
    'the first half': good.subarray(0, good.length / 2),
    'the last half': good.subarray(good.length / 2),
    'a tree that points outside': Buffer.concat([Buffer.alloc(100, 0xfe), good.subarray(100)]),
    'metadata without a tree': mmdb([]).subarray(-120),
    'no time of building': mmdb([], { builtAt: Number.NaN }),
  }
  for (const [name, content] of Object.entries(damaged)) {
    const { find, warnings, file } = await placesOf(t, content)
    const [warning = '', ...others] = warnings
    assert.ok(warning.startsWith(`GEOIP_DB: ${file} cannot be used`), `${name}: ${warning}`)
    assert.doesNotMatch(warning, /\n/, name)
    assert.deepEqual(others, [], name)
    assert.deepEqual(find('129.132.1.1'), { country: 'CH', city: 'Zurich' }, name)
  }
  for (const path of [join(temporaryFolder(t), 'missing.mmdb'), temporaryFolder(t)]) {
    const { find, warnings, refresh } = openAll(t, [path])
    await refresh()
    assert.match(warnings.join('\n'), /^GEOIP_DB: .+ cannot be used \((?:ENOENT|EISDIR)\)/)
    assert.deepEqual(find('129.132.1.1'), { country: 'CH', city: 'Zurich' })
  }
})

test('a file older than 90 days is logged and used', async (t) => {
  const content = mmdb([['5.1.0.0/16', { country_code: 'DE', city: 'Berlin' }]])
  assert.deepEqual((await placesOf(t, content, () => builtAt + 90 * day)).warnings, [])
  const { find, warnings, file } = await placesOf(t, content, () => builtAt + 91 * day)
  assert.deepEqual(warnings, [`GEOIP_DB: ${file} was built 91 days ago: update it, as addresses move`])
  assert.deepEqual(find('5.1.2.3'), { country: 'DE', city: 'Berlin' })
})
