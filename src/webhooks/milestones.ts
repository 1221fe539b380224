import type { Database } from '../db/database.ts'
import type { Totals } from '../links/link.ts'
import { createInTurn, type InTurn } from '../lib/in-turn.ts'
import { linkOfId } from '../links/look-up.ts'
import { createEvent } from './event.ts'
import type { Outbox } from './outbox.ts'
import type { WebhookOwner } from './owner.ts'
import { eventsOf } from './settings.ts'
import { advanceMilestone, findMilestones, findWebhook } from './store.ts'
import { advanceWatch, findWatchedMilestones, findWatches, type MilestoneRow } from './watch-store.ts'

/** Links whose totals are read at the same time. */
const PAGE = 500
/** Links whose milestones are stored at the same time: changes of others need connections to the store. */
const STORED_AT_ONCE = 4
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
 * Finds links that reach a milestone. The last milestone that was told of each is in memory, so that a fold costs a look-up per
 * changed link, and a statement only for a milestone. Each is sent once: the last one is stored with its event.
 */
export function createMilestones(deps: MilestonesDeps): Milestones {
  const lastOf = new Map<number, number>()
  const pending = new Set<number>()
  const inTurn = createInTurn()
  const onRow = ({ linkId, milestone }: MilestoneRow) => {
    const last = lastOf.get(linkId)
    if (last === undefined || milestone < last) pending.add(linkId)
    // Of several webhooks that want those of a link, the one that was told least decides when to look.
    lastOf.set(linkId, Math.min(milestone, last ?? milestone))
  }
  const loadOwn = createLoader(deps, findMilestones, onRow)
  const loadWatched = createLoader(deps, findWatchedMilestones, onRow)

  async function checkLink(linkId: number): Promise<void> {
    const last = lastOf.get(linkId)
    const now = last === undefined ? undefined : await advance(deps, inTurn, linkId, last)
    if (now === undefined) lastOf.delete(linkId)
    else lastOf.set(linkId, now)
  }

  return {
    onFold(changed) {
      for (const linkId of changed ?? lastOf.keys()) if (lastOf.has(linkId)) pending.add(linkId)
    },
    async load() {
      await loadOwn()
      await loadWatched()
    },
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

/** Loads those who want milestones: first all, then those who came since, by this process or another. */
function createLoader(
  { db, now, stopping }: MilestonesDeps,
  find: typeof findMilestones,
  onRow: (row: MilestoneRow) => void,
): () => Promise<void> {
  let readAt = Number.MIN_SAFE_INTEGER
  return async () => {
    const startedAt = now()
    let last = { updatedAt: Math.min(readAt, startedAt) - SKEW_MS, linkId: -1 }
    for (let rows: MilestoneRow[] | undefined; rows === undefined || rows.length === PAGE;) {
      rows = await find(db.read, last, PAGE)
      rows.forEach(onRow)
      last = rows.at(-1) ?? last
      if (stopping.aborted) return
    }
    readAt = startedAt
  }
}

/** Who wants the milestones of a link, with the last one that was told. */
interface Wanting {
  owner: WebhookOwner
  last: number
}

async function findWanting({ db, now }: MilestonesDeps, linkId: number): Promise<Wanting[]> {
  const own = await findWebhook(db.read, linkId)
  const wanting = (owner: WebhookOwner, last: number | null): Wanting[] => (last === null ? [] : [{ owner, last }])
  const watches = await findWatches(db.read, linkId, now())
  return [
    ...wanting({ kind: 'link', id: linkId }, own?.milestone ?? null),
    ...watches
      .filter((watch) => eventsOf(watch).includes('scans.milestone'))
      .flatMap(({ collectionId: id, milestone }) => wanting({ kind: 'collection', id }, milestone)),
  ]
}

/**
 * Queues the events of the milestones that a link has reached after the last ones.
 * @returns the last milestone now, the lowest of several; undefined when nobody wants any
 */
async function advance(
  deps: MilestonesDeps,
  inTurn: InTurn,
  linkId: number,
  last: number,
): Promise<number | undefined> {
  const reached = reachedMilestone((await deps.totals(linkId)).humans)
  if (reached <= last) return last
  return inTurn(linkId % STORED_AT_ONCE, async () => {
    while (!deps.stopping.aborted) {
      const all = await findWanting(deps, linkId)
      const behind = all.filter((wanting) => wanting.last < reached)
      if (behind.length === 0) return all.length === 0 ? undefined : Math.min(...all.map((wanting) => wanting.last))
      // Where one was removed or set again, or another process was first, which may have counted fewer scans, it is read anew.
      for (const wanting of behind) await queueReached(deps, linkId, wanting, reached)
    }
    return last
  })
}

/** Queues the events of one webhook, unless the last milestone is another by now. */
async function queueReached(
  { db, now, outbox }: MilestonesDeps,
  linkId: number,
  { owner, last }: Wanting,
  reached: number,
): Promise<void> {
  const code = (await linkOfId({ db }, linkId))?.code
  await db.transaction(async (transaction) => {
    const isFirst =
      owner.kind === 'link'
        ? await advanceMilestone(transaction, linkId, last, reached)
        : await advanceWatch(transaction, { collectionId: owner.id, linkId }, last, reached)
    if (!isFirst) return
    for (let milestone = nextMilestone(last); milestone <= reached; milestone = nextMilestone(milestone)) {
      const event = createEvent('scans.milestone', now(), { code, milestone })
      if (owner.kind === 'link') await outbox.add(transaction, linkId, event)
      else await outbox.addToCollections(transaction, linkId, [owner.id], event)
    }
  })
}
