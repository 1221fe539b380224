import type { ExpressionBuilder } from '#kysely'
import type { Executor, Locking } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import type { Lane } from '../db/schema-webhooks.ts'
import type { WebhookEvent } from './event.ts'
import { ownerKinds, tablesOf, type WebhookOwner } from './owner.ts'
import { siteOf } from './receivers.ts'
import { findWebhook } from './store.ts'

/** The pause between two events of a link: whoever changes a link often must not send a flood. */
export const PAUSE_MS = 1_000

/** What was recorded so much later than now was recorded while the clock was ahead; those of several nodes differ by less. */
const SKEW_MS = 60_000

/** When the first event is sent that waits for a webhook: after the pause that follows a delivery. */
export function firstAttempt(now: number, lastDelivery: number | null | undefined): number {
  const last = lastDelivery ?? 0
  return last > now + SKEW_MS ? now : Math.max(now, last + PAUSE_MS)
}

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
  const at = firstAttempt(event.at, last)
  // Comes before the event, so that it waits for a delivery that is just being recorded.
  const woken = await db
    .updateTable('webhooks')
    .set((of) => ({ next_attempt_at: of.fn.coalesce('next_attempt_at', of.val(at)) }))
    .where('link_id', '=', linkId)
    .where('given_up_at', 'is', null)
    .where((of) => isLive(of, 'link'))
    .executeTakeFirst()
  if (woken.numUpdatedRows === 0n) return undefined
  const { id, body, at: createdAt, network = null } = event
  const row = { link_id: linkId, event_id: id, body, created_at: createdAt, network }
  await db.insertInto('outbox').values(row).execute()
  return 1 - (await dropOldest(db, { kind: 'link', id: linkId }, keep))
}

/** Drops the oldest events of a webhook down to a number of them. @returns how many */
export async function dropOldest(db: Executor, owner: WebhookOwner, keep: number): Promise<number> {
  const { outbox, key } = tablesOf(owner)
  const newestFirst = db.selectFrom(outbox).select('id').where(key, '=', owner.id).orderBy('id', 'desc')
  const last = await newestFirst.limit(1).offset(keep).executeTakeFirst()
  if (last === undefined) return 0
  const old = db.deleteFrom(outbox).where(key, '=', owner.id).where('id', '<=', last.id)
  const dropped = Number((await old.executeTakeFirst()).numDeletedRows)
  await countDropped(db, owner, dropped)
  return dropped
}

/** Drops the events of a webhook that were queued before a time. */
export async function dropBefore(db: Executor, owner: WebhookOwner, time: number): Promise<void> {
  const { outbox, key } = tablesOf(owner)
  const old = db.deleteFrom(outbox).where(key, '=', owner.id).where('created_at', '<', time)
  const dropped = Number((await old.executeTakeFirst()).numDeletedRows)
  if (dropped === 0) return
  await countDropped(db, owner, dropped)
  if ((await findOldest(db, owner)) === undefined) await setNextAttempt(db, owner, time)
}

/** Counts events as never sent. */
export async function countDropped(db: Executor, owner: WebhookOwner, count: number): Promise<void> {
  const { webhooks, key } = tablesOf(owner)
  const dropped = db.updateTable(webhooks).set(({ eb }) => ({ dropped: eb('dropped', '+', count) }))
  await dropped.where(key, '=', owner.id).execute()
}

/** A webhook whose oldest event is to be sent. */
export interface Due {
  owner: WebhookOwner
  url: string
  host: string
  /** The receiver behind the host. */
  site: string
  /** Whether its row does not have the receiver yet, or another one. */
  isMisplaced: boolean
  lane: Lane
  /** Of the oldest event that waits: whose request has caused it, as the event has it, or else when the webhook was set. */
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

/** The webhooks of both kinds that may be sent to, the longest due first. */
export async function findDue(db: Executor, filter: DueFilter): Promise<Due[]> {
  const found = await Promise.all(ownerKinds.map((kind) => findDueOf(db, kind, filter)))
  const sorted = found.flat().toSorted((one, other) => one.dueAt - other.dueAt)
  return sorted.slice(0, filter.limit).map(({ due }) => due)
}

async function findDueOf(
  db: Executor,
  kind: WebhookOwner['kind'],
  { now, lane, limit, busyHosts, busySites }: DueFilter,
): Promise<{ due: Due; dueAt: number }[]> {
  const { webhooks, key } = tablesOf({ kind })
  let due = db
    .selectFrom(webhooks)
    .select(['address', 'host', 'site', 'secret', 'updated_at', 'failures', 'failing_since', 'next_attempt_at'])
    .select((of) => [of.ref(key).as('owner'), oldestOf(of, kind).select('network').as('network')])
    .where('lane', '=', lane)
    .where('next_attempt_at', '<=', now)
    // A delivery may have been recorded while the link was deleted.
    .where((of) => isLive(of, kind))
  if (busyHosts.length > 0) due = due.where('host', 'not in', busyHosts)
  if (busySites.length > 0) due = due.where('site', 'not in', busySites)
  const rows = await due.orderBy('next_attempt_at').orderBy(key).limit(limit).execute()
  return rows.map((row) => {
    const site = siteOf(row.host)
    const owner = { kind, id: row.owner } as WebhookOwner
    const { address: url, host, secret, updated_at: updatedAt, failures, failing_since: failingSince } = row
    const sent = {
      owner,
      url,
      host,
      site,
      isMisplaced: site !== row.site,
      lane,
      network: row.network ?? setAt(updatedAt),
    }
    return { due: { ...sent, secret, updatedAt, failures, failingSince }, dueAt: row.next_attempt_at ?? 0 }
  })
}

const HOUR_MS = 3_600_000

/**
 * Who shares with others what no request has caused, as a milestone: the webhooks that were set in the same hour. A network may set
 * some hundred in one, and does not keep those that others have set earlier waiting for all of them.
 */
export function setAt(updatedAt: number): string {
  return `set in hour ${Math.floor(updatedAt / HOUR_MS)}`
}

type WebhookTables = 'webhooks' | 'collection_webhooks'

/** The oldest event of each webhook. */
function oldestOf(of: ExpressionBuilder<Tables, WebhookTables>, kind: WebhookOwner['kind']) {
  const { outbox, outboxKey, outboxId, webhooksKey } = tablesOf({ kind })
  return of.selectFrom(outbox).whereRef(outboxKey, '=', webhooksKey).orderBy(outboxId).limit(1)
}

/** The condition on webhooks of links that their links are not deleted. */
function isLive(of: ExpressionBuilder<Tables, WebhookTables>, kind: WebhookOwner['kind']) {
  if (kind === 'collection') return of.lit(true)
  const deleted = of.selectFrom('links').select('links.id').whereRef('links.id', '=', 'webhooks.link_id')
  return of.not(of.exists(deleted.where('links.deleted_at', 'is not', null)))
}

export async function isAnyDue(db: Executor, now: number): Promise<boolean> {
  for (const kind of ownerKinds) {
    const due = db.selectFrom(tablesOf({ kind }).webhooks).select('lane').where('next_attempt_at', '<=', now)
    const first = await due
      .where((of) => isLive(of, kind))
      .limit(1)
      .executeTakeFirst()
    if (first !== undefined) return true
  }
  return false
}

/** A webhook that is sent to at another time. */
export type Postponed = Pick<Due, 'owner' | 'updatedAt'> & { until: number }

/**
 * Has events wait, without a failure, unless the owner has set the webhook in the meantime.
 * @returns those whose webhooks another transaction has locked, which are due as before: a change of hundreds of links takes seconds
 */
export async function postpone(db: Executor, unlocked: Locking, postponed: Postponed[]): Promise<Postponed[]> {
  const locked: Postponed[] = []
  for (const kind of ownerKinds) {
    const rows = postponed.filter(({ owner }) => owner.kind === kind)
    const free = await findUnlocked(db, unlocked, kind, rows)
    const { webhooks, key } = tablesOf({ kind })
    for (const row of rows) {
      const { owner, updatedAt, until } = row
      if (!free.has(owner.id)) {
        locked.push(row)
        continue
      }
      const later = db.updateTable(webhooks).set({ next_attempt_at: until }).where(key, '=', owner.id)
      await later.where('updated_at', '=', updatedAt).execute()
    }
  }
  return locked
}

async function findUnlocked(
  db: Executor,
  unlocked: Locking,
  kind: WebhookOwner['kind'],
  rows: Postponed[],
): Promise<Set<number | string>> {
  if (rows.length === 0) return new Set()
  const { webhooks, key } = tablesOf({ kind })
  const ids = rows.map(({ owner }) => owner.id)
  const found = await unlocked(db.selectFrom(webhooks).select(key).where(key, 'in', ids).orderBy(key)).execute()
  return new Set(found.map((row) => row[key]))
}

/** Whether another transaction has a webhook locked; else this one has, until its end. */
export async function isLocked(db: Executor, unlocked: Locking, owner: WebhookOwner): Promise<boolean> {
  const { webhooks, key } = tablesOf(owner)
  const row = db.selectFrom(webhooks).select(key).where(key, '=', owner.id)
  if ((await unlocked(row).executeTakeFirst()) !== undefined) return false
  // It may have been removed.
  return (await row.executeTakeFirst()) !== undefined
}

/** Gives rows their receiver: those of former versions have none, and the Public Suffix List changes. */
export async function setSites(db: Executor, misplaced: Pick<Due, 'owner' | 'host' | 'site'>[]): Promise<void> {
  for (const { owner, host, site } of misplaced) {
    const { webhooks, key } = tablesOf(owner)
    await db.updateTable(webhooks).set({ site }).where(key, '=', owner.id).where('host', '=', host).execute()
  }
}

/** An event of the outbox. */
export interface Queued {
  id: number
  eventId: string
  body: string
}

export async function findOldest(db: Executor, owner: WebhookOwner): Promise<Queued | undefined> {
  const { outbox, key } = tablesOf(owner)
  const oldest = db.selectFrom(outbox).select(['id', 'event_id', 'body']).where(key, '=', owner.id)
  const row = await oldest.orderBy('id').limit(1).executeTakeFirst()
  return row && { id: row.id, eventId: row.event_id, body: row.body }
}

/** Records a delivery, and when the next event is due, if one waits. */
export async function recordDelivery(
  db: Executor,
  { owner }: Pick<Due, 'owner'>,
  { id }: Pick<Queued, 'id'>,
  { status, at, nextAt, lane }: { status: number; at: number; nextAt: number; lane: Lane },
): Promise<void> {
  const { webhooks, outbox, key } = tablesOf(owner)
  const good = { failures: 0, failing_since: null, last_status: status, last_error: null, last_delivery_at: at, lane }
  await db.updateTable(webhooks).set(good).where(key, '=', owner.id).execute()
  await db.deleteFrom(outbox).where('id', '=', id).execute()
  await setNextAttempt(db, owner, nextAt)
}

/** Sets when the next event is sent: never when none waits. */
export async function setNextAttempt(db: Executor, owner: WebhookOwner, at: number): Promise<void> {
  const { webhooks, key } = tablesOf(owner)
  const next = (await findOldest(db, owner)) === undefined ? null : at
  await db.updateTable(webhooks).set({ next_attempt_at: next }).where(key, '=', owner.id).execute()
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
  const { webhooks, key } = tablesOf(due.owner)
  const updated = await db
    .updateTable(webhooks)
    .set({
      failures: due.failures + 1,
      lane: 'slow',
      failing_since: due.failingSince ?? at,
      last_status: status,
      last_error: error,
      next_attempt_at: nextAt,
      given_up_at: nextAt === null ? at : null,
    })
    .where(key, '=', due.owner.id)
    .where('updated_at', '=', due.updatedAt)
    .executeTakeFirst()
  if (nextAt === null && updated.numUpdatedRows === 1n) await dropOldest(db, due.owner, 0)
}
