import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { temporaryFolder } from '../../test/support/cleanup.ts'
import { mmdb, type Data } from '../../test/support/mmdb.ts'
import { openMmdb } from './mmdb.ts'
import { placeAt } from './record.ts'

function placeOf(t: TestContext, record: Data) {
  const path = join(temporaryFolder(t), 'places.mmdb')
  writeFileSync(path, mmdb([['5.1.0.0/16', record]]))
  const file = openMmdb(path)
  t.after(file.close)
  return placeAt(file, file.find([5, 1, 2, 3]) ?? 0)
}

test('the district of a city is removed', (t) => {
  const cities = {
    'Zurich (Zurich (Kreis 1) / Hochschulen)': 'Zurich',
    'Cambridge (Area 2/MIT)': 'Cambridge',
    'Seoul (Euljiro 3(sam)-ga)': 'Seoul',
    'Frankfurt am Main (Bockenheim)': 'Frankfurt am Main',
    'Frankfurt (Oder) (Rosengarten)': 'Frankfurt (Oder)',
    'Halle (Saale)': 'Halle (Saale)',
    'Paris 19 Buttes-Chaumont': 'Paris',
    'Marseille 03': 'Marseille',
    'Praha 10 (Praha 14)': 'Prague',
    'San Sebastian [Fraccionamiento]': 'San Sebastian',
    '6th of October City (Industrial Zone)': '6th of October City',
    'Saint-Denis': 'Saint-Denis',
    ' (nothing)': '(nothing)',
    '': null,
  }
  for (const [name, city] of Object.entries(cities)) {
    assert.deepEqual(placeOf(t, { country_code: 'CH', city: name }), { country: 'CH', city })
  }
})

test('names are normalized to NFC', (t) => {
  assert.equal(placeOf(t, { city: 'Zu\u0308rich' }).city, 'Z\u00fcrich')
})

test('in some countries the code of the region follows the name of the city', (t) => {
  const springfield = (region: Data) => placeOf(t, { country_code: 'US', city: 'Springfield', state1: region }).city
  assert.equal(springfield('Illinois'), 'Springfield, IL')
  assert.equal(springfield('Massachusetts'), 'Springfield, MA')
  assert.equal(springfield('MO'), 'Springfield, MO')
  assert.equal(springfield('Atlantis'), 'Springfield')
  assert.equal(springfield('constructor'), 'Springfield')
  const maxMind = (country: string, code: string) =>
    placeOf(t, {
      country: { iso_code: country },
      city: { names: { de: 'Perth', en: 'Perth' } },
      subdivisions: [{ iso_code: code, names: { en: 'a region' } }],
    }).city
  assert.equal(maxMind('AU', 'WA'), 'Perth, WA')
  assert.equal(maxMind('GB', 'SCT'), 'Perth')
  assert.equal(placeOf(t, { country_code: 'AU', city: 'Canberra', state1: 'ACT' }).city, 'Canberra, ACT')
  assert.equal(
    placeOf(t, { country_code: 'CA', city: 'Montreal (Ville-Marie)', state1: 'Quebec' }).city,
    'Montreal, QC',
  )
})

test('in other countries it does not, because a region has several spellings', (t) => {
  for (const region of ['Prague', 'Hlavni mesto Praha']) {
    assert.equal(placeOf(t, { country_code: 'CZ', city: 'Prague', state1: region }).city, 'Prague')
  }
})

test('a record with a region but no city has no city', (t) => {
  const place = placeOf(t, { country_code: 'US', city: '', state1: 'Illinois' })
  assert.deepEqual(place, { country: 'US', city: null })
})
