import { slotOf } from '../calendar.ts'
import type { FoldedScan } from '../scan.ts'
import { addTo, countsOf, type Counts } from './increments.ts'
import { openDiskMemory, type DiskMemory } from '../../disk/memory.ts'

/**
 * Which scans are stored one by one. The others only count: every rollup has them, and `raw_missing` has how many they are, so
 * that the rows of a link and those that it lacks add up to what was counted.
 */
export interface RawBound {
  /** Raw scans of a link and UTC hour at most; Infinity for no bound. */
  perHour: number
  /**
   * Whether scans only count now, because the disk is nearly full, and no referrer is stored that no scan had before. Asked
   * once for each transaction.
   */
  onlyCounts: () => boolean
  /** Whether visitors who come anew are told from others: each takes room for a key until the day is over. */
  addsVisitors: () => boolean
  /** The bytes that are to be free for a transaction: with less, what waits in the journal goes on waiting. */
  foldNeeds: () => number
  /** To be called with the scans of a committed transaction that were not, for that reason. */
  noteUntold: (scans: number) => void
}

export const UNBOUNDED: RawBound = {
  perHour: Number.POSITIVE_INFINITY,
  onlyCounts: () => false,
  addsVisitors: () => true,
  foldNeeds: () => 0,
  noteUntold() {},
}

const SLOTS_PER_HOUR = 4

/** The UTC hour of a quarter of an hour, counted from 1970. */
export const hourOfSlot = (slot: number): number => Math.floor(slot / SLOTS_PER_HOUR)

/** The quarters of an hour, both included. */
export const slotsOfHour = (hour: number): [from: number, to: number] => [
  hour * SLOTS_PER_HOUR,
  (hour + 1) * SLOTS_PER_HOUR - 1,
]

/** Counts of scans that are not stored, by link and quarter of an hour. */
export type MissingRows = Map<number, Map<number, Counts>>

/** Chooses the scans of one transaction that are stored. */
export interface RawSelection {
  /** Whether a scan is stored; counts one that is not. To be asked once for each scan, in the order of the journal. */
  keeps: (scan: FoldedScan) => boolean
  missing: MissingRows
  /** Whether referrers may be stored that no scan had before: each is a text for good, larger than the row of a scan. */
  addsReferrers: boolean
  /** How many scans are not stored. */
  count: () => number
}

/** What was stored before a transaction. */
export interface StoredRows {
  /** As many scans of a link as are stored in any hour, or more: quick to read, and enough for nearly all links. */
  atMost: (linkId: number) => number
  /** How many scans of a link and hour are stored. */
  inHour: (linkId: number, hour: number) => number
}

/**
 * Of a link and hour, those are stored that come first: what was stored before is read in the transaction, so that a retry of one
 * that was rolled back stores the same.
 */
export function selectRaw(
  { perHour, onlyCounts }: Pick<RawBound, 'perHour' | 'onlyCounts'>,
  stored: StoredRows,
): RawSelection {
  const hours = new Map<string, { left: number; taken: number; isExact: boolean }>()
  const missing: MissingRows = new Map()
  const storesNone = onlyCounts()
  let count = 0

  function hasRoom(linkId: number, slot: number): boolean {
    if (storesNone) return false
    if (perHour === Number.POSITIVE_INFINITY) return true
    const hour = hourOfSlot(slot)
    const key = `${linkId}|${hour}`
    let room = hours.get(key)
    if (room === undefined) hours.set(key, (room = { left: perHour - stored.atMost(linkId), taken: 0, isExact: false }))
    if (room.left <= 0 && !room.isExact) {
      room.left = perHour - stored.inHour(linkId, hour) - room.taken
      room.isExact = true
    }
    if (room.left <= 0) return false
    room.left--
    room.taken++
    return true
  }

  return {
    keeps(scan) {
      const slot = slotOf(scan.at)
      if (hasRoom(scan.linkId, slot)) return true
      count++
      let slots = missing.get(scan.linkId)
      if (slots === undefined) missing.set(scan.linkId, (slots = new Map()))
      addTo(slots, slot, countsOf(scan))
      return false
    },
    missing,
    addsReferrers: !storesNone,
    count: () => count,
  }
}

/** What bounds raw scans, as a thread is told it. */
export interface RawBoundOptions {
  /** Raw scans of a link and hour at most; 0 for no bound. */
  perHour?: number
  disk?: DiskMemory
}

/** The bound, in the thread of the warehouse. */
export function openRawBound({ perHour = 0, disk }: RawBoundOptions = {}): RawBound {
  const unbounded = { ...UNBOUNDED, ...(perHour > 0 && { perHour }) }
  if (disk === undefined) return unbounded
  const { isLow, isScarce, foldNeeds, addUntold } = openDiskMemory(disk)
  return { ...unbounded, onlyCounts: isLow, addsVisitors: () => !isScarce(), foldNeeds, noteUntold: addUntold }
}
