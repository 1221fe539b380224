import { firstDayOfMonth, monthOf, slotOf, startOfDay, startOfSlot } from '../../calendar.ts'
import type { RawSlot, SlotRange } from '../row-queries.ts'

/** Scans of a block, about: read in some 15 ms. */
export const BLOCK_SCANS = 10_000

/** A range of time whose scans are read together. */
export interface PlannedBlock extends SlotRange {
  /** How many it has, by the rollups. */
  scans: number
}

/** The UTC months that a range is part of, as one range. */
export function monthsOf({ fromSlot, toSlot }: SlotRange): SlotRange {
  return { fromSlot: startOfMonth(monthOfSlot(fromSlot)), toSlot: startOfMonth(monthOfSlot(toSlot - 1) + 1) }
}

/**
 * Cuts whole UTC months into blocks, from the beginning of each: new scans come at the end, so that blocks of before stay
 * what they are. A quarter of an hour with many scans is a block by itself.
 * @param slots those of the months that have scans, oldest first
 */
export function planBlocks(slots: readonly RawSlot[]): PlannedBlock[] {
  const blocks: PlannedBlock[] = []
  let [month, open] = [Number.NaN, undefined as PlannedBlock | undefined]
  const cut = (toSlot: number) => {
    if (open === undefined) return
    open.toSlot = toSlot
    if (open.scans > 0) blocks.push(open)
    open = { fromSlot: toSlot, toSlot, scans: 0 }
  }
  for (const [slot, scans] of slots) {
    const own = monthOfSlot(slot)
    if (own !== month) {
      cut(startOfMonth(month + 1))
      month = own
      open = { fromSlot: startOfMonth(month), toSlot: 0, scans: 0 }
    }
    if (scans >= BLOCK_SCANS) cut(slot)
    if (open !== undefined) open.scans += scans
    if (open !== undefined && open.scans >= BLOCK_SCANS) cut(slot + 1)
  }
  cut(startOfMonth(month + 1))
  return blocks
}

/** The pieces in which the scans of a block are read, in milliseconds since 1970. */
export function piecesOf({ fromSlot, toSlot, scans }: PlannedBlock): [from: number, to: number][] {
  const [from, to] = [startOfSlot(fromSlot), startOfSlot(toSlot)]
  const pieces = Math.max(1, Math.floor(scans / BLOCK_SCANS))
  const border = (at: number) => from + Math.floor(((to - from) * at) / pieces)
  return Array.from({ length: pieces }, (_, at) => [border(at), border(at + 1)])
}

const monthOfSlot = (slot: number) => monthOf(startOfSlot(slot))
const startOfMonth = (month: number) => slotOf(startOfDay(firstDayOfMonth(month)))
