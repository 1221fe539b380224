import { SLOTS_OF_DAY } from '../../calendar.ts'
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
  /** Counts those of a block that are in the window and fit. @param masks in the order of the dimensions @returns their sums */
  add: (block: Block, masks: readonly Mask[]) => AudienceSums
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
  const slots = createSlotCounts(fromSlot)
  const values = createValueSums()

  return {
    add(block, masks) {
      const found = select(block, window, masks)
      const sums = addToSlots(slots, block, found)
      const heard = audience === 'all' ? found : ofAudience(found, block, audience)
      for (const [dimension, column] of block.columns.entries()) addToValues(values, dimension, column, block, heard)
      return sums
    },
    covers: (range) => range.fromSlot >= fromSlot && range.toSlot <= toSlot,
    sumOf(range) {
      const sums = noSums()
      slots.forEach(range, (_, humans, humanFirsts, bots, botFirsts) => {
        sums.humans += humans
        sums.humanFirsts += humanFirsts
        sums.bots += bots
        sums.botFirsts += botFirsts
      })
      return sums
    },
    heatOf(ranges) {
      const hours = Array.from({ length: HOURS_OF_WEEK }, () => 0)
      for (const range of ranges) {
        slots.forEach(range, (slot, humans, _, bots) => {
          const hour = Math.floor(((slot + range.shift) % SLOTS_OF_WEEK) / SLOTS_OF_HOUR)
          const scans = (audience === 'bot' ? 0 : humans) + (audience === 'human' ? 0 : bots)
          hours[hour] = (hours[hour] ?? 0) + scans
        })
      }
      return hours
    },
    values,
  }
}

const noSums = (): AudienceSums => ({ humans: 0, humanFirsts: 0, bots: 0, botFirsts: 0 })

/** Called with a quarter of an hour and its counts. */
type EachSlot = (slot: number, humans: number, humanFirsts: number, bots: number, botFirsts: number) => void

/** Counts by quarter of an hour. Days without scans take neither room nor time: a year has 35,000 quarters, and most links few scans. */
interface SlotCounts {
  /** Adds a scan. @param flags as those of a block */
  add: (slot: number, flags: number) => void
  forEach: (range: SlotRange, each: EachSlot) => void
}

function createSlotCounts(fromSlot: number): SlotCounts {
  const days: (Uint32Array | undefined)[] = []
  return {
    add(slot, flags) {
      const from = slot - fromSlot
      const day = (days[Math.floor(from / SLOTS_OF_DAY)] ??= new Uint32Array(SLOTS_OF_DAY * COUNTS))
      const at = (from % SLOTS_OF_DAY) * COUNTS + (flags & BOT)
      day[at] = (day[at] ?? 0) + 1
      day[at + 1] = (day[at + 1] ?? 0) + (flags & FIRST)
    },
    forEach(range, each) {
      const to = Math.min(range.toSlot - fromSlot, days.length * SLOTS_OF_DAY)
      let slot = Math.max(0, range.fromSlot - fromSlot)
      while (slot < to) {
        const end = Math.min(to, slot - (slot % SLOTS_OF_DAY) + SLOTS_OF_DAY)
        const day = days[Math.floor(slot / SLOTS_OF_DAY)]
        if (day !== undefined) eachOfDay(day, fromSlot, [slot, end], each)
        slot = end
      }
    },
  }
}

/** @param slots of the day, counted from the window's first one; the last one excluded */
function eachOfDay(day: Uint32Array, fromSlot: number, [from, to]: [from: number, to: number], each: EachSlot): void {
  for (let slot = from; slot < to; slot++) {
    const at = (slot % SLOTS_OF_DAY) * COUNTS
    each(fromSlot + slot, day[at] ?? 0, day[at + 1] ?? 0, day[at + 2] ?? 0, day[at + 3] ?? 0)
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

function addToSlots(counts: SlotCounts, block: Block, found: Uint32Array): AudienceSums {
  const sums = noSums()
  for (const scan of found) {
    const flags = block.flags[scan] ?? 0
    counts.add(block.fromSlot + (block.slots[scan] ?? 0), flags)
    const isBot = (flags & BOT) !== 0
    sums[isBot ? 'bots' : 'humans']++
    sums[isBot ? 'botFirsts' : 'humanFirsts'] += flags & FIRST
  }
  return sums
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
