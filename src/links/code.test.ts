import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomCode } from './code.ts'

test('random codes have seven equally likely characters, and get longer after a few collisions', () => {
  const codes = Array.from({ length: 10_000 }, () => randomCode(0))
  assert.equal(new Set(codes).size, codes.length)
  assert.ok(codes.every((code) => /^[2-9a-hjkmnp-z]{7}$/.test(code)))
  const counts = Object.values(Object.groupBy(codes.join(''), (char) => char)).map((all = []) => all.length)
  assert.equal(counts.length, 31)
  // The mean is 2,258 and eight standard deviations are 374.
  for (const count of counts) assert.ok(Math.abs(count - 2258) < 374, String(count))
  assert.deepEqual(
    [0, 2, 3, 6].map((attempt) => randomCode(attempt).length),
    [7, 7, 8, 9],
  )
})
