import type { Database } from '../db/database.ts'
import { createLeases, LeaseLost, type AcquireLease } from '../db/lease.ts'
import type { RemovalClock } from '../db/removal-clock.ts'
import { isStoreUnavailable } from '../db/open.ts'
import { isUnavailable } from '../db/unavailable.ts'
import { deleteForGood } from './deletion.ts'
import { findOverdue, isAnyDeletedAfter, setDeletedAfter, UNDO_MS } from './deleted-store.ts'

/** How often it is looked whether the day of a deleted link is over. */
const INTERVAL_MS = 60_000
/** Links of one transaction, which changes of others wait for. */
const BATCH = 20

export interface OverdueNeeds {
  db: Database
  monotonic: () => number
  /** The time by which the day of a link is over. */
  removalTime: RemovalClock['time']
  /** The latest time that may have come. */
  latestTime: RemovalClock['latest']
  purgeScans: (linkId: number) => void
  log: { error: (details: object, text: string) => void }
}

/** Deletes links for good that nobody has brought back. */
export interface Overdue {
  /** Looks now, as it also happens each minute. */
  run: () => Promise<void>
  close: () => Promise<void>
}

/** Of all processes on the store one does the work; another goes on when that dies. Deletions give room back, so that a full disk does not end it. */
export function startOverdue(needs: OverdueNeeds): Overdue {
  const acquire = createLeases(needs.db, needs.monotonic, 'takedown')
  let isClosed = false
  const deleteAll = async () => {
    try {
      await deleteOverdue(needs, acquire, () => isClosed)
    } catch (err) {
      const isAway = err instanceof LeaseLost || isUnavailable(err) || isStoreUnavailable(err)
      if (!isAway)
        needs.log.error({ err }, 'deleted links could not be deleted for good; it is tried again in a minute')
    }
  }
  let running: Promise<void> | undefined
  const run = () => (running ??= deleteAll().finally(() => (running = undefined)))
  const timer = setInterval(() => void run(), INTERVAL_MS).unref()
  void run()
  return {
    run,
    async close() {
      isClosed = true
      clearInterval(timer)
      await running
    },
  }
}

async function bringForward(db: Database, latest: number): Promise<void> {
  if (await isAnyDeletedAfter(db.read, latest))
    await db.urgent('takedown', (transaction) => setDeletedAfter(transaction, latest))
}

async function deleteOverdue(
  { db, removalTime, latestTime, purgeScans }: OverdueNeeds,
  acquire: AcquireLease,
  isClosed: () => boolean,
): Promise<void> {
  // What was deleted while the clock was ahead would otherwise stay until that time: its day begins anew.
  const latest = await latestTime()
  if (!isClosed() && Number.isFinite(latest)) await bringForward(db, latest)
  const until = (await removalTime()) - UNDO_MS
  const next = () => findOverdue(db.read, until, BATCH)
  if (isClosed() || (await next()).length === 0) return
  const lease = await acquire('deletion of links')
  if (lease === undefined) return
  try {
    for (let links = await next(); links.length > 0 && !isClosed(); links = await next()) {
      const batch = links
      const deleted = await lease.commit(async (transaction) => {
        const ids: number[] = []
        // One that is brought back meanwhile, by a clock that is behind, stays.
        for (const link of batch) if (await deleteForGood(transaction, link)) ids.push(link.id)
        return ids
      })
      for (const id of deleted) purgeScans(id)
    }
  } finally {
    await lease.release()
  }
}
