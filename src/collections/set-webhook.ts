import type { Transaction } from '#kysely'
import type { Database } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import { Problem } from '../http/problem.ts'
import { chargeAll, chargesRoom, refundFailed } from '../lib/charged.ts'
import { createTurns } from '../lib/turns.ts'
import type { Client } from '../links/client.ts'
import { isPresentWebhook, type WebhookDetails, type WebhookDraft } from '../links/webhook.ts'
import { lockOpen } from './collecting.ts'
import type { CollectionWebhooks } from './webhooks.ts'

interface WebhookDeps {
  db: Database
  webhooks: CollectionWebhooks
}

/** Of 10,000 links it takes a hundred transactions: one of a network is set at a time, and one of another besides. Networks take turns. */
const SET_AT_ONCE = 1
const MAX_WAITING = 64
const RETRY_SECONDS = 10
/** Links that are watched in one transaction. */
const PREPARED_AT_ONCE = 100

/** What sets the webhook of a collection, by its id. */
export type SetWebhook = (
  collectionId: string,
  draft: WebhookDraft | null,
  client: Pick<Client, 'charge' | 'chargeRoom' | 'holder'>,
) => Promise<WebhookDetails | null>

/** Creates a function that sets webhooks as `setWebhook` does, a few at a time. @throws {Problem} also 503 when too many wait */
export function createSetWebhook(deps: WebhookDeps): SetWebhook {
  const bounds = { waiting: MAX_WAITING, concurrent: SET_AT_ONCE, hasPlacesForOthers: true }
  const turns = createTurns(bounds, () => {
    const headers = { 'retry-after': String(RETRY_SECONDS) }
    return new Problem('unavailable', 'too many webhooks are being set, try again in a moment', { headers })
  })
  return (collectionId, draft, client) =>
    turns.run({ holder: { ...client.holder, about: collectionId } }, () =>
      setWebhook(deps, collectionId, draft, client),
    )
}

/**
 * Sets or removes the webhook of a collection; a new one, or a new secret, is charged as a creation. What is set already is
 * not set again.
 * @param draft null removes it
 * @returns the details, which have the secret only when that is new
 * @throws {Problem} 404 when the collection was ended, 429
 */
function setWebhook(
  { db, webhooks }: WebhookDeps,
  collectionId: string,
  draft: WebhookDraft | null,
  client: Pick<Client, 'charge' | 'chargeRoom'>,
): Promise<WebhookDetails | null> {
  const charge = chargeAll([
    () => client.charge('links'),
    chargesRoom(client, () => Buffer.byteLength(JSON.stringify(draft))),
  ])
  return refundFailed(charge, async (chargeOnce) => {
    const present = await webhooks.of(collectionId)
    if (draft === null ? present === null : isPresentWebhook(present, draft)) return present
    if (draft !== null) await chargeOnce()
    const saved = await savePrepared({ db, webhooks }, collectionId, draft)
    // It is saved whatever becomes of this, and only its answer has the secret.
    await endIdle({ db, webhooks }, collectionId).catch(() => undefined)
    return saved
  })
}

/**
 * Saves a webhook once all links are watched for it. They are in transactions of their own, because no other may change the
 * collection, or these links, during one: of 10,000 links that would be seconds.
 */
async function savePrepared(
  { db, webhooks }: WebhookDeps,
  collectionId: string,
  draft: WebhookDraft | null,
): Promise<WebhookDetails | null> {
  const prepared = new Set<number>()
  for (;;) {
    const step = await db.transaction(async (transaction) => {
      await lockOpen(transaction, collectionId)
      const missing = draft === null ? [] : await webhooks.unprepared(transaction, collectionId, draft, prepared)
      // They may have joined meanwhile.
      if (missing.length > 0) return { missing }
      return { saved: await webhooks.save(transaction, collectionId, draft) }
    })
    if (step.missing === undefined || draft === null) return step.saved ?? null
    const humans = wantsMilestones(draft) ? await webhooks.humansOf(step.missing) : new Map<number, number>()
    await inSteps(step.missing, async (some) => {
      const known = new Map(some.map((id) => [id, humans.get(id) ?? 0]))
      await inOpen(db, collectionId, (transaction) => webhooks.prepare(transaction, collectionId, draft, known))
      for (const id of some) prepared.add(id)
    })
  }
}

const wantsMilestones = ({ events }: WebhookDraft) => events.includes('scans.milestone')

/**
 * Ends what links were watched for until the webhook was saved. Nobody is told of what an interruption leaves, and the next time
 * ends it.
 */
async function endIdle({ db, webhooks }: WebhookDeps, collectionId: string): Promise<void> {
  await inSteps(await webhooks.idle(db.read, collectionId), (some) =>
    inOpen(db, collectionId, (transaction) => webhooks.endIdle(transaction, collectionId, some)),
  )
}

function inOpen(db: Database, collectionId: string, work: (transaction: Transaction<Tables>) => Promise<void>) {
  return db.transaction(async (transaction) => {
    await lockOpen(transaction, collectionId)
    await work(transaction)
  })
}

async function inSteps(linkIds: number[], work: (some: number[]) => Promise<void>): Promise<void> {
  for (let from = 0; from < linkIds.length; from += PREPARED_AT_ONCE)
    await work(linkIds.slice(from, from + PREPARED_AT_ONCE))
}

/**
 * Adds links to a collection in a transaction, and has them watched for its webhook.
 * @param linkIds those that may be added
 * @param add adds them. @returns what became of them, with those that were added
 */
export async function addWatched<T extends { added: ReadonlySet<number> }>(
  { db, webhooks }: WebhookDeps,
  collectionId: string,
  linkIds: number[],
  add: (transaction: Transaction<Tables>) => Promise<T>,
): Promise<T> {
  const count = () => webhooks.humansOf(linkIds)
  for (let humans = (await webhooks.wantsMilestones(db.read, collectionId)) ? await count() : undefined; ;) {
    const done = await db.transaction(async (transaction) => {
      await lockOpen(transaction, collectionId)
      // It was set meanwhile.
      if (humans === undefined && (await webhooks.wantsMilestones(transaction, collectionId))) return undefined
      const result = await add(transaction)
      const added = [...result.added].map((id): [number, number] => [id, humans?.get(id) ?? 0])
      await webhooks.watch(transaction, collectionId, new Map(added))
      return result
    })
    if (done !== undefined) return done
    humans = await count()
  }
}
