import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dimensionNames } from '../../../dimensions/dimensions.ts'
import { slotOf } from '../../calendar.ts'
import { BOT, FIRST, toBlock } from './block.ts'
import { createTally } from './tally.ts'

const DAY = 96
const june = slotOf(Date.UTC(2026, 5, 1))
/** It begins in the middle of a UTC day, as in other time zones. */
const year = { fromSlot: june - 200 * DAY - 40, toSlot: june + 166 * DAY - 40 }

/** A block of scans, which have no values. */
function blockOf(scans: readonly (readonly [slot: number, flags: number])[]) {
  const rows = scans.map((scan) => [...scan, ...dimensionNames.map(() => 1)])
  return toBlock({ fromSlot: june, toSlot: june + 30 * DAY }, rows)
}

const noMasks = dimensionNames.map(() => undefined)

test('a tally counts scans by ranges that begin and end within days, and says what each block has added', () => {
  const tally = createTally(year, 'human')
  const block = blockOf([
    [june, FIRST],
    [june + 39, 0],
    [june + 40, BOT | FIRST],
    [june + 3 * DAY, 0],
  ])
  const sums = { humans: 3, humanFirsts: 1, bots: 1, botFirsts: 1 }
  assert.deepEqual(tally.add(block, noMasks), sums)
  const of = (from: number, to: number) => Object.values(tally.sumOf({ fromSlot: june + from, toSlot: june + to }))
  assert.deepEqual(tally.sumOf(year), sums)
  assert.deepEqual(of(0, 39), [1, 1, 0, 0])
  assert.deepEqual(of(1, 41), [1, 0, 1, 1])
  assert.deepEqual(of(40, 3 * DAY + 1), [1, 0, 1, 1])
  assert.deepEqual(of(3 * DAY + 1, 30 * DAY), [0, 0, 0, 0])
  assert.deepEqual(of(-500 * DAY, 500 * DAY), [3, 1, 1, 1])
  const heat = tally.heatOf([{ ...year, shift: 0 }])
  assert.equal(
    heat.reduce((sum, scans) => sum + scans),
    3,
  )
})

test('days without scans take no room: a year of each of a thousand links took half a gigabyte', () => {
  const before = process.memoryUsage().arrayBuffers
  const tallies = Array.from({ length: 1000 }, () => createTally(year, 'all'))
  for (const tally of tallies) tally.add(blockOf([[june, FIRST]]), noMasks)
  assert.equal(
    tallies.reduce((sum, { sumOf }) => sum + sumOf(year).humans, 0),
    1000,
  )
  const grown = process.memoryUsage().arrayBuffers - before
  assert.ok(grown < 64 * 2 ** 20, `${grown} bytes`)
})
