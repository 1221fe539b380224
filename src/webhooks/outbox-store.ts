import type { ExpressionBuilder } from '#kysely'
import type { Executor } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import type { Lane } from '../db/schema-webhooks.ts'
import type { WebhookEvent } from './event.ts'
import { siteOf } from './receivers.ts'
import { findWebhook, isOfLiveLink } from './store.ts'

/** The pause between two events of a link: whoever changes a link often must not send a flood. */
export const PAUSE_MS = 1_000

/** Events of one link that wait; older ones are dropped. */
export const MAX_WAITING = 100

/**
 * Queues an event for a link's webhook, and drops the oldest ones when too many wait.
 * @param keep how many of the link may wait, this one included
 * @returns how many rows the outbox has more; undefined when the webhook was removed or given up, or the link is deleted
 */
export async function insertEvent(
  db: Executor,
  linkId: number,
  event: WebhookEvent,
  keep = MAX_WAITING,
): Promise<number | undefined> {
  const { last_delivery_at: last } = (await findWebhook(db, linkId)) ?? {}
  const at = Math.max(event.at, (last ?? 0) + PAUSE_MS)
  // Comes before the event, so that it waits for a delivery that is just being recorded.
  const woken = await db
    .updateTable('webhooks')
    .set((of) => ({ next_attempt_at: of.fn.coalesce('next_attempt_at', of.val(at)) }))
    .where('link_id', '=', linkId)
    .where('given_up_at', 'is', null)
    .where(isOfLiveLink)
    .executeTakeFirst()
  if (woken.numUpdatedRows === 0n) return undefined
  const { id, body, at: createdAt, network = null } = event
  const row = { link_id: linkId, event_id: id, body, created_at: createdAt, network }
  await db.insertInto('outbox').values(row).execute()
  return 1 - (await dropOldest(db, linkId, keep))
}

/** Drops the oldest events of a link down to a number of them. @returns how many */
export async function dropOldest(db: Executor, linkId: number, keep: number): Promise<number> {
  const oldest = db.selectFrom('outbox').select('id').where('link_id', '=', linkId)
  const ids = (
    await oldest
      .orderBy('id', 'desc')
      .limit(MAX_WAITING + 1)
      .execute()
  )
    .slice(keep)
    .map(({ id }) => id)
  if (ids.length === 0) return 0
  await db.deleteFrom('outbox').where('id', 'in', ids).execute()
  await countDropped(db, linkId, ids.length)
  return ids.length
}

/** Drops the events of a link that were queued before a time. */
export async function dropBefore(db: Executor, linkId: number, time: number): Promise<void> {
  const old = db.deleteFrom('outbox').where('link_id', '=', linkId).where('created_at', '<', time)
  const dropped = Number((await old.executeTakeFirst()).numDeletedRows)
  if (dropped === 0) return
  await countDropped(db, linkId, dropped)
  if ((await findOldest(db, linkId)) === undefined) await setNextAttempt(db, linkId, time)
}

async function countDropped(db: Executor, linkId: number, count: number): Promise<void> {
  const dropped = db.updateTable('webhooks').set(({ eb }) => ({ dropped: eb('dropped', '+', count) }))
  await dropped.where('link_id', '=', linkId).execute()
}

/** A webhook whose oldest event is to be sent. */
export interface Due {
  linkId: number
  url: string
  host: string
  /** The receiver behind the host. */
  site: string
  /** Whether its row does not have the receiver yet, or another one. */
  isMisplaced: boolean
  lane: Lane
  /** Of the oldest event that waits, as the event has it; empty when nobody's request has caused it. */
  network: string
  secret: string
  /** When the owner last set it. */
  updatedAt: number
  failures: number
  failingSince: number | null
}

/** What may be sent now. */
export interface DueFilter {
  now: number
  lane: Lane
  limit: number
  /** Hosts that have a request under way. */
  busyHosts: string[]
  /** Receivers that have as many requests as they may have at the same time. */
  busySites: string[]
}

export async function findDue(db: Executor, { now, lane, limit, busyHosts, busySites }: DueFilter): Promise<Due[]> {
  let due = db
    .selectFrom('webhooks')
    .select(['link_id', 'address', 'host', 'site', 'secret', 'updated_at', 'failures', 'failing_since'])
    .select((of) => oldestOf(of).select('network').as('network'))
    .where('lane', '=', lane)
    .where('next_attempt_at', '<=', now)
    // A delivery may have been recorded while the link was deleted.
    .where(isOfLiveLink)
  if (busyHosts.length > 0) due = due.where('host', 'not in', busyHosts)
  if (busySites.length > 0) due = due.where('site', 'not in', busySites)
  const rows = await due.orderBy('next_attempt_at').orderBy('link_id').limit(limit).execute()
  return rows.map((row) => {
    const site = siteOf(row.host)
    return {
      linkId: row.link_id,
      url: row.address,
      host: row.host,
      site,
      isMisplaced: site !== row.site,
      lane,
      network: row.network ?? '',
      secret: row.secret,
      updatedAt: row.updated_at,
      failures: row.failures,
      failingSince: row.failing_since,
    }
  })
}

/** The oldest event of each webhook. */
function oldestOf(of: ExpressionBuilder<Tables, 'webhooks'>) {
  const events = of.selectFrom('outbox').whereRef('outbox.link_id', '=', 'webhooks.link_id')
  return events.orderBy('outbox.id').limit(1)
}

export async function isAnyDue(db: Executor, now: number): Promise<boolean> {
  const due = db.selectFrom('webhooks').select('link_id').where('next_attempt_at', '<=', now).where(isOfLiveLink)
  return (await due.limit(1).executeTakeFirst()) !== undefined
}

/** A webhook that is sent to at another time. */
export type Postponed = Pick<Due, 'linkId' | 'updatedAt'> & { until: number }

/** Has events wait, without a failure, unless the owner has set the webhook in the meantime. */
export async function postpone(db: Executor, postponed: Postponed[]): Promise<void> {
  for (const { linkId, updatedAt, until } of postponed) {
    const later = db.updateTable('webhooks').set({ next_attempt_at: until }).where('link_id', '=', linkId)
    await later.where('updated_at', '=', updatedAt).execute()
  }
}

/** Gives rows their receiver: those of former versions have none, and the Public Suffix List changes. */
export async function setSites(db: Executor, misplaced: Pick<Due, 'linkId' | 'host' | 'site'>[]): Promise<void> {
  for (const { linkId, host, site } of misplaced) {
    const placed = db.updateTable('webhooks').set({ site }).where('link_id', '=', linkId)
    await placed.where('host', '=', host).execute()
  }
}

/** An event of the outbox. */
export interface Queued {
  id: number
  eventId: string
  body: string
}

export async function findOldest(db: Executor, linkId: number): Promise<Queued | undefined> {
  const oldest = db.selectFrom('outbox').select(['id', 'event_id', 'body']).where('link_id', '=', linkId)
  const row = await oldest.orderBy('id').limit(1).executeTakeFirst()
  return row && { id: row.id, eventId: row.event_id, body: row.body }
}

/** Records a delivery, and when the next event is due, if one waits. */
export async function recordDelivery(
  db: Executor,
  { linkId }: Pick<Due, 'linkId'>,
  { id }: Pick<Queued, 'id'>,
  { status, at, nextAt, lane }: { status: number; at: number; nextAt: number; lane: Lane },
): Promise<void> {
  const good = { failures: 0, failing_since: null, last_status: status, last_error: null, last_delivery_at: at, lane }
  await db.updateTable('webhooks').set(good).where('link_id', '=', linkId).execute()
  await db.deleteFrom('outbox').where('id', '=', id).execute()
  await setNextAttempt(db, linkId, nextAt)
}

/** Sets when the next event is sent: never when none waits. */
export async function setNextAttempt(db: Executor, linkId: number, at: number): Promise<void> {
  const next = (await findOldest(db, linkId)) === undefined ? null : at
  await db.updateTable('webhooks').set({ next_attempt_at: next }).where('link_id', '=', linkId).execute()
}

/** A failed attempt. */
export interface Failure {
  status: number | null
  error: string
  at: number
  /** When the event is sent again; null to give up. */
  nextAt: number | null
}

/** Records a failed attempt, unless the owner has set the webhook in the meantime; giving up empties the outbox. */
export async function recordFailure(db: Executor, due: Due, failure: Failure): Promise<void> {
  const { status, error, at, nextAt } = failure
  const updated = await db
    .updateTable('webhooks')
    .set({
      failures: due.failures + 1,
      lane: 'slow',
      failing_since: due.failingSince ?? at,
      last_status: status,
      last_error: error,
      next_attempt_at: nextAt,
      given_up_at: nextAt === null ? at : null,
    })
    .where('link_id', '=', due.linkId)
    .where('updated_at', '=', due.updatedAt)
    .executeTakeFirst()
  if (nextAt === null && updated.numUpdatedRows === 1n) await dropOldest(db, due.linkId, 0)
}
