import assert from 'node:assert/strict'
import { test } from 'node:test'
import { slotOf } from '../../calendar.ts'
import { monthsOf, piecesOf, planBlocks } from './plan.ts'

const october = slotOf(Date.UTC(2026, 9, 1))
const november = slotOf(Date.UTC(2026, 10, 1))
const december = slotOf(Date.UTC(2026, 11, 1))

test('blocks are cut at 10,000 scans from the beginning of each month, and scans that come later move no earlier border', () => {
  const slots = [
    [october + 4, 6_000, 0],
    [october + 7, 5_000, 50],
    [october + 9, 100, 0],
    [november, 300, 0],
  ] as const
  const blocks = [
    { fromSlot: october, toSlot: october + 8, scans: 11_000 },
    { fromSlot: october + 8, toSlot: november, scans: 100 },
    { fromSlot: november, toSlot: december, scans: 300 },
  ]
  assert.deepEqual(planBlocks(slots), blocks)
  const later = planBlocks([...slots.slice(0, 3), [october + 20, 30_000, 0], [november, 300, 0], [november + 1, 5, 0]])
  assert.deepEqual(later, [
    blocks[0],
    { fromSlot: october + 8, toSlot: october + 20, scans: 100 },
    { fromSlot: october + 20, toSlot: october + 21, scans: 30_000 },
    { fromSlot: november, toSlot: december, scans: 305 },
  ])
  assert.deepEqual(planBlocks([]), [])
  assert.deepEqual(planBlocks([[october, 0, 900]]), [], 'scans that only count are not read')
})

test('a range is part of whole months, and a block of many scans is read in pieces without a gap', () => {
  assert.deepEqual(monthsOf({ fromSlot: november - 1, toSlot: november + 1 }), { fromSlot: october, toSlot: december })
  assert.deepEqual(monthsOf({ fromSlot: october, toSlot: november }), { fromSlot: october, toSlot: november })
  const pieces = piecesOf({ fromSlot: november, toSlot: november + 1, scans: 35_000 })
  const start = Date.UTC(2026, 10, 1)
  assert.deepEqual(pieces, [
    [start, start + 300_000],
    [start + 300_000, start + 600_000],
    [start + 600_000, start + 900_000],
  ])
  assert.equal(piecesOf({ fromSlot: november, toSlot: december, scans: 5 }).length, 1)
})
