import { HOURS_OF_WEEK, SLOTS_OF_WEEK } from '../heat.ts'
import { SLOTS_OF_HOUR } from '../periods.ts'
import type { AudienceSums } from '../quarter-hours.ts'
import type { SlotRange, WeekRange } from '../row-queries.ts'
import type { Audience } from '../stats-query.ts'
import { createValueSums, type ValueSums } from '../value-sums.ts'
import { BOT, FIRST, type Block, type Column } from './block.ts'

/** Which values of a column are asked for, by position; undefined for all. */
export type Mask = Uint8Array | undefined

/** Counts the scans of a window. */
export interface Tally {
  /** Counts those of a block that are in the window and fit. @param masks in the order of the dimensions */
  add: (block: Block, masks: readonly Mask[]) => void
  /** Whether all of a range is in the window. */
  covers: (range: SlotRange) => boolean
  sumOf: (range: SlotRange) => AudienceSums
  /** The scans of the audience by the hour of the week. */
  heatOf: (ranges: readonly WeekRange[]) => number[]
  /** The scans of the audience by value. */
  values: ValueSums
}

/** Counts of a quarter of an hour: people and bots, of each the scans and the first ones. */
const COUNTS = 4

export function createTally(window: SlotRange, audience: Audience): Tally {
  const { fromSlot, toSlot } = window
  const counts = new Uint32Array(Math.max(0, toSlot - fromSlot) * COUNTS)
  const values = createValueSums()
  const at = (slot: number, count: number) => counts[(slot - fromSlot) * COUNTS + count] ?? 0

  return {
    add(block, masks) {
      const found = select(block, window, masks)
      addToSlots(counts, block, found, fromSlot)
      const heard = audience === 'all' ? found : ofAudience(found, block, audience)
      for (const [dimension, column] of block.columns.entries()) addToValues(values, dimension, column, block, heard)
    },
    covers: (range) => range.fromSlot >= fromSlot && range.toSlot <= toSlot,
    sumOf(range) {
      const sums: AudienceSums = { humans: 0, humanFirsts: 0, bots: 0, botFirsts: 0 }
      for (let slot = range.fromSlot; slot < range.toSlot; slot++) {
        sums.humans += at(slot, 0)
        sums.humanFirsts += at(slot, 1)
        sums.bots += at(slot, 2)
        sums.botFirsts += at(slot, 3)
      }
      return sums
    },
    heatOf(ranges) {
      const hours = Array.from({ length: HOURS_OF_WEEK }, () => 0)
      for (const range of ranges) {
        for (let slot = range.fromSlot; slot < range.toSlot; slot++) {
          const hour = Math.floor(((slot + range.shift) % SLOTS_OF_WEEK) / SLOTS_OF_HOUR)
          const scans = (audience === 'bot' ? 0 : at(slot, 0)) + (audience === 'human' ? 0 : at(slot, 2))
          hours[hour] = (hours[hour] ?? 0) + scans
        }
      }
      return hours
    },
    values,
  }
}

/** The numbers of the scans of a block that are in a range and fit all masks. */
function select(block: Block, range: SlotRange, masks: readonly Mask[]): Uint32Array {
  let found: Uint32Array = new Uint32Array(block.size)
  const [from, to] = [range.fromSlot - block.fromSlot, range.toSlot - block.fromSlot]
  let count = 0
  for (let scan = 0; scan < block.size; scan++) {
    const slot = block.slots[scan] ?? 0
    if (slot >= from && slot < to) found[count++] = scan
  }
  found = found.subarray(0, count)
  for (const [dimension, mask] of masks.entries()) {
    const column = block.columns[dimension]
    if (mask !== undefined && column !== undefined) found = fitting(found, column, mask)
  }
  return found
}

/** Those that fit, in the place of the others. */
function fitting(found: Uint32Array, { positions }: Column, mask: Uint8Array): Uint32Array {
  if (positions === undefined) return mask[0] === 1 ? found : found.subarray(0, 0)
  let count = 0
  for (const scan of found) if (mask[positions[scan] ?? 0] === 1) found[count++] = scan
  return found.subarray(0, count)
}

function ofAudience(found: Uint32Array, { flags }: Block, audience: Audience): Uint32Array {
  const wanted = audience === 'bot' ? BOT : 0
  return found.filter((scan) => ((flags[scan] ?? 0) & BOT) === wanted)
}

function addToSlots(counts: Uint32Array, block: Block, found: Uint32Array, fromSlot: number): void {
  const before = block.fromSlot - fromSlot
  for (const scan of found) {
    const flags = block.flags[scan] ?? 0
    const at = (before + (block.slots[scan] ?? 0)) * COUNTS + (flags & BOT)
    counts[at] = (counts[at] ?? 0) + 1
    counts[at + 1] = (counts[at + 1] ?? 0) + (flags & FIRST)
  }
}

function addToValues(
  { add }: ValueSums,
  dimension: number,
  { ids, positions }: Column,
  { flags }: Block,
  found: Uint32Array,
): void {
  const [scans, firsts] = [new Uint32Array(ids.length), new Uint32Array(ids.length)]
  for (const scan of found) {
    const position = positions === undefined ? 0 : (positions[scan] ?? 0)
    scans[position] = (scans[position] ?? 0) + 1
    firsts[position] = (firsts[position] ?? 0) + ((flags[scan] ?? 0) & FIRST)
  }
  for (const [position, id] of ids.entries()) {
    const count = scans[position] ?? 0
    if (count > 0) add(dimension, id, count, firsts[position] ?? 0)
  }
}
