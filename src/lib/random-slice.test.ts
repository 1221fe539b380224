import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomSlice } from './random-slice.ts'

test('no random bytes are returned twice, however many are requested at a time', () => {
  const given = new Set<string>()
  // Six bytes are the same by chance once in 10^7 runs of this.
  for (let at = 0; at < 5000; at++) given.add(randomSlice(6 + (at % 40)).toString('hex', 0, 6))
  assert.equal(given.size, 5000)
})
