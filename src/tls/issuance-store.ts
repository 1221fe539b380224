import type { Selectable } from '#kysely'
import type { Executor } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'

/** The outcome of the latest attempts to obtain a certificate for a name. */
export interface Issuance {
  /** Attempts in a row that failed because of the name. */
  failures: number
  /** Attempts in a row that failed for another reason. */
  interruptions: number
  retryAt: number
  fault: string | undefined
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
  const { failures, interruptions, retryAt, fault = null } = issuance
  const values = { failures, interruptions, retry_at: retryAt, fault }
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

/** How many orders were placed after that time. */
export async function countOrders(db: Executor, since: number): Promise<number> {
  const row = await db
    .selectFrom('acme_orders')
    .select((each) => each.fn.countAll<number>().as('count'))
    .where('placed_at', '>', since)
    .executeTakeFirstOrThrow()
  return row.count
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
  const { failures, interruptions, retry_at: retryAt, fault } = row
  return { failures, interruptions, retryAt, fault: fault ?? undefined }
}
