import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../test/support/cleanup.ts'
import { startListServer } from '../../test/support/list-server.ts'
import { mmdb } from '../../test/support/mmdb.ts'
import { berlin, createPlacesWithClock, vienna } from '../../test/support/place-sources.ts'

const unknown = { country: null, city: null }

test('the first source with a country is used; a later one adds a city of the same country only', async (t) => {
  const folder = temporaryFolder(t)
  const { open } = createPlacesWithClock(t)
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
  assert.deepEqual(find('129.132.1.1'), unknown)
  const both = open(cities, 'bundled')
  await both.refresh()
  assert.deepEqual(both.find('129.132.1.1'), { country: 'CH', city: 'Zurich' })
})

test('without sources no place is known, and nothing is logged', async (t) => {
  const { open, warnings, pass } = createPlacesWithClock(t)
  const places = open()
  pass(500)
  await places.refresh()
  assert.deepEqual(places.find('129.132.1.1'), unknown)
  assert.deepEqual(warnings, [])
  assert.equal(places.metric('quirl_places_built_timestamp_seconds'), 0)
})

test('data that grow old in use are logged once, and a metric says when they were built', async (t) => {
  const { open, now, pass, warnings } = createPlacesWithClock(t)
  const places = open('bundled')
  pass(400)
  await places.refresh()
  await places.refresh()
  assert.equal(warnings.length, 1)
  assert.match(warnings[0] ?? '', /^GEOIP_DB: bundled was built \d{3} days ago: /)
  const [, days = ''] = /built (\d+) days/.exec(warnings[0] ?? '') ?? []
  const builtAt = (places.metric('quirl_places_built_timestamp_seconds') ?? 0) * 1000
  assert.equal(Math.floor((now() - builtAt) / 86_400_000), Number(days))
})

test('closing aborts an endless download', async (t) => {
  const { open } = createPlacesWithClock(t)
  const publisher = await startListServer(t)
  const requested = Promise.withResolvers<void>()
  publisher.answer('/endless', (_, response) => {
    response.writeHead(200).write('x')
    requested.resolve()
  })
  const places = open(publisher.url('/endless'))
  await requested.promise
  await places.close()
})

test('after a kill between replacing a table and its state, the next start uses the table and requests it again', async (t) => {
  const { open, dataDir, warnings, pass } = createPlacesWithClock(t)
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
  // The new table, with the state of the old one.
  for (const [name, content] of saved) if (name.endsWith('.json')) writeFileSync(join(folder, name), content)
  const third = open(publisher.url('/cities'))
  assert.equal(third.find('5.1.2.3').city, 'Vienna')
  await third.refresh()
  assert.deepEqual(publisher.statuses('/cities'), [200, 200, 200], 'requested with the validators of the old one')
  assert.equal(third.find('5.1.2.3').city, 'Vienna')
  assert.deepEqual(warnings, [])
})
