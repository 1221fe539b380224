import { closeSync, existsSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import { StoreAway } from './sqlite-errors.ts'

/** Commits that share syncs. */
export interface Durable {
  /** Notes a commit. */
  committed: () => void
  /**
   * Resolves when every commit noted so far is on the disk: after a sync that began after them.
   * @throws {StoreAway} when a sync failed; from then on always
   */
  settled: () => Promise<void>
  /** Lets all that wait, and all that will, fail; resolves when no sync is under way. */
  end: () => Promise<void>
}

/**
 * One sync is under way at a time, and all that is committed meanwhile shares the next.
 * @param sync brings everything that was written before it is called to the disk
 * @param onFault called with the error of a sync
 */
export function createDurable(sync: () => Promise<void>, onFault: (error: unknown) => void): Durable {
  let committed = 0
  let covered = 0
  let synced = 0
  let running: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  let ended = false

  async function syncNext(before: Promise<void>): Promise<void> {
    await before
    running = next ?? running
    next = undefined
    covered = committed
    if (ended) throw new StoreAway('the store was closed before a change was on the disk')
    await sync().catch((error: unknown) => {
      ended = true
      onFault(error)
      throw new StoreAway('a change could not be brought to the disk', { cause: error })
    })
    if (ended) throw new StoreAway('the store was closed before a change was on the disk')
    synced = covered
  }

  return {
    committed: () => void committed++,
    settled() {
      if (ended) return Promise.reject(new StoreAway('the store is being opened again'))
      if (synced === committed) return Promise.resolve()
      if (covered === committed) return running
      return (next ??= syncNext(running))
    },
    async end() {
      ended = true
      await Promise.allSettled([running, next])
    },
  }
}

const CHUNK_BYTES = 1 << 20

/**
 * Writes the write-ahead log anew, byte for byte in its place, and syncs it. After a failed sync the kernel may take pages
 * for written that are not, and the next sync would say nothing of them; what is written again is dirty again. What can be
 * read of the log afterwards is on the disk. No connection may be open in this process, and none may write in another.
 */
export function rewriteLog(file: string): void {
  const log = `${file}-wal`
  if (!existsSync(log)) return
  const fd = openSync(log, 'r+')
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES)
    for (let at = 0; ;) {
      const length = readSync(fd, chunk, 0, chunk.length, at)
      if (length === 0) break
      for (let done = 0; done < length;) done += writeSync(fd, chunk, done, length - done, at + done)
      at += length
    }
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
