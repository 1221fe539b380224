import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dimensionNames } from '../../../dimensions/dimensions.ts'
import { createBlockCache } from './block-cache.ts'
import { toBlock } from './block.ts'
import type { PlannedBlock } from './plan.ts'

const range = (fromSlot: number, scans = 100): PlannedBlock => ({ fromSlot, toSlot: fromSlot + 10, scans })

function blockAt(fromSlot: number) {
  const rows = Array.from({ length: 100 }, (_, at) => [fromSlot + (at % 10), 0, ...dimensionNames.map(() => at)])
  return toBlock(range(fromSlot), rows)
}
const { bytes } = blockAt(0)

test('a block is found until its scans are more, its borders move, or rows are imported', () => {
  const cache = createBlockCache()
  const block = blockAt(20)
  const keep = () => cache.keep(1, range(20), 0, block)
  keep()
  assert.equal(cache.get(1, range(20), 0), block)
  assert.equal(cache.get(2, range(20), 0), undefined)
  for (const [planned, imported] of [
    [range(20, 101), 0],
    [{ ...range(20), toSlot: 31 }, 0],
    [range(20), 5],
  ] as const) {
    keep()
    assert.equal(cache.get(1, planned, imported), undefined)
    assert.equal(cache.bytes(), 0, 'what is not valid any more is forgotten')
  }
})

test('the blocks of deleted links, those of removed scans, and those that nobody asks for are forgotten', () => {
  let now = 0
  const cache = createBlockCache(() => now)
  for (const linkId of [1, 2, 3]) for (const slot of [20, 40]) cache.keep(linkId, range(slot), 0, blockAt(slot))
  assert.equal(cache.bytes(), 6 * bytes)
  cache.drop([1, 9])
  assert.equal(cache.get(1, range(20), 0), undefined)
  cache.dropBefore(40)
  assert.equal(cache.get(2, range(20), 0), undefined)
  assert.equal(cache.bytes(), 2 * bytes)
  now = 500_000
  assert.notEqual(cache.get(2, range(40), 0), undefined)
  now = 700_000
  cache.expire()
  assert.notEqual(cache.get(2, range(40), 0), undefined)
  assert.equal(cache.get(3, range(40), 0), undefined)
  assert.equal(cache.bytes(), bytes)
})

test('blocks have bounded memory: those used last stay, and one link has half at most', () => {
  const cache = createBlockCache(() => 0, 6 * bytes)
  for (const slot of [0, 20, 40, 60]) cache.keep(1, range(slot), 0, blockAt(slot))
  assert.equal(cache.bytes(), 3 * bytes)
  assert.equal(cache.get(1, range(60), 0), undefined, 'else a link with more would find none of its blocks')
  for (const slot of [0, 20, 40]) cache.keep(2, range(slot), 0, blockAt(slot))
  assert.notEqual(cache.get(1, range(0), 0), undefined)
  cache.keep(3, range(0), 0, blockAt(0))
  assert.equal(cache.bytes(), 6 * bytes)
  assert.equal(cache.get(1, range(20), 0), undefined)
  for (const found of [cache.get(1, range(0), 0), cache.get(1, range(40), 0), cache.get(3, range(0), 0)])
    assert.notEqual(found, undefined)
})
