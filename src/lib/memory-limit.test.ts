import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ofMemory } from './memory-limit.ts'

const MIB = 2 ** 20

test('bounds of memory are the same with 1 GiB and more, and smaller with less, by what quirl takes itself', () => {
  const withMemory = (mib: number) => ofMemory(1_000, undefined, mib * MIB)
  assert.deepEqual([24_576, 1_024, 704, 512].map(withMemory), [1_000, 1_000, 500, 200])
})

test('with any memory, what one request of the largest size takes remains of a bound', () => {
  assert.equal(ofMemory(1_000, undefined, 0), 125)
  assert.equal(ofMemory(1_000, 400, 512 * MIB), 400)
  assert.equal(ofMemory(1_000, 400, 1_024 * MIB), 1_000)
})
