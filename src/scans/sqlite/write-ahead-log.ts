import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { readFree } from '../../disk/space.ts'

/** A longer log is written back before the next transaction, which may take as much again: it changes pages of many links. */
const MOST_BYTES = 64 << 20
/** So is one that has a larger part of what is free: on a full disk it would keep the room that the reserve needs to be written again. */
const MOST_OF_FREE = 1 / 4
/** How long that waits for who reads. What is counted one by one has the thread to itself meanwhile: some millions of scans. */
const PATIENCE_MS = 5000

export interface WriteAheadLog {
  /**
   * To be awaited before a transaction that writes: writes a long log back, and gives its room to the disk.
   * @param most the bytes that it may have, in place of the usual ones
   */
  shorten: (most?: number) => Promise<void>
  /**
   * Runs what reads in a transaction, one at a time.
   * @param giveWay ends it, because the log is long and waits for it
   */
  reading: <T>(work: () => Promise<T>, giveWay: () => void) => Promise<T>
}

interface Reading {
  /** Resolves when it has ended, whatever its result. */
  ended: Promise<void>
  giveWay: () => void
}

/**
 * SQLite begins its log anew only at a moment in which nobody reads what is in it, and leaves the file as long as it was. So statistics
 * that took long, one after the other, let it grow by everything that was folded: 20 MB a second, until the disk was full.
 * @param file the database, which is open as `db`
 */
export function openWriteAheadLog(
  db: DatabaseSync,
  file: string,
  { mostBytes = MOST_BYTES, patienceMs = PATIENCE_MS, free = readFree } = {},
): WriteAheadLog {
  let current: Reading | undefined

  return {
    async shorten(most = Math.min(mostBytes, free(file) * MOST_OF_FREE)) {
      if (sizeOf(`${file}-wal`) <= most) return
      if (current !== undefined) await endOf(current, patienceMs)
      writeBack(db)
    },
    async reading(work, giveWay) {
      const { promise: ended, resolve: end } = Promise.withResolvers<void>()
      const own = (current = { ended, giveWay })
      try {
        return await work()
      } finally {
        if (current === own) current = undefined
        end()
      }
    },
  }
}

function sizeOf(log: string): number {
  return statSync(log, { throwIfNoEntry: false })?.size ?? 0
}

/** Resolves when a reading has ended, which it is told to do after a while. */
async function endOf({ ended, giveWay }: Reading, patienceMs: number): Promise<void> {
  const timer = setTimeout(giveWay, patienceMs)
  await ended
  clearTimeout(timer)
}

function writeBack(db: DatabaseSync): void {
  try {
    db.exec('pragma wal_checkpoint(truncate)')
  } catch {
    // The disk has no room, for example: the transaction that follows reports it. While another process reads, a backup for example, the log stays, too.
  }
}
