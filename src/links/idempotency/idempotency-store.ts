import type { Selectable } from '#kysely'
import type { Executor } from '../../db/database.ts'
import type { Tables } from '../../db/schema.ts'

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

/**
 * Reserves a look-up hash for a response; one that is older than `notBefore` is replaced. Waits for a transaction that has
 * reserved it and is not over.
 * @returns false when this look-up hash has a response already
 */
export async function reserveResponse(
  db: Executor,
  row: Omit<ResponseRow, 'response'>,
  notBefore: number,
): Promise<boolean> {
  const { lookup, ...columns } = { ...row, response: '' }
  const result = await db
    .insertInto('idempotency_keys')
    .values({ lookup, ...columns })
    .onConflict((conflict) =>
      conflict.column('lookup').doUpdateSet(columns).where('idempotency_keys.created_at', '<', notBefore),
    )
    .executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

/** Stores the response for which a look-up hash was reserved in this transaction. */
export async function fillResponse(db: Executor, lookup: string, response: string): Promise<void> {
  await db.updateTable('idempotency_keys').set({ response }).where('lookup', '=', lookup).execute()
}

/** Deletes the oldest of the responses that are older than `notBefore`. @returns how many were deleted, `most` at most */
export async function deleteResponses(db: Executor, notBefore: number, most: number): Promise<number> {
  const expired = db
    .selectFrom('idempotency_keys')
    .select('lookup')
    .where('created_at', '<', notBefore)
    .orderBy('created_at')
    .limit(most)
  const result = await db.deleteFrom('idempotency_keys').where('lookup', 'in', expired).executeTakeFirst()
  return Number(result.numDeletedRows)
}
