import type { Transaction } from '#kysely'
import type { CollectionWebhooks, HumansOf } from '../collections/webhooks.ts'
import type { Executor } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import { yieldEvery } from '../lib/yield-every.ts'
import type { Totals } from '../links/link.ts'
import type { WebhookDetails, WebhookDraft, WebhookEventType } from '../links/webhook.ts'
import { CHECK_MS, type ChangesDeps } from './changes.ts'
import {
  deleteCollectionWebhook,
  findCollectionWebhook,
  putCollectionWebhook,
  type CollectionWebhookRow,
} from './collection-store.ts'
import { reachedMilestone } from './milestones.ts'
import { detailsOf, eventsOf, savedDetails, settingsOf } from './settings.ts'
import {
  beginWatches,
  endWatches,
  findFailingSince,
  findMembers,
  watchDestinations,
  watchMilestones,
  type WatchedFor,
  type WatchedMember,
} from './watch-store.ts'

/** Links whose totals are read at once. */
const COUNTED_AT_ONCE = 500
/** Links that are written in one statement; the first checks of their destinations are due at the same time. */
const WATCHED_AT_ONCE = 100
/** The same, where only a time is written. */
const BEGUN_AT_ONCE = 1000
/** How long other requests may wait while the links of a collection are written, in milliseconds. */
const SLICE_MS = 5

interface CollectionWebhooksDeps extends Omit<ChangesDeps, 'totals' | 'outbox'> {
  totals: (linkId: number) => Promise<Totals>
  /** The same once earlier visits are counted. */
  latestTotals: (linkId: number) => Promise<Totals>
}

/** The webhooks of collections, for the changes of collections. */
export function createCollectionWebhooks(deps: CollectionWebhooksDeps): CollectionWebhooks {
  const { db, now, enabled, screen } = deps
  return {
    enabled,
    async of(id) {
      const row = await findCollectionWebhook(db.read, id)
      return row === undefined ? null : detailsOf(row, await failingSince(deps, db.read, row), screen)
    },
    async wantsMilestones(executor, id) {
      const row = await findCollectionWebhook(executor, id)
      return row !== undefined && eventsOf(row).includes('scans.milestone')
    },
    humansOf: (linkIds) => humansOf(deps, linkIds),
    async watch(transaction, id, humans) {
      const row = humans.size === 0 ? undefined : await findCollectionWebhook(transaction, id)
      if (row !== undefined) await watch(deps, transaction, { id, events: eventsOf(row), since: now() }, humans)
    },
    unprepared: findUnprepared,
    prepare: (transaction, id, draft, humans) => prepare(deps, transaction, id, draft, humans),
    save: (transaction, id, draft) => save(deps, transaction, id, draft),
    idle: findIdle,
    endIdle,
    delete: deleteCollectionWebhook,
  }
}

async function humansOf(
  { totals, latestTotals }: CollectionWebhooksDeps,
  linkIds: readonly number[],
): Promise<HumansOf> {
  const humans = new Map<number, number>()
  for (let from = 0; from < linkIds.length; from += COUNTED_AT_ONCE) {
    const page = linkIds.slice(from, from + COUNTED_AT_ONCE)
    // The first waits until earlier visits are counted: then those of all others are as well.
    const [first] = from === 0 ? page : []
    if (first !== undefined) humans.set(first, (await latestTotals(first)).humans)
    const counted = await Promise.all(page.map(totals))
    for (const [at, id] of page.entries()) humans.set(id, counted[at]?.humans ?? 0)
  }
  return humans
}

/** What a webhook has links watched for; of none, nothing. */
function watchedFor(events: readonly WebhookEventType[]): WatchedFor {
  return { milestones: events.includes('scans.milestone'), destinations: events.includes('destination.failing') }
}

const presentEvents = (row: CollectionWebhookRow | undefined) => (row === undefined ? [] : eventsOf(row))

/** What is wanted of links and was not before: what is left of an earlier time does not count. */
function newlyWanted(draft: WebhookDraft, row: CollectionWebhookRow | undefined): WatchedFor {
  const [wanted, before] = [watchedFor(draft.events), watchedFor(presentEvents(row))]
  return {
    milestones: wanted.milestones && !before.milestones,
    destinations: wanted.destinations && !before.destinations,
  }
}

async function findUnprepared(
  executor: Executor,
  id: string,
  draft: WebhookDraft,
  prepared: ReadonlySet<number>,
): Promise<number[]> {
  const wanted = watchedFor(draft.events)
  if (!wanted.milestones && !wanted.destinations) return []
  const anew = newlyWanted(draft, await findCollectionWebhook(executor, id))
  const isReady = ({ linkId, milestones, destinations }: WatchedMember) =>
    (prepared.has(linkId) || (!anew.milestones && !anew.destinations)) &&
    (milestones || !wanted.milestones) &&
    (destinations || !wanted.destinations)
  return (await findMembers(executor, id)).filter((member) => !isReady(member)).map(({ linkId }) => linkId)
}

async function prepare(
  deps: CollectionWebhooksDeps,
  transaction: Transaction<Tables>,
  id: string,
  draft: WebhookDraft,
  humans: HumansOf,
): Promise<void> {
  const anew = newlyWanted(draft, await findCollectionWebhook(transaction, id))
  await endWatches(transaction, { collectionId: id, linkIds: [...humans.keys()] }, anew)
  await watch(deps, transaction, { id, events: draft.events, since: null }, humans)
}

async function save(
  deps: CollectionWebhooksDeps,
  transaction: Transaction<Tables>,
  id: string,
  draft: WebhookDraft | null,
): Promise<WebhookDetails | null> {
  if (draft === null) {
    await deleteCollectionWebhook(transaction, id)
    return null
  }
  const present = await findCollectionWebhook(transaction, id)
  const row = await putCollectionWebhook(transaction, id, settingsOf(draft, present, deps.now()))
  if (watchedFor(draft.events).milestones) {
    const linkIds = (await findMembers(transaction, id)).map((member) => member.linkId)
    for await (const some of inSlices(linkIds, BEGUN_AT_ONCE))
      await beginWatches(transaction, { collectionId: id, linkIds: some }, deps.now())
  }
  return savedDetails(row, present, await failingSince(deps, transaction, row), deps.screen)
}

/** Since when a destination fails that the webhook wants to know of. */
async function failingSince({ now }: CollectionWebhooksDeps, executor: Executor, row: CollectionWebhookRow) {
  return watchedFor(eventsOf(row)).destinations ? findFailingSince(executor, row.collection_id, now()) : null
}

async function findIdle(executor: Executor, id: string): Promise<number[]> {
  const wanted = watchedFor(presentEvents(await findCollectionWebhook(executor, id)))
  const isIdle = ({ milestones, destinations }: WatchedMember) =>
    (milestones && !wanted.milestones) || (destinations && !wanted.destinations)
  return (await findMembers(executor, id)).filter(isIdle).map(({ linkId }) => linkId)
}

async function endIdle(transaction: Transaction<Tables>, id: string, linkIds: number[]): Promise<void> {
  const wanted = watchedFor(presentEvents(await findCollectionWebhook(transaction, id)))
  const unwanted = { milestones: !wanted.milestones, destinations: !wanted.destinations }
  await endWatches(transaction, { collectionId: id, linkIds }, unwanted)
}

/** What links are watched for in a collection. */
interface Watching {
  id: string
  events: readonly WebhookEventType[]
  /** Null until the webhook is saved. */
  since: number | null
}

/** Has links watched for what a webhook wants, where they are not yet. */
async function watch(
  { now, random }: CollectionWebhooksDeps,
  transaction: Transaction<Tables>,
  { id: collectionId, events, since }: Watching,
  humans: HumansOf,
): Promise<void> {
  const { milestones, destinations } = watchedFor(events)
  for await (const linkIds of inSlices([...humans.keys()], WATCHED_AT_ONCE)) {
    if (milestones) {
      const byMilestone = Map.groupBy(linkIds, (id) => reachedMilestone(humans.get(id) ?? 0))
      for (const [milestone, ids] of byMilestone)
        await watchMilestones(transaction, { collectionId, linkIds: ids }, { milestone, at: since })
    }
    if (destinations)
      await watchDestinations(transaction, { collectionId, linkIds }, now() + Math.floor(random() * CHECK_MS))
  }
}

/** A bounded number of links at a time; visits have the event loop in between. */
async function* inSlices(linkIds: number[], size: number): AsyncGenerator<number[]> {
  const pause = yieldEvery(SLICE_MS)
  for (let from = 0; from < linkIds.length; from += size) {
    yield linkIds.slice(from, from + size)
    await pause()
  }
}
