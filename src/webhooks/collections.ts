import type { Transaction } from '#kysely'
import type { CollectionWebhooks, HumansOf } from '../collections/webhooks.ts'
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
  endWatches,
  findFailingSince,
  findMemberIds,
  findUnwatched,
  watchDestinations,
  watchMilestones,
} from './watch-store.ts'

/** Links whose totals are read at once. */
const COUNTED_AT_ONCE = 500
/** Links that are written in one statement; the first checks of their destinations are due at the same time. */
const WATCHED_AT_ONCE = 100
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
  const failingSince = (id: string) => findFailingSince(db.read, id, now())
  return {
    enabled,
    async of(id) {
      const row = await findCollectionWebhook(db.read, id)
      return row === undefined ? null : detailsOf(row, await failingSince(id), screen)
    },
    async wantsMilestones(executor, id) {
      const row = await findCollectionWebhook(executor, id)
      return row !== undefined && eventsOf(row).includes('scans.milestone')
    },
    humansOf: (linkIds) => humansOf(deps, linkIds),
    async watch(transaction, id, humans) {
      const row = humans.size === 0 ? undefined : await findCollectionWebhook(transaction, id)
      if (row !== undefined) await watch(deps, transaction, row, humans)
    },
    unwatched: findUnwatched,
    save: (transaction, id, draft, humans) => save(deps, transaction, { id, draft, humans }),
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

/** What is saved of a collection. */
interface Saving {
  id: string
  draft: WebhookDraft | null
  humans: HumansOf
}

async function save(
  deps: CollectionWebhooksDeps,
  transaction: Transaction<Tables>,
  { id, draft, humans }: Saving,
): Promise<WebhookDetails | null> {
  const present = await findCollectionWebhook(transaction, id)
  const before = present === undefined ? [] : eventsOf(present)
  const row = draft && (await putCollectionWebhook(transaction, id, settingsOf(draft, present, deps.now())))
  if (row === null) await deleteCollectionWebhook(transaction, id)
  const members = await findMemberIds(transaction, id)
  const ended = (type: WebhookEventType) => before.includes(type) && draft?.events.includes(type) !== true
  const ending = { milestones: ended('scans.milestone'), destinations: ended('destination.failing') }
  for await (const linkIds of inSlices(members)) await endWatches(transaction, { collectionId: id, linkIds }, ending)
  if (row === null) return null
  await watch(deps, transaction, row, new Map(members.map((link) => [link, humans.get(link) ?? 0])))
  return savedDetails(row, present, await findFailingSince(transaction, id, deps.now()), deps.screen)
}

/** Has links watched for what a webhook wants, where they are not yet. */
async function watch(
  { now, random }: CollectionWebhooksDeps,
  transaction: Transaction<Tables>,
  row: CollectionWebhookRow,
  humans: HumansOf,
): Promise<void> {
  const { collection_id: collectionId } = row
  const wanted = eventsOf(row)
  for await (const linkIds of inSlices([...humans.keys()])) {
    if (wanted.includes('scans.milestone')) {
      const byMilestone = Map.groupBy(linkIds, (id) => reachedMilestone(humans.get(id) ?? 0))
      for (const [milestone, ids] of byMilestone)
        await watchMilestones(transaction, { collectionId, linkIds: ids }, { milestone, at: now() })
    }
    if (wanted.includes('destination.failing'))
      await watchDestinations(transaction, { collectionId, linkIds }, now() + Math.floor(random() * CHECK_MS))
  }
}

/** A bounded number of links at a time; visits have the event loop in between. */
async function* inSlices(linkIds: number[]): AsyncGenerator<number[]> {
  const pause = yieldEvery(SLICE_MS)
  for (let from = 0; from < linkIds.length; from += WATCHED_AT_ONCE) {
    yield linkIds.slice(from, from + WATCHED_AT_ONCE)
    await pause()
  }
}
