import type { Selectable } from '#kysely'
import type { Executor } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'

/** The longest that a name is put off: a time that is further ahead was written by a clock that was wrong. */
export const LONGEST_MS = 24 * 60 * 60 * 1000

/** The outcome of the latest attempts to obtain a certificate for a name. */
export interface Issuance {
  /** Attempts in a row that failed because of the name. */
  failures: number
  /** Attempts in a row that failed for another reason. */
  interruptions: number
  retryAt: number
  fault: string | undefined
  /** Since when the name waits for its first certificate; undefined unless it does. */
  queuedAt: number | undefined
}

export async function findIssuance(db: Executor, name: string): Promise<Issuance | undefined> {
  const row = await db.selectFrom('issuances').selectAll().where('name', '=', name).executeTakeFirst()
  return row && toIssuance(row)
}

export async function listIssuances(db: Executor): Promise<(Issuance & { name: string })[]> {
  const rows = await db.selectFrom('issuances').selectAll().orderBy('name').execute()
  return rows.map((row) => ({ name: row.name, ...toIssuance(row) }))
}

/** Inserts or replaces the outcome for a name. */
export async function saveIssuance(db: Executor, name: string, issuance: Issuance): Promise<void> {
  const { failures, interruptions, retryAt, fault = null, queuedAt = null } = issuance
  const values = { failures, interruptions, retry_at: retryAt, fault, queued_at: queuedAt }
  await db
    .insertInto('issuances')
    .values({ name, ...values })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(values))
    .execute()
}

/** Clears the failures of a name, so that the next attempt need not wait. */
export async function resetIssuance(db: Executor, name: string): Promise<void> {
  await db
    .updateTable('issuances')
    .set({ failures: 0, interruptions: 0, retry_at: 0, fault: null })
    .where('name', '=', name)
    .execute()
}

/** Has a name wait for its first certificate, unless it does already. */
export async function enqueue(db: Executor, name: string, queuedAt: number): Promise<void> {
  await db
    .insertInto('issuances')
    .values({ name, failures: 0, retry_at: 0, fault: null, queued_at: queuedAt })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((each) => ({
        queued_at: each.fn.coalesce('issuances.queued_at', 'excluded.queued_at'),
      })),
    )
    .execute()
}

export async function dequeue(db: Executor, name: string): Promise<void> {
  const waiting = db.updateTable('issuances').set({ queued_at: null }).where('queued_at', 'is not', null)
  await waiting.where('name', '=', name).execute()
}

/** The names that have waited longest and may be ordered now. */
export async function findQueued(db: Executor, now: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('issuances')
    .select('name')
    .where('queued_at', 'is not', null)
    .where((each) => each.or([each('retry_at', '<=', now), each('retry_at', '>', now + LONGEST_MS)]))
    .orderBy('queued_at')
    .orderBy('name')
    .limit(limit)
    .execute()
  return rows.map(({ name }) => name)
}

/** How many names wait, and since when the first of them has. */
export async function countQueued(db: Executor): Promise<{ count: number; since: number | undefined }> {
  const row = await db
    .selectFrom('issuances')
    .select((each) => [each.fn.countAll<number>().as('count'), each.fn.min('queued_at').as('since')])
    .where('queued_at', 'is not', null)
    .executeTakeFirstOrThrow()
  return { count: row.count, since: row.since ?? undefined }
}

/** Deletes what became of names that have not been tried for long, and do not wait. */
export async function deleteIssuances(db: Executor, retryBefore: number): Promise<void> {
  await db.deleteFrom('issuances').where('retry_at', '<', retryBefore).where('queued_at', 'is', null).execute()
}

/** When the newest order within a time was placed, or the one before that, and so on. */
export async function findNewestOrder(
  db: Executor,
  { since, until, skip }: { since: number; until: number; skip: number },
): Promise<number | undefined> {
  const row = await db
    .selectFrom('acme_orders')
    .select('placed_at')
    .where('placed_at', '>', since)
    .where('placed_at', '<=', until)
    .orderBy('placed_at', 'desc')
    .offset(skip)
    .limit(1)
    .executeTakeFirst()
  return row?.placed_at
}

/** Records an order, and purges old ones. @returns its id */
export async function insertOrder(db: Executor, now: number, purgeBefore: number): Promise<number> {
  await db.deleteFrom('acme_orders').where('placed_at', '<', purgeBefore).execute()
  const row = await db.insertInto('acme_orders').values({ placed_at: now }).returning('id').executeTakeFirstOrThrow()
  return row.id
}

/** Removes an order that was not placed. */
export async function deleteOrder(db: Executor, id: number): Promise<void> {
  await db.deleteFrom('acme_orders').where('id', '=', id).execute()
}

function toIssuance(row: Selectable<Tables['issuances']>): Issuance {
  const { failures, interruptions, retry_at: retryAt, fault, queued_at: queuedAt } = row
  return { failures, interruptions, retryAt, fault: fault ?? undefined, queuedAt: queuedAt ?? undefined }
}
