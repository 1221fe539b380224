import { join } from 'node:path'
import type { Urgency } from '../db/database.ts'
import type { Space } from './low.ts'
import { randomFillSync } from 'node:crypto'
import { ftruncateSync, rmSync, statSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'

/** How long after the start the reserve is written: a service that ends soon does not need it. */
const RESERVE_AFTER_MS = 30_000
/** Far more than a deletion, a pause, a block and the deletion of scans take together (docs/adr/0069). */
const RESERVE_BYTES = 32 * 2 ** 20
/** Of a small disk, the reserve is this part of it at most. */
const RESERVE_SHARE = 1 / 16
/** The disk is full when less is free than this part of the reserve, or this many bytes. */
const [FULL_SHARE, FULL_BYTES] = [1 / 8, 2 ** 20]
/** Where there is room for the reserve and no second one, the state ends after this time at the earliest, so that it does not come and go. */
const PATIENCE_MS = 30_000
/** What an urgent change leaves of the reserve to those that are more urgent. */
const LEFT: Readonly<Record<Urgency, number>> = { pause: 1 / 2, takedown: 1 / 4, operator: 0 }

const FULL =
  'the disk of DATA_DIR is full: its reserve is released, with which links can be paused, deleted and blocked; all else is refused, and visits are not counted'
const FULL_NO_MORE = 'the disk of DATA_DIR has room again: its reserve is restored'
const FULL_FAULT = 'the disk of DATA_DIR is full: links can be paused, deleted and blocked, and nothing else'
/** Written at a time: the threads of the pool serve others in between. */
const CHUNK_BYTES = 2 ** 20

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

/** What is reserved of a disk. */
function reserveOf({ size }: Space, bytes = RESERVE_BYTES): number {
  return Math.min(bytes, Math.floor(size * RESERVE_SHARE))
}

/** The disk is full when less is free. */
function leastOf(reserve: number): number {
  return Math.max(FULL_BYTES, reserve * FULL_SHARE)
}

/**
 * What is to be free for the reserve: twice of what makes a disk full is left then. It is more than the reserve gave when the disk became
 * full, so that somebody must have made room, and not so much that a small disk which has room again stays full.
 */
function neededFor(reserve: number, fullFor: number): number {
  return (fullFor < PATIENCE_MS ? 2 : 1) * reserve + 2 * leastOf(reserve)
}

/**
 * Whether the disk is full, and the reserve that is released meanwhile.
 * @param onChange called with whether it is, whenever that may have changed
 */
export function createFullState(needs: FullNeeds, onChange: (isFull: boolean) => void = () => {}) {
  const { dataDir, hasStore, log, monotonic, reserveBytes, reserveAfterMs = RESERVE_AFTER_MS } = needs
  const reserve = openReserve(join(dataDir, 'reserve'))
  let [isFull, fullSince, startedAt] = [false, 0, 0]
  const bytesOf = (space: Space) => reserveOf(space, reserveBytes)

  function begin(): void {
    if (!hasStore) return
    tryToRelease(reserve, log)
    if (!isFull) {
      fullSince = monotonic()
      log.error({}, FULL)
    }
    onChange((isFull = true))
  }

  return {
    is: () => isFull,
    fault: () => (isFull ? FULL_FAULT : undefined),
    begin,
    reserved: reserve.size,
    start(at: number): void {
      startedAt = at
      // A folder whose store was moved away.
      if (!hasStore) reserve.release()
    },
    isDue: (space: Space) => !isFull && space.free < leastOf(bytesOf(space)),
    /** @param check has the free space read again */
    isSpent(urgency: Urgency, space: Space, check: () => void): boolean {
      if (isFull) check()
      return isFull && space.free < LEFT[urgency] * bytesOf(space)
    },
    /** Ends the state, and takes the reserve again, when there is room for it: at once where there is for twice as much. */
    async restore(space: Space): Promise<void> {
      const bytes = bytesOf(space)
      const isDue = isFull || monotonic() - startedAt >= reserveAfterMs
      const fullFor = isFull ? monotonic() - fullSince : Infinity
      if (!hasStore || !isDue || space.free < neededFor(bytes, fullFor)) return
      // One whose writing was interrupted may hold more.
      if (reserve.size() !== bytes) await reserve.fill(bytes)
      if (isFull) log.warn({ free_bytes: space.free }, FULL_NO_MORE)
      onChange((isFull = false))
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

/** A file that holds space for when the disk is full. */
interface Reserve {
  /** The bytes that it holds; 0 while it is being written. */
  size: () => number
  /** Gives its space back at once. */
  release: () => void
  /**
   * Takes the space again, and only where more is free than makes the disk full: it would be released again at once.
   * @throws when there is less, or it was released meanwhile; it holds nothing then
   */
  fill: (bytes: number) => Promise<void>
}

function openReserve(file: string): Reserve {
  let releases = 0
  /** The file while it is being written. */
  let writing: FileHandle | undefined

  function release(): void {
    releases++
    // The room of an open file comes back when that is closed, which may be too late for who needs it now.
    if (writing !== undefined) ftruncateSync(writing.fd, 0)
    rmSync(file, { force: true })
  }

  return {
    size: () => (writing === undefined ? (statSync(file, { throwIfNoEntry: false })?.size ?? 0) : 0),
    release,
    async fill(bytes) {
      release()
      const before = releases
      const handle = await open(file, 'wx', 0o600)
      writing = handle
      try {
        await write(handle, bytes, () => releases === before)
      } catch (error) {
        release()
        throw error
      } finally {
        writing = undefined
        await handle.close()
      }
      if (releases !== before) throw new Error('the reserve was released')
    },
  }
}

/** Random bytes take their room also on file systems that compress, or store equal blocks once. */
async function write(handle: FileHandle, bytes: number, isWanted: () => boolean): Promise<void> {
  const most = bytes + leastOf(bytes)
  for (let written = 0; written < most;) {
    if (!isWanted()) return
    const chunk = randomFillSync(Buffer.alloc(Math.min(CHUNK_BYTES, most - written)))
    written += (await handle.write(chunk)).bytesWritten
  }
  await handle.truncate(bytes)
  await handle.datasync()
}
