// How much room of a disk is for what, in bytes.
import type { Urgency } from '../db/database.ts'
import { floorOf, type Space } from './low.ts'

/** Far more than a deletion, a pause, a block and the deletion of scans take together (docs/adr/0069). */
const RESERVE_BYTES = 32 * 2 ** 20
/** Of a small disk, the reserve is this part of it at most. */
const RESERVE_SHARE = 1 / 16
/** The disk is full when less is free than this part of the reserve, or this many bytes. */
const [FULL_SHARE, FULL_BYTES] = [1 / 8, 2 ** 20]
/** Where there is room for the reserve and no second one, the state ends after this time at the earliest, so that it does not come and go, */
const PATIENCE_MS = 30_000
/** and where the fold could not go on beside the reserve after this one: until then, it makes room of what waits in the journal. */
const FOLD_PATIENCE_MS = 60_000
/** What an urgent change leaves of the reserve to those that are more urgent. */
export const LEFT: Readonly<Record<Urgency, number>> = {
  pause: 1 / 2,
  takedown: 1 / 4,
  suspension: 1 / 4,
  operator: 0,
}

/** What is reserved of a disk. */
export function reserveOf({ size }: Pick<Space, 'size'>, bytes = RESERVE_BYTES): number {
  return Math.min(bytes, Math.floor(size * RESERVE_SHARE))
}

/** A disk with more free is not filled before the usual delay is over: that would take 290 MB a second, and strangers were seen to write 15. */
const FILLABLE_BYTES = 8 * 2 ** 30
const RESERVE_DELAY_MS = 30_000

/**
 * How long after the start a reserve that is missing is written: a service that ends soon does not need it, and its start is none the
 * slower. Where strangers could fill the disk meanwhile it is written at once, or nothing could be blocked or deleted then.
 */
export function reserveDelay({ free }: Pick<Space, 'free'>): number {
  return free < FILLABLE_BYTES ? 0 : RESERVE_DELAY_MS
}

/** A transaction of the fold takes this part of the usual floor: half for the log, and half for the journal of visitors' keys. */
const FOLD_SHARE = 1 / 8

/** What one transaction of the fold takes of a disk at most. */
export function foldBytesOf(space: Pick<Space, 'size'>): number {
  return floorOf('auto', space) * FOLD_SHARE
}

/** The disk is full when less is free. */
export function leastOf(reserve: number): number {
  return Math.max(FULL_BYTES, reserve * FULL_SHARE)
}

/**
 * What is to be free for the reserve: twice of what makes a disk full is left then. It is more than the reserve gave when the disk became
 * full, so that somebody must have made room, and not so much that a small disk which has room again stays full.
 */
export function neededFor(space: Space, reserve: number, fullFor: number): number {
  const least = reserve + 2 * leastOf(reserve)
  if (fullFor < PATIENCE_MS) return reserve + least
  return fullFor < FOLD_PATIENCE_MS ? least + Math.min(reserve, foldBytesOf(space)) : least
}

/** What is left beside a transaction of the fold, as a part of the usual floor: less than what visits leave that are no longer counted. */
const SPARE_SHARE = 1 / 16

/** What is to be free for a transaction of the fold. On a full disk it leaves the part of the reserve that is for pauses. */
export function foldNeeds(space: Space, reserve: number, isFull: boolean): number {
  const spare = Math.min(leastOf(reserve), floorOf('auto', space) * SPARE_SHARE)
  return foldBytesOf(space) + (isFull ? LEFT.pause * reserve : spare)
}

/**
 * Whether a disk is full. Where the reserve is missing, as after a restart, what is free takes its place.
 * @param taken what the reserve holds
 */
export function isTooLittle({ free }: Space, reserve: number, taken: number): boolean {
  return free + Math.min(reserve, taken) < reserve + leastOf(reserve)
}
