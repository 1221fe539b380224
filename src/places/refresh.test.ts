import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { startListServer } from '../../test/support/list-server.ts'
import { mmdb } from '../../test/support/mmdb.ts'
import { berlin, createPlacesWithClock, vienna } from '../../test/support/place-sources.ts'

for (const [format, pack] of [
  ['an .mmdb', (content: Buffer) => content],
  ['an .mmdb.gz', (content: Buffer) => gzipSync(content)],
] as const) {
  test(`${format} is fetched, stored for the next start, and requested again after a month`, async (t) => {
    const { open, pass, warnings, dataDir } = createPlacesWithClock(t)
    const publisher = await startListServer(t)
    publisher.publish('/cities', pack(berlin), { etag: '"1"' })
    const url = publisher.url('/cities?key=secret')
    const first = open(url)
    await first.refresh()
    assert.deepEqual(first.find('5.1.2.3'), { country: 'DE', city: 'Berlin' })
    await first.close()

    const second = open(url)
    assert.deepEqual(second.find('5.1.2.3'), { country: 'DE', city: 'Berlin' }, 'at once')
    pass(29)
    await second.refresh()
    assert.deepEqual(publisher.statuses('/cities'), [200])
    pass(2)
    await second.refresh()
    assert.deepEqual(publisher.statuses('/cities'), [200, 304])
    publisher.publish('/cities', pack(vienna), { etag: '"2"' })
    pass(31)
    await second.refresh()
    assert.deepEqual(publisher.statuses('/cities'), [200, 304, 200])
    assert.deepEqual(second.find('5.1.2.3'), { country: 'AT', city: 'Vienna' })
    assert.deepEqual(warnings, [])
    const stored = readdirSync(join(dataDir, 'places')).toSorted()
    assert.deepEqual(
      stored.map((name) => name.slice(16)),
      ['.json', '.table'],
      'nothing else is left',
    )
    for (const name of stored) assert.ok(!readFileSync(join(dataDir, 'places', name)).includes('secret'), name)
  })
}

test('a download that is incomplete, not a database, or not about places does not replace the last good one', async (t) => {
  const { open, pass, warnings, dataDir } = createPlacesWithClock(t)
  const publisher = await startListServer(t)
  publisher.publish('/cities', berlin, { etag: '"1"' })
  const places = open(publisher.url('/cities'))
  await places.refresh()
  const bad: Record<string, Buffer> = {
    'an empty file': Buffer.alloc(0),
    'a page': Buffer.from('<!doctype html><title>Sign in</title>'),
    'the first half': vienna.subarray(0, vienna.length / 2),
    'half of a gzip': gzipSync(vienna).subarray(0, 60),
    'numbers of networks': mmdb([['5.1.0.0/16', { autonomous_system_number: 3303 }]]),
    'a tree that points outside': Buffer.concat([Buffer.alloc(6, 0x7f), vienna.subarray(6)]),
  }
  for (const [name, content] of Object.entries(bad)) {
    publisher.publish('/cities', content, { etag: `"${name}"` })
    warnings.length = 0
    pass(31)
    await places.refresh()
    pass(1)
    await places.refresh()
    assert.deepEqual(places.find('5.1.2.3'), { country: 'DE', city: 'Berlin' }, name)
    const [fault, ...others] = warnings.filter((text) => text.includes('cannot be used'))
    assert.match(fault ?? '', /^GEOIP_DB: 127\.0\.0\.1:\d+\/cities cannot be used \(.+\): the last good version/, name)
    assert.deepEqual(others, [], `${name}: logged once`)
    assert.equal(places.metric('quirl_places_failing'), 1)
    assert.equal(readdirSync(join(dataDir, 'places')).length, 2, name)
    publisher.publish('/cities', berlin, { etag: `"good again after ${Buffer.from(name).toString('hex')}"` })
    pass(1)
    await places.refresh()
    assert.equal(places.metric('quirl_places_failing'), 0, name)
  }
  publisher.publish('/cities', vienna, { etag: '"good"' })
  pass(31)
  await places.refresh()
  assert.deepEqual(places.find('5.1.2.3'), { country: 'AT', city: 'Vienna' })
  assert.equal(places.metric('quirl_places_failing'), 0)
})

test('until the first download succeeds, the bundled database is used', async (t) => {
  const { open, warnings } = createPlacesWithClock(t)
  const publisher = await startListServer(t)
  const places = open(publisher.url('/missing'))
  assert.deepEqual(places.find('129.132.1.1'), { country: 'CH', city: 'Zurich' })
  await places.refresh()
  assert.match(warnings.join('\n'), /^GEOIP_DB: \S+\/missing cannot be used \(it answered 404\): [^\n]+$/)
  assert.deepEqual(places.find('129.132.1.1'), { country: 'CH', city: 'Zurich' })
})

test('a source whose table was damaged on the disk is fetched again', async (t) => {
  const { open, dataDir, warnings } = createPlacesWithClock(t)
  const publisher = await startListServer(t)
  publisher.publish('/cities', berlin, { etag: '"1"' })
  const first = open(publisher.url('/cities'))
  await first.refresh()
  await first.close()
  const table = readdirSync(join(dataDir, 'places')).find((name) => name.endsWith('.table')) ?? ''
  writeFileSync(join(dataDir, 'places', table), 'short')
  const second = open(publisher.url('/cities'))
  await second.refresh()
  assert.deepEqual(second.find('5.1.2.3'), { country: 'DE', city: 'Berlin' })
  assert.deepEqual(publisher.statuses('/cities'), [200, 200])
  assert.deepEqual(warnings, [])
})

test('an address may contain placeholders for the year and month', async (t) => {
  const { open, pass } = createPlacesWithClock(t)
  const publisher = await startListServer(t)
  publisher.publish('/cities-2026-06.mmdb', berlin, { etag: '"1"' })
  publisher.publish('/cities-2026-07.mmdb', vienna, { etag: '"1"' })
  const places = open(publisher.url('/cities-{YYYY}-{MM}.mmdb'))
  await places.refresh()
  assert.equal(places.find('5.1.2.3').city, 'Berlin')
  pass(31)
  await places.refresh()
  assert.equal(places.find('5.1.2.3').city, 'Vienna')
})

test('a redirect is followed, unless it leads to a machine that is not public', async (t) => {
  const { open, pass, warnings } = createPlacesWithClock(t)
  const publisher = await startListServer(t)
  publisher.publish('/cities', berlin, { etag: '"1"' })
  const goTo = (location: string) =>
    publisher.answer('/moved', (_, response) => response.writeHead(302, { location }).end())
  goTo('/cities')
  const places = open(publisher.url('/moved'))
  await places.refresh()
  assert.equal(places.find('5.1.2.3').city, 'Berlin')
  for (const host of ['127.0.0.2', '10.0.0.1', '169.254.169.254', '[::1]', '[fd00::1]', 'localhost']) {
    goTo(`https://${host}/cities`)
    warnings.length = 0
    pass(31)
    await places.refresh()
    assert.match(warnings[0] ?? '', /which is not public/, host)
  }
})
