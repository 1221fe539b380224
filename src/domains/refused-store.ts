import type { Executor } from '../db/database.ts'

/** Adds a name; one that is there stays. */
export async function insertRefused(db: Executor, name: string, now: number): Promise<void> {
  await db
    .insertInto('refused_domains')
    .values({ name, created_at: now })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
}

/** Removes a name. False when it was not there. */
export async function deleteRefused(db: Executor, name: string): Promise<boolean> {
  const result = await db.deleteFrom('refused_domains').where('name', '=', name).executeTakeFirst()
  return result.numDeletedRows === 1n
}

/** Whether one of these names is there. */
export async function hasRefused(db: Executor, names: readonly string[]): Promise<boolean> {
  const row = await db
    .selectFrom('refused_domains')
    .select('name')
    .where('name', 'in', names)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export async function listRefused(db: Executor): Promise<{ name: string; since: number }[]> {
  return db.selectFrom('refused_domains').select(['name', 'created_at as since']).orderBy('name').execute()
}
