import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { drawWorld } from '../build/world.ts'
import { formatsIn } from '../src/web/statistics/formats.ts'
import { worldMap } from '../src/web/statistics/map.ts'
import { places, shapes, WORLD } from '../src/web/statistics/world.ts'
import { countryCodes } from '../src/lib/countries.ts'
import { statisticsTexts } from '../src/texts/statistics.ts'

const file = new URL('../src/web/statistics/world.ts', import.meta.url)

test('the outlines in the sources are those of the installed package', () => {
  assert.equal(drawWorld(), readFileSync(file, 'utf8'), '"npm run world" writes them again')
})

test('each outline and place is of a country that there is, and on the map', () => {
  const { width, height } = WORLD
  const isIn = (x: number, y: number) => x >= 0 && x <= width && y >= 0 && y <= height
  for (const [country, shape] of Object.entries(shapes)) {
    assert.ok(countryCodes.has(country), country)
    const [box, path] = [shape.split(' ', 4).map(Number), shape.slice(shape.indexOf('M'))]
    assert.ok(isIn(box[0] ?? -1, box[1] ?? -1) && isIn(box[2] ?? -1, box[3] ?? -1), country)
    assert.match(path, /^(?:M\d+ \d+l[\d -]+z)+$/, country)
  }
  for (const [country, place] of Object.entries(places))
    assert.ok(countryCodes.has(country) && !Object.hasOwn(shapes, country) && isIn(...place), country)
})

const counts = (rows: Record<string, number>) =>
  Object.entries(rows).map(([value, scans]) => ({ value, scans, unique_visitors: scans }))

function viewOf(rows: Record<string, number>): number[] {
  const { markup = '' } = worldMap(counts(rows), statisticsTexts.en, formatsIn('en')) ?? {}
  return /viewBox="([^"]+)"/.exec(markup)?.[1]?.split(' ').map(Number) ?? []
}

test('the map shows the part of the world that has visits, and all of it for visits from everywhere', () => {
  const [left = 0, top = 0, width = 0, height = 0] = viewOf({ DE: 5, AT: 2, CH: 1 })
  assert.ok(width < WORLD.width / 3, `${width}`)
  const [x, y] = places['LI'] ?? [0, 0]
  assert.ok(x > left && x < left + width && y > top && y < top + height, 'Liechtenstein is between them')
  assert.deepEqual(viewOf({ US: 5, RU: 2, NZ: 1, AR: 1 }).slice(2), [WORLD.width, WORLD.height])
  assert.deepEqual(viewOf({ constructor: 5, QQ: 1 }), [], 'what is no country has no map')
})
