import { setTimeout as sleep } from 'node:timers/promises'
import type { Transaction } from '#kysely'
import type { Database } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import type { Totals } from '../links/link.ts'
import { linkOfId } from '../links/look-up.ts'
import { LOCKED_MS } from './delivery.ts'
import { createEvent } from './event.ts'
import type { Outbox } from './outbox.ts'
import { isLocked, setAt } from './outbox-store.ts'
import type { WebhookOwner } from './owner.ts'
import { eventsOf } from './settings.ts'
import { createStoreTurns, type InStoreTurn } from './store-turns.ts'
import { advanceMilestone, findMilestones, findWebhook } from './store.ts'
import { advanceWatch, findWatchedMilestones, findWatches, isWatchLocked, type MilestoneRow } from './watch-store.ts'

/** Links whose totals are read at the same time. */
const PAGE = 500
/** Who shares turns at the store: the links whose webhooks a change has locked, all together. */
const LOCKED = 'locked'
/** Each time that a link is found locked, it is left alone for twice as long, up to this, */
const MAX_LOCKED_MS = 8 * LOCKED_MS
/** and for at least so long for each that is: hundreds would else be looked at without a break. */
const LOCKED_EACH_MS = 5
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
  /**
   * Begins to queue the events of the milestones that were reached.
   * @throws what one of them has failed with since the last call: that is tried again at the next one, and ends none of the others
   */
  check: () => Promise<void>
  /** Resolves when none is being queued. */
  ended: () => Promise<void>
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
  const watched = new Map<number, Watched>()
  const pending = new Set<number>()
  const storing = createStoring()
  const order = { inStoreTurn: createStoreTurns(), pauseLocked: createLockedPause(deps.stopping) }
  const onRow = ({ linkId, milestone, updatedAt }: MilestoneRow) => {
    const { last } = watched.get(linkId) ?? {}
    if (last === undefined || milestone < last) pending.add(linkId)
    // Of several webhooks that want those of a link, the one that was told least decides when to look.
    watched.set(linkId, { last: Math.min(milestone, last ?? milestone), share: setAt(updatedAt) })
  }
  const loadOwn = createLoader(deps, findMilestones, onRow)
  const loadWatched = createLoader(deps, findWatchedMilestones, onRow)

  async function look(linkId: number): Promise<void> {
    const before = watched.get(linkId)
    if (before === undefined) return
    const reached = reachedMilestone((await deps.totals(linkId)).humans)
    if (reached > before.last) storing.start(linkId, () => store(linkId, before, reached))
  }

  async function store(linkId: number, { share }: Watched, reached: number): Promise<void> {
    const last = await advanceInTurn(deps, order, { linkId, share, reached })
    const present = watched.get(linkId)
    if (last === undefined) watched.delete(linkId)
    else if (last !== LOCKED && present !== undefined) watched.set(linkId, { ...present, last })
  }

  return {
    onFold(changed) {
      for (const linkId of changed ?? watched.keys()) if (watched.has(linkId)) pending.add(linkId)
    },
    async load() {
      await loadOwn()
      await loadWatched()
    },
    async check() {
      for (const linkId of storing.takeFailed()) pending.add(linkId)
      await lookAtAll(deps, pending, storing.has, look)
      storing.throwFailure()
    },
    ended: storing.ended,
  }
}

/** Looks at the links that are pending, page by page, except for those that are being stored. */
async function lookAtAll(
  { stopping }: MilestonesDeps,
  pending: Set<number>,
  isStoring: (linkId: number) => boolean,
  look: (linkId: number) => Promise<void>,
): Promise<void> {
  while (!stopping.aborted) {
    const page = [...pending].filter((linkId) => !isStoring(linkId)).slice(0, PAGE)
    if (page.length === 0) return
    // Before the totals are read: a fold in the meantime adds a link again.
    for (const linkId of page) pending.delete(linkId)
    try {
      await Promise.all(page.map(look))
    } catch (error) {
      for (const linkId of page) pending.add(linkId)
      throw error
    }
  }
}

/** A link for which milestones are wanted. */
interface Watched {
  last: number
  /** With which others it shares the turns at the store. */
  share: string
}

/** The links whose milestones are being stored. */
function createStoring() {
  const running = new Map<number, Promise<void>>()
  const failed = new Set<number>()
  let failure: { error: unknown } | undefined
  return {
    has: (linkId: number) => running.has(linkId),
    start(linkId: number, store: () => Promise<void>): void {
      const done = store()
        .catch((error: unknown) => {
          failed.add(linkId)
          failure ??= { error }
        })
        .finally(() => running.delete(linkId))
      running.set(linkId, done)
    },
    takeFailed(): number[] {
      const all = [...failed]
      failed.clear()
      return all
    },
    throwFailure(): void {
      const thrown = failure
      failure = undefined
      if (thrown !== undefined) throw thrown.error
    },
    ended: async () => void (await Promise.all(running.values())),
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

/** Leaves links alone that are locked, each for at least as long as all of them take to look at. */
function createLockedPause(stopping: AbortSignal): (ms: number) => Promise<void> {
  let locked = 0
  return async (ms) => {
    locked++
    await sleep(Math.max(ms, locked * LOCKED_EACH_MS), undefined, { signal: stopping }).catch(() => {})
    locked--
  }
}

/** How links are stored one after the other. */
interface StoreOrder {
  inStoreTurn: InStoreTurn
  pauseLocked: (ms: number) => Promise<void>
}

/**
 * Calls `advance` in turns until nothing is locked. What is locked waits alone, and for so long no other link for its turn.
 * @returns `LOCKED` when the program stops before
 */
async function advanceInTurn(
  deps: MilestonesDeps,
  { inStoreTurn, pauseLocked }: StoreOrder,
  { linkId, share, reached }: { linkId: number; share: string; reached: number },
): Promise<number | typeof LOCKED | undefined> {
  let turnOf = share
  for (let ms = LOCKED_MS; !deps.stopping.aborted; ms = Math.min(2 * ms, MAX_LOCKED_MS)) {
    const last = await inStoreTurn(turnOf, () => advance(deps, linkId, reached))
    if (last !== LOCKED) return last
    turnOf = LOCKED
    await pauseLocked(ms)
  }
  return LOCKED
}

/**
 * Queues the events of the milestones that a link has reached after the last ones, for each webhook that nobody has locked.
 * @returns the last milestone now, the lowest of several; undefined when nobody wants any; `LOCKED` when some are to be tried again
 */
async function advance(
  deps: MilestonesDeps,
  linkId: number,
  reached: number,
): Promise<number | typeof LOCKED | undefined> {
  for (;;) {
    const all = await findWanting(deps, linkId)
    const behind = all.filter((wanting) => wanting.last < reached)
    if (behind.length === 0) return all.length === 0 ? undefined : Math.min(...all.map((wanting) => wanting.last))
    // Where one was removed or set again, or another process was first, which may have counted fewer scans, it is read anew.
    let isAnyLocked = false
    for (const wanting of behind) isAnyLocked = !(await queueReached(deps, linkId, wanting, reached)) || isAnyLocked
    if (isAnyLocked || deps.stopping.aborted) return LOCKED
  }
}

/** Queues the events of one webhook, unless the last milestone is another by now. @returns false when another change has it locked */
async function queueReached(
  deps: MilestonesDeps,
  linkId: number,
  { owner, last }: Wanting,
  reached: number,
): Promise<boolean> {
  const { db, now, outbox } = deps
  const code = (await linkOfId({ db }, linkId))?.code
  return db.transaction(async (transaction) => {
    const watch = owner.kind === 'link' ? undefined : { collectionId: owner.id, linkId }
    // A change of hundreds of links has their webhooks locked for seconds.
    if (await isOwnerLocked(deps, transaction, linkId, watch)) return false
    const isFirst =
      watch === undefined
        ? await advanceMilestone(transaction, linkId, last, reached)
        : await advanceWatch(transaction, watch, last, reached)
    if (!isFirst) return true
    for (let milestone = nextMilestone(last); milestone <= reached; milestone = nextMilestone(milestone)) {
      const event = createEvent('scans.milestone', now(), { code, milestone })
      if (watch === undefined) await outbox.add(transaction, linkId, event)
      else await outbox.addToCollections(transaction, linkId, [watch.collectionId], event)
    }
    return true
  })
}

function isOwnerLocked(
  { db }: MilestonesDeps,
  transaction: Transaction<Tables>,
  linkId: number,
  watch: { collectionId: string; linkId: number } | undefined,
): Promise<boolean> {
  return watch === undefined
    ? isLocked(transaction, db.unlocked, { kind: 'link', id: linkId })
    : isWatchLocked(transaction, db.unlocked, watch)
}
