import type { Executor } from '../db/database.ts'

/** Stores the key of a period, unless another process was faster; returns the stored one. Older keys are deleted. */
export async function insertTicketKey(db: Executor, period: number, key: string): Promise<string> {
  await db.deleteFrom('ticket_keys').where('period', '<', period).execute()
  await db
    .insertInto('ticket_keys')
    .values({ period, key })
    .onConflict((conflict) => conflict.column('period').doNothing())
    .execute()
  const row = await db.selectFrom('ticket_keys').select('key').where('period', '=', period).executeTakeFirst()
  return row?.key ?? key
}
