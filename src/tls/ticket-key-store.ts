import type { Executor } from '../db/database.ts'

/** The key of a period; undefined when no process has stored one. */
export async function findTicketKey(db: Executor, period: number): Promise<string | undefined> {
  const row = await db.selectFrom('ticket_keys').select('key').where('period', '=', period).executeTakeFirst()
  return row?.key
}

/** Stores the key of a period, unless another process was faster; returns the stored one. Deletes keys of periods before `purgeBefore`. */
export async function insertTicketKey(db: Executor, period: number, key: string, purgeBefore: number): Promise<string> {
  await db.deleteFrom('ticket_keys').where('period', '<', purgeBefore).execute()
  await db
    .insertInto('ticket_keys')
    .values({ period, key })
    .onConflict((conflict) => conflict.column('period').doNothing())
    .execute()
  return (await findTicketKey(db, period)) ?? key
}
