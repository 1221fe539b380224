import type { FoldResult } from './folding/fold.ts'

/** Links that are purged in one call. */
const BATCH = 500

/** Stores which deleted links may still have scans. */
export interface PurgeStore {
  toPurge: () => Promise<number[]>
  purged: (linkIds: number[]) => Promise<void>
}

/** Removes the folded scans of links. */
type PurgeScans = (linkIds: number[]) => Promise<void>

/** Removes the scans of deleted links; retries until nothing is left, also after a restart. */
export interface Purger {
  /** Removes all scans of a link soon, journalled ones included; to be called when its deletion has been committed. */
  purge: (linkId: number) => void
  /** To be called when links may have been deleted without `purge`: the next fold reads the store again. */
  reread: () => void
  /** Runs a fold that drops the scans of deleted links; afterwards removes their scans of earlier folds. */
  during: (fold: (deletedLinks: number[]) => Promise<FoldResult>) => Promise<FoldResult>
}

/**
 * A deleted link is done once a fold that started after the removal of its scans has left no file: by then everything
 * that was journalled before the deletion has been dropped or removed.
 * @throws what `store` throws
 */
export async function openPurger(
  store: PurgeStore,
  purge: PurgeScans,
  onError: (error: unknown) => void,
): Promise<Purger> {
  const deletions = createDeletions(await store.toPurge(), purge)
  let isStale = false

  async function rereadIfStale(): Promise<void> {
    if (!isStale) return
    isStale = false
    try {
      deletions.add(await store.toPurge())
    } catch (error) {
      isStale = true
      onError(error)
    }
  }

  async function complete(linkIds: number[]): Promise<void> {
    await store.purged(linkIds)
    deletions.remove(linkIds)
  }

  return {
    purge: deletions.restart,
    reread: () => void (isStale = true),
    async during(fold) {
      await rereadIfStale()
      const purged = deletions.purged()
      try {
        const result = await fold(deletions.all())
        if (result.failed.length === 0 && purged.length > 0) await complete(purged).catch(onError)
        return result
      } finally {
        void deletions.purgeAll().catch(onError)
      }
    },
  }
}

/** The deleted links, each with whether its folded scans have been removed. */
function createDeletions(linkIds: number[], purge: PurgeScans) {
  const isPurged = new Map(linkIds.map((id) => [id, false]))
  const idsWith = (purged: boolean) => Array.from(isPurged.keys()).filter((id) => isPurged.get(id) === purged)
  let isRunning = false

  return {
    all: () => Array.from(isPurged.keys()),
    purged: () => idsWith(true),
    /** Adds links that are not known yet. */
    add(linkIds: number[]): void {
      for (const id of linkIds) if (!isPurged.has(id)) isPurged.set(id, false)
    },
    /** Adds a link, or purges a known one again. */
    restart: (linkId: number): void => void isPurged.set(linkId, false),
    remove(linkIds: number[]): void {
      for (const id of linkIds) isPurged.delete(id)
    },
    /** Purges all links that are not purged yet, unless a call is running. */
    async purgeAll(): Promise<void> {
      if (isRunning) return
      isRunning = true
      try {
        const ids = idsWith(false)
        for (let at = 0; at < ids.length; at += BATCH) {
          const batch = ids.slice(at, at + BATCH)
          await purge(batch)
          for (const id of batch) isPurged.set(id, true)
        }
      } finally {
        isRunning = false
      }
    },
  }
}
