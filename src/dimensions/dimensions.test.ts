import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dimensions } from './dimensions.ts'

test('each dimension has a name and a place on the page of its own', () => {
  assert.equal(new Set(dimensions.map(({ name }) => name)).size, dimensions.length)
  assert.deepEqual(
    dimensions.map(({ panel }) => panel).toSorted((a, b) => a - b),
    dimensions.map((_, at) => at + 1),
  )
})
