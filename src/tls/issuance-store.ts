import type { Selectable } from '#kysely'
import type { Executor } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'

/** The outcome of the latest attempts to obtain a certificate for a name. */
export interface Issuance {
  failures: number
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
  const values = { failures: issuance.failures, retry_at: issuance.retryAt, fault: issuance.fault ?? null }
  await db
    .insertInto('issuances')
    .values({ name, ...values })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(values))
    .execute()
}

/** Clears the failures of a name, so that the next attempt need not wait. */
export async function resetIssuance(db: Executor, name: string): Promise<void> {
  await db.updateTable('issuances').set({ failures: 0, retry_at: 0, fault: null }).where('name', '=', name).execute()
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

/** Records an order, and purges old ones. */
export async function insertOrder(db: Executor, now: number, purgeBefore: number): Promise<void> {
  await db.deleteFrom('acme_orders').where('placed_at', '<', purgeBefore).execute()
  await db.insertInto('acme_orders').values({ placed_at: now }).execute()
}

function toIssuance(row: Selectable<Tables['issuances']>): Issuance {
  return { failures: row.failures, retryAt: row.retry_at, fault: row.fault ?? undefined }
}
