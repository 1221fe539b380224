import type { Insertable, Selectable, Transaction } from '#kysely'
import type { Executor } from '../db/database.ts'
import type { CollectionOutboxTable, CollectionWebhooksTable } from '../db/schema-webhooks.ts'
import type { Tables } from '../db/schema.ts'
import { isMember } from '../links/member-store.ts'
import { dropOldest, firstAttempt } from './outbox-store.ts'

export type CollectionWebhookRow = Selectable<CollectionWebhooksTable>

/**
 * Events of one collection that wait; older ones are dropped. More than those of a link: one request changes 500 links, and
 * none of what it has changed is to be missing.
 */
export const MAX_WAITING_IN_COLLECTION = 1_000

export function findCollectionWebhook(db: Executor, collectionId: string): Promise<CollectionWebhookRow | undefined> {
  return db.selectFrom('collection_webhooks').selectAll().where('collection_id', '=', collectionId).executeTakeFirst()
}

/** What an owner sets of a webhook. Its failures end then. */
export type CollectionWebhookSettings = Pick<
  Insertable<CollectionWebhooksTable>,
  'address' | 'host' | 'site' | 'lane' | 'events' | 'secret' | 'updated_at' | 'next_attempt_at' | 'last_status'
>

export async function putCollectionWebhook(
  db: Executor,
  collectionId: string,
  settings: CollectionWebhookSettings,
): Promise<CollectionWebhookRow> {
  const row = { ...settings, failures: 0, failing_since: null, given_up_at: null, last_error: null }
  return db
    .insertInto('collection_webhooks')
    .values({ collection_id: collectionId, ...row })
    .onConflict((conflict) => conflict.column('collection_id').doUpdateSet(row))
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Removes the webhook of a collection with its events. */
export async function deleteCollectionWebhook(db: Executor, collectionId: string): Promise<void> {
  await db.deleteFrom('collection_webhooks').where('collection_id', '=', collectionId).execute()
  await db.deleteFrom('collection_outbox').where('collection_id', '=', collectionId).execute()
}

/** A collection whose webhook is told of a link, and the events that it wants, as a JSON array. */
export interface Told {
  collectionId: string
  events: string
}

/** The collections that a link is in now whose webhooks have not been given up. */
export async function findTold(db: Executor, linkId: number, now: number): Promise<Told[]> {
  const rows = await db
    .selectFrom('memberships')
    .innerJoin('collection_webhooks', 'collection_webhooks.collection_id', 'memberships.collection_id')
    .innerJoin('links', 'links.id', 'memberships.link_id')
    .select(['collection_webhooks.collection_id', 'collection_webhooks.events'])
    .where('memberships.link_id', '=', linkId)
    .where('collection_webhooks.given_up_at', 'is', null)
    .where(isMember(now))
    .orderBy('collection_webhooks.collection_id')
    .execute()
  return rows.map(({ collection_id: collectionId, events }) => ({ collectionId, events }))
}

/** Which of these links are in a collection that has a webhook. */
export async function findToldLinks(db: Executor, linkIds: number[]): Promise<number[]> {
  const rows = await db
    .selectFrom('memberships')
    .innerJoin('collection_webhooks', 'collection_webhooks.collection_id', 'memberships.collection_id')
    .select('memberships.link_id')
    .distinct()
    .where('memberships.link_id', 'in', linkIds)
    .execute()
  return rows.map((row) => row.link_id)
}

/** Queues events, which the sender takes in. */
export async function insertCollectionEvents(db: Executor, rows: Insertable<CollectionOutboxTable>[]): Promise<void> {
  if (rows.length > 0) await db.insertInto('collection_outbox').values(rows).execute()
}

/** The next collections after one with events that the sender has not taken in. */
export async function findNewlyQueued(db: Executor, limit: number, after = ''): Promise<string[]> {
  const queued = db.selectFrom('collection_outbox').select('collection_id').distinct().where('is_new', '=', 1)
  const next = queued.where('collection_id', '>', after).orderBy('collection_id')
  return (await next.limit(limit).execute()).map((row) => row.collection_id)
}

/**
 * Takes the new events of a collection in: has its webhook send them, and drops the oldest ones when too many wait. Those for a
 * webhook that was removed, or given up, are deleted.
 * @param hasMost whether a network has caused more than its share of all that waits: the newest of its events is kept
 * @returns how many were dropped
 */
export async function takeIn(
  transaction: Transaction<Tables>,
  collectionId: string,
  now: number,
  hasMost: (network: string) => boolean = () => false,
): Promise<number> {
  const { last_delivery_at: last } = (await findCollectionWebhook(transaction, collectionId)) ?? {}
  const at = firstAttempt(now, last)
  const woken = await transaction
    .updateTable('collection_webhooks')
    .set((of) => ({ next_attempt_at: of.fn.coalesce('next_attempt_at', of.val(at)) }))
    .where('collection_id', '=', collectionId)
    .where('given_up_at', 'is', null)
    .executeTakeFirst()
  if (woken.numUpdatedRows === 0n) {
    await transaction.deleteFrom('collection_outbox').where('collection_id', '=', collectionId).execute()
    return 0
  }
  const queued = transaction.updateTable('collection_outbox').set({ is_new: 0 })
  const taken = await queued
    .where('collection_id', '=', collectionId)
    .where('is_new', '=', 1)
    .returning('network')
    .execute()
  const isOver = taken.some(({ network }) => hasMost(network ?? ''))
  return dropOldest(transaction, { kind: 'collection', id: collectionId }, isOver ? 1 : MAX_WAITING_IN_COLLECTION)
}
