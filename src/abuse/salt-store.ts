import type { Executor } from '../db/database.ts'

const LISTS = 'lists'

/** The salt of the keys of lists in this store; stores this one when there is none yet. */
export async function findOrInsertSalt(db: Executor, salt: string): Promise<string> {
  await db
    .insertInto('salts')
    .values({ name: LISTS, salt })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  const row = await db.selectFrom('salts').select('salt').where('name', '=', LISTS).executeTakeFirstOrThrow()
  return row.salt
}
