import type { Transaction } from '#kysely'
import type { Database } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import { Problem } from '../http/problem.ts'
import { refundFailed } from '../lib/charged.ts'
import { createTurns } from '../lib/turns.ts'
import type { Client } from '../links/client.ts'
import { isPresentWebhook, type WebhookDetails, type WebhookDraft } from '../links/webhook.ts'
import { lockOpen } from './collecting.ts'
import type { CollectionWebhooks, HumansOf } from './webhooks.ts'

interface WebhookDeps {
  db: Database
  webhooks: CollectionWebhooks
}

/**
 * Those that are set at the same time: of 10,000 links it takes one transaction, and a connection to the database, for seconds.
 * Networks take turns.
 */
const SET_AT_ONCE = 2
const MAX_WAITING = 64
const RETRY_SECONDS = 10

/** What sets the webhook of a collection, by its id. */
export type SetWebhook = (
  collectionId: string,
  draft: WebhookDraft | null,
  client: Pick<Client, 'charge' | 'holder'>,
) => Promise<WebhookDetails | null>

/** Creates a function that sets webhooks as `setWebhook` does, a few at a time. @throws {Problem} also 503 when too many wait */
export function createSetWebhook(deps: WebhookDeps): SetWebhook {
  const turns = createTurns({ waiting: MAX_WAITING, concurrent: SET_AT_ONCE }, () => {
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
  { charge }: Pick<Client, 'charge'>,
): Promise<WebhookDetails | null> {
  return refundFailed(
    () => charge('links'),
    async (chargeOnce) => {
      const present = await webhooks.of(collectionId)
      if (draft === null ? present === null : isPresentWebhook(present, draft)) return present
      if (draft !== null) await chargeOnce()
      const known = new Map<number, number>()
      for (;;) {
        const saved = await db.transaction(async (transaction) => {
          await lockOpen(transaction, collectionId)
          const missing = await unknownTo(webhooks, transaction, { collectionId, draft, known })
          if (missing.length > 0) return { missing }
          return { details: await webhooks.save(transaction, collectionId, draft, known) }
        })
        if (saved.missing === undefined) return saved.details
        // They may have joined meanwhile.
        for (const [id, humans] of await webhooks.humansOf(saved.missing)) known.set(id, humans)
      }
    },
  )
}

/** The links whose visits are not known, although their milestones are wanted. */
async function unknownTo(
  webhooks: CollectionWebhooks,
  transaction: Transaction<Tables>,
  { collectionId, draft, known }: { collectionId: string; draft: WebhookDraft | null; known: HumansOf },
): Promise<number[]> {
  if (draft?.events.includes('scans.milestone') !== true) return []
  return (await webhooks.unwatched(transaction, collectionId)).filter((id) => !known.has(id))
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
