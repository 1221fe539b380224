import type { Database } from '../db/database.ts'
import type { Status } from './domain.ts'
import { countDomains, findStatuses } from './store.ts'

/** Every registered name with its status, in memory: requests ask for their `Host` and must not wait for the store. */
export interface KnownDomains {
  /** The status of a name in its one form; undefined when it is not registered. */
  statusOf: (name: string) => Status | undefined
  /** Whether no name is registered, so that no request need be asked for its host. */
  isEmpty: () => boolean
  /** To be called with what this process has written; undefined when the name is gone. */
  note: (name: string, status: Status | undefined) => void
  /** Reads what other processes have written. */
  refresh: () => Promise<void>
}

/** How much the clocks of processes on one store may differ, in milliseconds. */
const SKEW_MS = 60_000

export function createKnownDomains(db: Database, now: () => number): KnownDomains {
  const known = new Map<string, Status>()
  // Counts what was noted, so that a read that it overtook is thrown away.
  let changes = 0
  let readAt = 0

  async function read(since: number): Promise<{ name: string; status: Status }[] | undefined> {
    const before = changes
    const rows = await findStatuses(db.read, since)
    return changes === before ? rows : undefined
  }

  return {
    statusOf: (name) => known.get(name),
    isEmpty: () => known.size === 0,
    note(name, status) {
      changes++
      if (status === undefined) known.delete(name)
      else known.set(name, status)
    },
    async refresh() {
      const startedAt = now()
      // The clock may have been set back since.
      const rows = await read(Math.min(readAt, startedAt) - SKEW_MS)
      if (rows === undefined) return
      for (const { name, status } of rows) known.set(name, status)
      // Deletions leave nothing to read; they show in the count.
      if ((await countDomains(db.read)) !== known.size) {
        const all = await read(Number.MIN_SAFE_INTEGER)
        if (all === undefined) return
        known.clear()
        for (const { name, status } of all) known.set(name, status)
      }
      readAt = startedAt
    },
  }
}
