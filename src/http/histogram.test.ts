import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHistogram } from './histogram.ts'

test('a duration counts in each bucket whose bound it does not exceed, and in the infinite one', () => {
  const { observe, read } = createHistogram()
  for (const milliseconds of [0, 0.5, 0.6, 1, 9_999, 10_000, 10_001, 1e9]) observe(milliseconds)
  const { buckets, sum } = read()
  const counts = new Map(buckets.map(({ bound, count }) => [bound, count]))
  assert.deepEqual(
    [0.0005, 0.001, 0.0025, 5, 10, Infinity].map((bound) => counts.get(bound)),
    [2, 4, 4, 4, 6, 8],
  )
  assert.equal(sum, (0.5 + 0.6 + 1 + 9_999 + 10_000 + 10_001 + 1e9) / 1000)
  assert.deepEqual(
    buckets.map(({ bound }) => bound),
    buckets.map(({ bound }) => bound).toSorted((a, b) => a - b),
  )
})

test('an empty distribution has every bucket, so that rates exist from the start', () => {
  const { buckets, sum } = createHistogram().read()
  assert.equal(sum, 0)
  assert.ok(buckets.length > 10 && buckets.every(({ count }) => count === 0))
})
