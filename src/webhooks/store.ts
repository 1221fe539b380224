import type { Insertable, Selectable } from '#kysely'
import type { Executor } from '../db/database.ts'
import type { WebhooksTable } from '../db/schema-webhooks.ts'
import { ownerKinds, tablesOf } from './owner.ts'
import type { MilestoneRow } from './watch-store.ts'

export type WebhookRow = Selectable<WebhooksTable>

export function findWebhook(db: Executor, linkId: number): Promise<WebhookRow | undefined> {
  return db.selectFrom('webhooks').selectAll().where('link_id', '=', linkId).executeTakeFirst()
}

/** Which of these links have a webhook. */
export async function findWatched(db: Executor, linkIds: number[]): Promise<Set<number>> {
  const rows = await db.selectFrom('webhooks').select('link_id').where('link_id', 'in', linkIds).execute()
  return new Set(rows.map((row) => row.link_id))
}

/** What an owner sets of a webhook. Its failures end then. */
export type WebhookSettings = Pick<
  Insertable<WebhooksTable>,
  | 'address'
  | 'host'
  | 'site'
  | 'lane'
  | 'events'
  | 'secret'
  | 'updated_at'
  | 'milestone'
  | 'next_check_at'
  | 'next_attempt_at'
  | 'last_status'
>

export async function putWebhook(db: Executor, linkId: number, settings: WebhookSettings): Promise<WebhookRow> {
  const row = { ...settings, failures: 0, failing_since: null, given_up_at: null, last_error: null }
  return db
    .insertInto('webhooks')
    .values({ link_id: linkId, ...row })
    .onConflict((conflict) => conflict.column('link_id').doUpdateSet(row))
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Removes a webhook with its outbox. */
export async function deleteWebhook(db: Executor, linkId: number): Promise<void> {
  await db.deleteFrom('webhooks').where('link_id', '=', linkId).execute()
}

/** Has a webhook send and check nothing, because its link is deleted. What it waits for is kept. */
export async function pauseWebhook(db: Executor, linkId: number): Promise<void> {
  const paused = db.updateTable('webhooks').set((of) => ({
    paused_attempt_at: of.ref('next_attempt_at'),
    paused_check_at: of.ref('next_check_at'),
    next_attempt_at: null,
    next_check_at: null,
  }))
  await paused.where('link_id', '=', linkId).execute()
}

/** Has a webhook check again what it checked before its link was deleted. */
export async function resumeWebhook(db: Executor, linkId: number, nextCheckAt: number | null): Promise<void> {
  const resumed = { next_check_at: nextCheckAt, paused_attempt_at: null, paused_check_at: null }
  await db.updateTable('webhooks').set(resumed).where('link_id', '=', linkId).execute()
}

/** Webhooks that were given up, and events that wait. */
export interface WebhookCounts {
  givenUp: number
  /** By the network whose requests have caused them, as the events have it; by the empty text what no request has caused. */
  outbox: Map<string, number>
}

export async function countAll(db: Executor): Promise<WebhookCounts> {
  let givenUp = 0
  const outbox = new Map<string, number>()
  for (const kind of ownerKinds) {
    const tables = tablesOf({ kind })
    const given = db.selectFrom(tables.webhooks).select(({ fn }) => fn.countAll().as('count'))
    givenUp += Number((await given.where('given_up_at', '>', 0).executeTakeFirst())?.count ?? 0)
    const waiting = db.selectFrom(tables.outbox).select((of) => ['network', of.fn.countAll().as('count')])
    for (const { network, count } of await waiting.groupBy('network').execute())
      outbox.set(network ?? '', (outbox.get(network ?? '') ?? 0) + Number(count))
  }
  return { givenUp, outbox }
}

/** The next webhooks that want milestones after one, by the time at which they were set, and by link. */
export async function findMilestones(
  db: Executor,
  { updatedAt, linkId }: Omit<MilestoneRow, 'milestone'>,
  limit: number,
): Promise<MilestoneRow[]> {
  const rows = await db
    .selectFrom('webhooks')
    .select(['link_id', 'milestone', 'updated_at'])
    .where('updated_at', '>=', updatedAt)
    .where((is) => is.or([is('updated_at', '>', updatedAt), is('link_id', '>', linkId)]))
    .where('milestone', 'is not', null)
    .orderBy('updated_at')
    .orderBy('link_id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ linkId: row.link_id, milestone: row.milestone ?? 0, updatedAt: row.updated_at }))
}

/** Stores the next milestone of a link. @returns false when the last one is another, or the webhook wants none */
export async function advanceMilestone(db: Executor, linkId: number, last: number, next: number): Promise<boolean> {
  const result = await db
    .updateTable('webhooks')
    .set({ milestone: next })
    .where('link_id', '=', linkId)
    .where('milestone', '=', last)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** The links whose destination is due for a check, the longest due first. */
export async function findDueChecks(db: Executor, now: number, limit: number): Promise<number[]> {
  const due = db.selectFrom('webhooks').select('link_id').where('next_check_at', '<=', now)
  return (await due.orderBy('next_check_at').limit(limit).execute()).map((row) => row.link_id)
}

export async function postponeCheck(db: Executor, linkId: number, nextCheckAt: number): Promise<void> {
  const postponed = db.updateTable('webhooks').set({ next_check_at: nextCheckAt }).where('link_id', '=', linkId)
  await postponed.where('next_check_at', 'is not', null).execute()
}

/** Stores the result of the checks of a link's destination. */
export async function setDestination(
  db: Executor,
  linkId: number,
  destination: Pick<WebhookRow, 'check_failures' | 'destination_failing_since'>,
): Promise<void> {
  await db.updateTable('webhooks').set(destination).where('link_id', '=', linkId).execute()
}
