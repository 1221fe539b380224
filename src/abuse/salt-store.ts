import type { Database, Executor } from '../db/database.ts'

const LISTS = 'lists'

/**
 * The salt of the keys of lists in this store; stores this one when there is none yet. A service that starts on a full disk
 * finds one.
 */
export async function findOrInsertSalt({ read, write }: Database, salt: string): Promise<string> {
  const found = await findSalt(read)
  if (found !== undefined) return found
  await write
    .insertInto('salts')
    .values({ name: LISTS, salt })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  // Another process may have been first.
  return (await findSalt(write)) ?? salt
}

async function findSalt(db: Executor): Promise<string | undefined> {
  const row = await db.selectFrom('salts').select('salt').where('name', '=', LISTS).executeTakeFirst()
  return row?.salt
}
