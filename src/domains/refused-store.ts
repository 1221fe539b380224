import type { Executor } from '../db/database.ts'

/** Adds a name, unless it exists. */
export async function insertRefused(db: Executor, name: string, now: number): Promise<void> {
  await db
    .insertInto('refused_domains')
    .values({ name, created_at: now })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
}

/** Deletes a name. Returns false when it does not exist. */
export async function deleteRefused(db: Executor, name: string): Promise<boolean> {
  const result = await db.deleteFrom('refused_domains').where('name', '=', name).executeTakeFirst()
  return result.numDeletedRows === 1n
}

/** Whether one of these names is refused. */
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
