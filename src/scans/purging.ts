import type { Folded } from './fold.ts'

/** Links whose scans are removed together. */
const AT_ONCE = 500

/** Where it is kept which deleted links may have scans left. */
export interface PurgeStore {
  toPurge: () => Promise<number[]>
  purged: (linkIds: number[]) => Promise<void>
}

/** The removal of deleted links' scans, which goes on until it is done, also after a restart. */
export interface Purging {
  /** To be called when the deletion of a link has been committed. */
  purge: (linkId: number) => void
  /** To be called when links may have been deleted without `purge`: the next fold asks which. */
  reread: () => void
  /** Lets a fold drop the scans of deleted links, and removes those of earlier folds after it. */
  during: (fold: (gone: number[]) => Promise<Folded>) => Promise<Folded>
}

/**
 * A deleted link is forgotten once a fold has left no file that was begun after its scans were removed: what was journalled
 * before its deletion has then been dropped or removed.
 * @param purge removes the folded scans of links
 * @throws what `store` throws
 */
export async function openPurging(
  store: PurgeStore,
  purge: (linkIds: number[]) => Promise<void>,
  onError: (error: unknown) => void,
): Promise<Purging> {
  const isPurged = new Map((await store.toPurge()).map((id) => [id, false]))
  const idsThatAre = (purged: boolean) => Array.from(isPurged.keys()).filter((id) => isPurged.get(id) === purged)
  let isRunning = false
  let isStale = false

  async function purgeAll(): Promise<void> {
    if (isRunning) return
    isRunning = true
    try {
      const ids = idsThatAre(false)
      for (let at = 0; at < ids.length; at += AT_ONCE) {
        const some = ids.slice(at, at + AT_ONCE)
        await purge(some)
        for (const id of some) isPurged.set(id, true)
      }
    } catch (error) {
      onError(error)
    } finally {
      isRunning = false
    }
  }

  async function readAgain(): Promise<void> {
    if (!isStale) return
    isStale = false
    try {
      for (const id of await store.toPurge()) if (!isPurged.has(id)) isPurged.set(id, false)
    } catch (error) {
      isStale = true
      onError(error)
    }
  }

  async function forget(ids: number[]): Promise<void> {
    try {
      await store.purged(ids)
      for (const id of ids) isPurged.delete(id)
    } catch (error) {
      onError(error)
    }
  }

  return {
    purge: (linkId) => void isPurged.set(linkId, false),
    reread: () => void (isStale = true),
    async during(fold) {
      await readAgain()
      const purged = idsThatAre(true)
      try {
        const folded = await fold(Array.from(isPurged.keys()))
        if (folded.failed.length === 0 && purged.length > 0) await forget(purged)
        return folded
      } finally {
        void purgeAll()
      }
    },
  }
}
