import { join } from 'node:path'
import type { Urgency } from '../db/database.ts'
import type { Space } from './low.ts'
import { openReserve, type Reserve } from './reserve.ts'
import { foldNeeds, isTooLittle, LEFT, neededFor, reserveDelay, reserveOf } from './room.ts'

const FULL =
  'the disk of DATA_DIR is full: its reserve is released, with which links can be paused, deleted and blocked; all else is refused, and visits are not counted'
const FULL_NO_MORE = 'the disk of DATA_DIR has room again: its reserve is restored'
const FULL_FAULT = 'the disk of DATA_DIR is full: links can be paused, deleted and blocked, and nothing else'

/** What the state needs of the rest of the program. */
export interface FullNeeds {
  dataDir: string
  /** Whether the folder has the store of links. */
  hasStore: boolean
  monotonic: () => number
  log: Record<'warn' | 'error', (details: object, text: string) => void>
  /** Replaces the usual time until the reserve is written, in milliseconds. */
  reserveAfterMs?: number
  /** Replaces the usual size of the reserve; 0 for none. */
  reserveBytes?: number
}

/** Whether the disk is full, and the reserve that is released meanwhile. */
export function createFullState(needs: FullNeeds) {
  const { hasStore, log, monotonic, reserveBytes, reserveAfterMs } = needs
  const reserve = openReserve(join(needs.dataDir, 'reserve'))
  let [isFull, fullSince, startedAt] = [false, 0, 0]
  const bytesOf = (space: Space) => reserveOf(space, reserveBytes)
  const mayFill = (space: Space) => isFull || monotonic() - startedAt >= (reserveAfterMs ?? reserveDelay(space))

  function begin(): void {
    if (!hasStore) return
    tryToRelease(reserve, log)
    if (isFull) return
    isFull = true
    fullSince = monotonic()
    log.error({}, FULL)
  }

  return {
    is: () => isFull,
    fault: () => (isFull ? FULL_FAULT : undefined),
    begin,
    reserved: reserve.size,
    stop: reserve.stop,
    start(at: number): void {
      startedAt = at
      // A folder whose store was moved away.
      if (!hasStore) reserve.release()
    },
    /** The bytes that are to be free for a transaction of the fold. */
    foldNeeds: (space: Space) => (hasStore ? foldNeeds(space, bytesOf(space), isFull) : 0),
    isDue: (space: Space) => !isFull && isTooLittle(space, bytesOf(space), reserve.taken()),
    /** @param check has the free space read again */
    isSpent(urgency: Urgency, space: Space, check: () => void): boolean {
      if (isFull) check()
      return isFull && space.free < LEFT[urgency] * bytesOf(space)
    },
    /** Ends the state, and takes the reserve again, when there is room for it: at once where there is for twice as much. */
    async restore(space: Space): Promise<void> {
      const bytes = bytesOf(space)
      const fullFor = isFull ? monotonic() - fullSince : Infinity
      if (!hasStore || !mayFill(space) || space.free < neededFor(space, bytes, fullFor)) return
      // One whose writing was interrupted may hold more.
      if (reserve.size() !== bytes) await reserve.fill(bytes)
      if (isFull) log.warn({ free_bytes: space.free }, FULL_NO_MORE)
      isFull = false
    },
  }
}

function tryToRelease({ release }: Reserve, log: FullNeeds['log']): void {
  try {
    release()
  } catch (error) {
    log.error({ err: error }, 'the reserve of DATA_DIR cannot be released')
  }
}
