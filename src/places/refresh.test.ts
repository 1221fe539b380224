import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { temporaryFolder } from '../../test/support/cleanup.ts'
import { startListServer } from '../../test/support/list-server.ts'
import { mmdb } from '../../test/support/mmdb.ts'
import { berlin, createWorld, vienna } from '../../test/support/place-sources.ts'

const nowhere = { country: null, city: null }

for (const [what, pack] of [
  ['an .mmdb', (content: Buffer) => content],
  ['an .mmdb.gz', (content: Buffer) => gzipSync(content)],
] as const) {
  test(`${what} is fetched, kept for the next start, and asked for again after a month`, async (t) => {
    const { open, pass, warnings, dataDir } = createWorld(t)
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
    const kept = readdirSync(join(dataDir, 'places')).toSorted()
    assert.deepEqual(
      kept.map((name) => name.slice(16)),
      ['.json', '.table'],
      'nothing else is left',
    )
    for (const name of kept) assert.ok(!readFileSync(join(dataDir, 'places', name)).includes('secret'), name)
  })
}

test('what is not whole, no database, or about something else does not replace the last good state', async (t) => {
  const { open, pass, warnings, dataDir } = createWorld(t)
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
  for (const [what, content] of Object.entries(bad)) {
    publisher.publish('/cities', content, { etag: `"${what}"` })
    warnings.length = 0
    pass(31)
    await places.refresh()
    pass(1)
    await places.refresh()
    assert.deepEqual(places.find('5.1.2.3'), { country: 'DE', city: 'Berlin' }, what)
    const [fault, ...others] = warnings.filter((text) => text.includes('cannot be used'))
    assert.match(fault ?? '', /^GEOIP_DB: 127\.0\.0\.1:\d+\/cities cannot be used \(.+\): its last good state/, what)
    assert.deepEqual(others, [], `${what}: said once`)
    assert.equal(places.metric('quirl_places_failing'), 1)
    assert.equal(readdirSync(join(dataDir, 'places')).length, 2, what)
    publisher.publish('/cities', berlin, { etag: `"good again after ${Buffer.from(what).toString('hex')}"` })
    pass(1)
    await places.refresh()
    assert.equal(places.metric('quirl_places_failing'), 0, what)
  }
  publisher.publish('/cities', vienna, { etag: '"good"' })
  pass(31)
  await places.refresh()
  assert.deepEqual(places.find('5.1.2.3'), { country: 'AT', city: 'Vienna' })
  assert.equal(places.metric('quirl_places_failing'), 0)
})

test('while nothing was fetched yet, the bundled data answer', async (t) => {
  const { open, warnings } = createWorld(t)
  const publisher = await startListServer(t)
  const places = open(publisher.url('/missing'))
  assert.deepEqual(places.find('129.132.1.1'), { country: 'CH', city: 'Zurich' })
  await places.refresh()
  assert.match(warnings.join('\n'), /^GEOIP_DB: \S+\/missing cannot be used \(it answered 404\): [^\n]+$/)
  assert.deepEqual(places.find('129.132.1.1'), { country: 'CH', city: 'Zurich' })
})

test('a table that was damaged on the disk is fetched again', async (t) => {
  const { open, dataDir, warnings } = createWorld(t)
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

test('an address may name the month', async (t) => {
  const { open, pass } = createWorld(t)
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

test('a redirect is followed, but to no machine beside this one', async (t) => {
  const { open, pass, warnings } = createWorld(t)
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

test('the first source that knows answers, and a city only with its own country', async (t) => {
  const folder = temporaryFolder(t)
  const { open } = createWorld(t)
  const write = (name: string, content: Buffer) => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  const countries = write(
    'countries.mmdb',
    mmdb([
      ['5.1.0.0/16', { country_code: 'DE' }],
      ['5.2.0.0/16', { country_code: 'FR' }],
    ]),
  )
  const cities = write(
    'cities.mmdb',
    mmdb([
      ['5.1.0.0/16', { country_code: 'DE', city: 'Bonn' }],
      ['5.2.0.0/16', { country_code: 'DE', city: 'Kehl' }],
      ['5.3.0.0/16', { country_code: 'IT', city: 'Rome' }],
    ]),
  )
  const { find, refresh } = open(countries, cities)
  await refresh()
  assert.deepEqual(find('5.1.0.1'), { country: 'DE', city: 'Bonn' })
  assert.deepEqual(find('5.2.0.1'), { country: 'FR', city: null })
  assert.deepEqual(find('5.3.0.1'), { country: 'IT', city: 'Rome' })
  assert.deepEqual(find('129.132.1.1'), nowhere)
  const both = open(cities, 'bundled')
  await both.refresh()
  assert.deepEqual(both.find('129.132.1.1'), { country: 'CH', city: 'Zurich' })
})

test('off knows nothing, and says nothing', async (t) => {
  const { open, warnings, pass } = createWorld(t)
  const places = open()
  pass(500)
  await places.refresh()
  assert.deepEqual(places.find('129.132.1.1'), nowhere)
  assert.deepEqual(warnings, [])
  assert.equal(places.metric('quirl_places_age_seconds'), 0)
})

test('data that grow old in use are told once, and their age is a metric', async (t) => {
  const { open, pass, warnings } = createWorld(t)
  const places = open('bundled')
  pass(400)
  await places.refresh()
  await places.refresh()
  assert.equal(warnings.length, 1)
  assert.match(warnings[0] ?? '', /^GEOIP_DB: bundled was built \d{3} days ago: /)
  assert.ok((places.metric('quirl_places_age_seconds') ?? 0) > 300 * 86_400)
})

test('a stop ends a download that does not', async (t) => {
  const { open } = createWorld(t)
  const publisher = await startListServer(t)
  const asked = Promise.withResolvers<void>()
  publisher.answer('/endless', (_, response) => {
    response.writeHead(200).write('x')
    asked.resolve()
  })
  const places = open(publisher.url('/endless'))
  await asked.promise
  await places.close()
})

test('what was there before a process was killed in the middle of a change is in use at the next start', async (t) => {
  const { open, dataDir, warnings, pass } = createWorld(t)
  const publisher = await startListServer(t)
  publisher.publish('/cities', berlin, { etag: '"1"' })
  const first = open(publisher.url('/cities'))
  await first.refresh()
  await first.close()
  const folder = join(dataDir, 'places')
  const saved = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))] as const)
  publisher.publish('/cities', vienna, { etag: '"2"' })
  pass(31)
  const second = open(publisher.url('/cities'))
  await second.refresh()
  assert.equal(second.find('5.1.2.3').city, 'Vienna')
  await second.close()
  // The new table has its name, and what is known of it has not.
  for (const [name, content] of saved) if (name.endsWith('.json')) writeFileSync(join(folder, name), content)
  const third = open(publisher.url('/cities'))
  assert.equal(third.find('5.1.2.3').city, 'Vienna')
  await third.refresh()
  assert.deepEqual(publisher.statuses('/cities'), [200, 200, 200], 'asked for with what the old one was known by')
  assert.equal(third.find('5.1.2.3').city, 'Vienna')
  assert.deepEqual(warnings, [])
})
