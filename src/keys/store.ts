import type { Executor } from '../db/database.ts'

/** A key as the operator sees it. */
export interface CreationKey {
  name: string
  createdAt: number
  /** The last day on which it was used, such as 2026-11-23, UTC. */
  usedOn: string | null
}

/** @returns false when the name is taken */
export async function insertKey(db: Executor, hash: string, name: string, now: number): Promise<boolean> {
  const result = await db
    .insertInto('creation_keys')
    .values({ key_hash: hash, name, created_at: now, used_on: null })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

/** @returns false when there is no such key */
export async function deleteKey(db: Executor, name: string): Promise<boolean> {
  const result = await db.deleteFrom('creation_keys').where('name', '=', name).executeTakeFirst()
  return result.numDeletedRows === 1n
}

/** @param limit the most keys, oldest first */
export async function listKeys(db: Executor, limit: number): Promise<CreationKey[]> {
  const query = db.selectFrom('creation_keys').select(['name', 'created_at as createdAt', 'used_on as usedOn'])
  return query.orderBy('created_at').orderBy('name').limit(limit).execute()
}

/** The last day on which the key was used, null before the first; undefined when there is no key with this hash. */
export async function findUse(db: Executor, hash: string): Promise<string | null | undefined> {
  const row = await db.selectFrom('creation_keys').select('used_on').where('key_hash', '=', hash).executeTakeFirst()
  return row?.used_on
}

export async function updateUse(db: Executor, hash: string, day: string): Promise<void> {
  await db.updateTable('creation_keys').set({ used_on: day }).where('key_hash', '=', hash).execute()
}
