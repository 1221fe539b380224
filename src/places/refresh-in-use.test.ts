import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../test/support/cleanup.ts'
import { startListServer } from '../../test/support/list-server.ts'
import { mmdb } from '../../test/support/mmdb.ts'
import { berlin, createWorld, vienna } from '../../test/support/place-sources.ts'

const nowhere = { country: null, city: null }

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
