import type { Executor } from '../db/database.ts'

/** Which of these IDs belong to links. */
export async function findIds(db: Executor, ids: number[]): Promise<number[]> {
  const rows = await db.selectFrom('links').select('id').where('id', 'in', ids).execute()
  return rows.map(({ id }) => id)
}

/** The smallest ID of a link that is not below `id`. */
export async function findIdFrom(db: Executor, id: number): Promise<number | undefined> {
  const query = db.selectFrom('links').select('id').where('id', '>=', id)
  return (await query.orderBy('id').limit(1).executeTakeFirst())?.id
}

/** The permanent ID of this store. */
export async function findInstance(db: Executor): Promise<string> {
  return (await db.selectFrom('instance').select('id').executeTakeFirstOrThrow()).id
}
