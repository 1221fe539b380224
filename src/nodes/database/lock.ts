import { sql, type Transaction } from '#kysely'
import type { Tables } from '../../db/schema.ts'

/** Takes an advisory lock, which ends with the transaction. Other programs in the database use other names. */
export async function lockName(transaction: Transaction<Tables>, name: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`quirl ${name}`}, 0))`.execute(transaction)
}
