import { openSharedDisk, type SharedDisk } from '../disk/shared.ts'
import { UNBOUNDED, type RawBound } from './folding/raw-bound.ts'

/** What bounds raw scans, as a thread is told it. */
export interface SharedBound {
  /** Raw scans of a link and hour at most; 0 for no bound. */
  perHour?: number
  disk?: SharedDisk
}

/** The bound, in the thread of the warehouse. */
export function openBound({ perHour = 0, disk }: SharedBound = {}): RawBound {
  const unbounded = { ...UNBOUNDED, ...(perHour > 0 && { perHour }) }
  if (disk === undefined) return unbounded
  const { isLow, isScarce, addUntold } = openSharedDisk(disk)
  return { ...unbounded, onlyCounts: isLow, addsVisitors: () => !isScarce(), noteUntold: addUntold }
}
