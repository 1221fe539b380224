import type { Selectable } from '#kysely'
import type { Executor } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'

type ResponseRow = Selectable<Tables['idempotency_keys']>

/** The stored response of a look-up hash, unless it is older than `notBefore`. */
export async function findResponse(db: Executor, lookup: string, notBefore: number): Promise<ResponseRow | undefined> {
  return db
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('lookup', '=', lookup)
    .where('created_at', '>=', notBefore)
    .executeTakeFirst()
}

/** Stores a response. @returns false when this look-up hash has one already */
export async function insertResponse(db: Executor, row: ResponseRow): Promise<boolean> {
  const result = await db
    .insertInto('idempotency_keys')
    .values(row)
    .onConflict((conflict) => conflict.column('lookup').doNothing())
    .executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

/** Deletes the responses that are older than `notBefore`. */
export async function deleteResponses(db: Executor, notBefore: number): Promise<void> {
  await db.deleteFrom('idempotency_keys').where('created_at', '<', notBefore).execute()
}
