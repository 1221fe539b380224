import type { Database } from '../db/database.ts'
import { servedOf, type Served } from './domain.ts'
import { countStatuses, findDomain, findStatuses } from './store.ts'

/** The statuses of all registered names in memory: the check of a request's `Host` must not wait for the store. */
export interface StatusCache {
  /** What a name serves, in its canonical form; undefined when it is not registered. */
  statusOf: (name: string) => Served | undefined
  /** Whether no name is registered, so that the `Host` of requests need not be checked. */
  isEmpty: () => boolean
  /** Applies a change of this process, and announces it; undefined after a removal. */
  set: (name: string, status: Served | undefined) => void
  /** Announces a change of this process that concerns more than one name. */
  announce: (name: string) => void
  /** Loads the present statuses of these names; without any, the next refresh loads all. */
  reread: (names: string[]) => Promise<void>
  /** Loads the changes of other processes. */
  refresh: () => Promise<void>
}

/** How far the clocks of processes on one store may differ without costs: beyond, their changes only show in the counts. */
const SKEW_MS = 60_000

/** @param announce notifies other processes of a change */
export function createStatusCache(
  db: Database,
  now: () => number,
  announce: (name: string) => void = () => {},
): StatusCache {
  const statuses = createStatuses(db)
  let readAt = 0
  return {
    statusOf: statuses.get,
    isEmpty: () => statuses.size() === 0,
    set(name, status) {
      if (statuses.get(name) !== status) announce(name)
      statuses.set(name, status)
    },
    announce,
    async reread(names) {
      if (names.length === 0) readAt = Number.NEGATIVE_INFINITY
      for (const name of names) {
        const domain = await findDomain(db.read, name)
        statuses.set(name, domain && servedOf(domain))
      }
    },
    async refresh() {
      const startedAt = now()
      // The clock may have been set back.
      const rows = await statuses.read(Math.max(Math.min(readAt, startedAt) - SKEW_MS, Number.MIN_SAFE_INTEGER))
      if (rows === undefined) return
      statuses.load(rows)
      // Deletions leave no row with a change time, and another clock a wrong one; the counts reveal them.
      if (!statuses.haveCounts(await countStatuses(db.read))) {
        const all = await statuses.read(Number.MIN_SAFE_INTEGER)
        if (all === undefined) return
        statuses.clear()
        statuses.load(all)
      }
      readAt = startedAt
    },
  }
}

interface Row {
  name: string
  status: Served
}

function createStatuses(db: Database) {
  const statuses = new Map<string, Served>()
  // Counts changes, so that a read that started before one is discarded.
  let changes = 0
  return {
    get: (name: string) => statuses.get(name),
    size: () => statuses.size,
    clear: () => statuses.clear(),
    haveCounts(counts: { status: Served; count: number }[]): boolean {
      const left = new Map(counts.map(({ status, count }) => [status, count]))
      for (const status of statuses.values()) left.set(status, (left.get(status) ?? 0) - 1)
      return [...left.values()].every((count) => count === 0)
    },
    set(name: string, status: Served | undefined): void {
      changes++
      if (status === undefined) statuses.delete(name)
      else statuses.set(name, status)
    },
    /** The statuses that have changed since a time; undefined when one was set meanwhile. */
    async read(since: number): Promise<Row[] | undefined> {
      const before = changes
      const rows = await findStatuses(db.read, since)
      return changes === before ? rows : undefined
    },
    load(rows: Row[]): void {
      for (const { name, status } of rows) statuses.set(name, status)
    },
  }
}
