import { closeSync, existsSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import { StoreUnavailable } from '../unavailable.ts'

/** Makes commits durable by syncs that they share. */
export interface Durable {
  /** Records a commit. */
  committed: () => void
  /**
   * Resolves when every commit so far is durable: after a sync that began after them.
   * @throws {StoreUnavailable} when a sync failed; from then on always
   */
  synced: () => Promise<void>
  /** Whether every commit so far is durable, also after the end. */
  isDurable: () => boolean
  /** Rejects every call of `synced`, present and future; resolves when no sync is running. */
  end: () => Promise<void>
}

/**
 * One sync runs at a time, and all commits during it share the next.
 * @param sync makes everything durable that was written before it is called
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
    if (ended) throw new StoreUnavailable('the store was closed before a change was durable')
    await sync().catch((error: unknown) => {
      ended = true
      onFault(error)
      throw new StoreUnavailable('a change could not be made durable', { cause: error })
    })
    synced = covered
    if (ended) throw new StoreUnavailable('the store was closed before a change was durable')
  }

  return {
    committed: () => void committed++,
    synced() {
      if (ended) return Promise.reject(new StoreUnavailable('the store is being reopened'))
      if (synced === committed) return Promise.resolve()
      if (covered === committed) return running
      return (next ??= syncNext(running))
    },
    isDurable: () => synced === committed,
    async end() {
      ended = true
      await Promise.allSettled([running, next])
    },
  }
}

const CHUNK_BYTES = 1 << 20

/**
 * Rewrites the write-ahead log in place, byte for byte, and syncs it. After a failed sync the kernel may mark pages as clean
 * that were not written, and the next sync would skip them; rewritten pages are dirty again. Afterwards the whole log is
 * durable. No connection may write, in this process or another; those that read find the same bytes at any moment.
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
