import assert from 'node:assert/strict'
import { test } from 'node:test'
import { placementIdOf } from './placements.ts'

test('the id of a place is made of its name, and is one that no other place has', () => {
  const taken = ['Shop-Window', 'place', 'place-2', 'x'.repeat(32)].map((id) => ({ id }))
  const made: [string, string][] = [
    ['Table 7', 'table-7'],
    ['  Straße – Größe!  ', 'strasse-grosse'],
    ['Shop window', 'shop-window-2'],
    ['Ελλάδα', 'place-3'],
    ['1', '1-2'],
    ['x'.repeat(80), `${'x'.repeat(30)}-2`],
  ]
  for (const [name, id] of made) assert.equal(placementIdOf(name, taken), id, name)
})
