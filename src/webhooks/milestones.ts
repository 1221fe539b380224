import type { Database } from '../db/database.ts'
import type { Totals } from '../links/link.ts'
import { linkOfId } from '../links/look-up.ts'
import { createEvent } from './event.ts'
import type { Outbox } from './outbox.ts'
import { advanceMilestone, findMilestones, findWebhook, type MilestoneRow } from './store.ts'

/** Links whose totals are read at the same time. */
const PAGE = 500
/** The maximum clock skew between processes on one store, in milliseconds. */
const SKEW_MS = 60_000

/** The highest milestone (10, 100, 1,000, …) up to a number of scans; 0 when there is none. */
export function reachedMilestone(scans: number): number {
  let reached = 0
  while (scans >= nextMilestone(reached)) reached = nextMilestone(reached)
  return reached
}

export function nextMilestone(last: number): number {
  return last === 0 ? 10 : last * 10
}

export interface Milestones {
  /** To be called after each fold with the links whose scans it moved, or undefined for any. */
  onFold: (changed: number[] | undefined) => void
  /** Loads the webhooks that were set since the last call. */
  load: () => Promise<void>
  /** Queues the events of the milestones that were reached. */
  check: () => Promise<void>
}

interface MilestonesDeps {
  db: Database
  now: () => number
  outbox: Outbox
  totals: (linkId: number) => Promise<Totals>
  /** Ends long work; the next start resumes it. */
  stopping: AbortSignal
}

/**
 * Finds links that reach a milestone. The last milestone of each webhook is in memory, so that a fold costs a look-up per
 * changed link, and a statement only for a milestone. Each is sent once: the last one is stored with its event.
 */
export function createMilestones(deps: MilestonesDeps): Milestones {
  const lastOf = new Map<number, number>()
  const pending = new Set<number>()
  const load = createLoader(deps, ({ linkId, milestone }) => {
    if (!lastOf.has(linkId)) pending.add(linkId)
    lastOf.set(linkId, milestone)
  })

  async function checkLink(linkId: number): Promise<void> {
    const last = lastOf.get(linkId)
    const now = last === undefined ? undefined : await advance(deps, linkId, last)
    if (now === undefined) lastOf.delete(linkId)
    else lastOf.set(linkId, now)
  }

  return {
    onFold(changed) {
      for (const linkId of changed ?? lastOf.keys()) if (lastOf.has(linkId)) pending.add(linkId)
    },
    load,
    async check() {
      while (pending.size > 0 && !deps.stopping.aborted) {
        const page = [...pending].slice(0, PAGE)
        // Before the totals are read: a fold in the meantime adds a link again.
        for (const linkId of page) pending.delete(linkId)
        try {
          await Promise.all(page.map(checkLink))
        } catch (error) {
          for (const linkId of page) pending.add(linkId)
          throw error
        }
      }
    },
  }
}

/** Loads the webhooks that want milestones: first all, then those that were set since, by this process or another. */
function createLoader({ db, now, stopping }: MilestonesDeps, onRow: (row: MilestoneRow) => void): () => Promise<void> {
  let readAt = Number.MIN_SAFE_INTEGER
  return async () => {
    const startedAt = now()
    let last = { updatedAt: Math.min(readAt, startedAt) - SKEW_MS, linkId: -1 }
    for (let rows: MilestoneRow[] | undefined; rows === undefined || rows.length === PAGE;) {
      rows = await findMilestones(db.read, last, PAGE)
      rows.forEach(onRow)
      last = rows.at(-1) ?? last
      if (stopping.aborted) return
    }
    readAt = startedAt
  }
}

/**
 * Queues the events of the milestones that a link has reached after its last one.
 * @returns the last milestone now; undefined when the webhook is gone, or wants none
 */
async function advance(deps: MilestonesDeps, linkId: number, last: number): Promise<number | undefined> {
  const reached = reachedMilestone((await deps.totals(linkId)).humans)
  let known = last
  while (reached > known) {
    if (await queueReached(deps, linkId, known, reached)) return reached
    // It was removed or set again, or another process was first, which may have counted fewer scans.
    const stored = (await findWebhook(deps.db.read, linkId))?.milestone ?? undefined
    if (stored === undefined || stored <= known) return stored
    known = stored
  }
  return known
}

/** @returns whether `last` was the last milestone, so that the events were queued */
async function queueReached(deps: MilestonesDeps, linkId: number, last: number, reached: number): Promise<boolean> {
  const { db, now, outbox } = deps
  const code = (await linkOfId({ db }, linkId))?.code
  return db.transaction(async (transaction) => {
    if (!(await advanceMilestone(transaction, linkId, last, reached))) return false
    for (let milestone = nextMilestone(last); milestone <= reached; milestone = nextMilestone(milestone)) {
      await outbox.add(transaction, linkId, createEvent('scans.milestone', now(), { code, milestone }))
    }
    return true
  })
}
