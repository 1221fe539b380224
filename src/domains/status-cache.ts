import type { Database } from '../db/database.ts'
import type { Status } from './domain.ts'
import { countDomains, findStatuses } from './store.ts'

/** The statuses of all registered names in memory: the check of a request's `Host` must not wait for the store. */
export interface StatusCache {
  /** The status of a name in its canonical form; undefined when it is not registered. */
  statusOf: (name: string) => Status | undefined
  /** Whether no name is registered, so that the `Host` of requests need not be checked. */
  isEmpty: () => boolean
  /** Applies a change of this process; undefined after a removal. */
  set: (name: string, status: Status | undefined) => void
  /** Loads the changes of other processes. */
  refresh: () => Promise<void>
}

/** The maximum clock skew between processes on one store, in milliseconds. */
const SKEW_MS = 60_000

export function createStatusCache(db: Database, now: () => number): StatusCache {
  const statuses = new Map<string, Status>()
  // Counts changes, so that a read that started before one is discarded.
  let changes = 0
  let readAt = 0

  async function read(since: number): Promise<{ name: string; status: Status }[] | undefined> {
    const before = changes
    const rows = await findStatuses(db.read, since)
    return changes === before ? rows : undefined
  }

  return {
    statusOf: (name) => statuses.get(name),
    isEmpty: () => statuses.size === 0,
    set(name, status) {
      changes++
      if (status === undefined) statuses.delete(name)
      else statuses.set(name, status)
    },
    async refresh() {
      const startedAt = now()
      // The clock may have been set back.
      const rows = await read(Math.min(readAt, startedAt) - SKEW_MS)
      if (rows === undefined) return
      for (const { name, status } of rows) statuses.set(name, status)
      // Deletions leave no row with a change time; the count reveals them.
      if ((await countDomains(db.read)) !== statuses.size) {
        const all = await read(Number.MIN_SAFE_INTEGER)
        if (all === undefined) return
        statuses.clear()
        for (const { name, status } of all) statuses.set(name, status)
      }
      readAt = startedAt
    },
  }
}
