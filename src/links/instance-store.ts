import type { Executor } from '../db/database.ts'

/** Which of these ids are links. */
export async function findIds(db: Executor, ids: number[]): Promise<number[]> {
  const rows = await db.selectFrom('links').select('id').where('id', 'in', ids).execute()
  return rows.map(({ id }) => id)
}

/** The first number from one on that a link has. */
export async function findIdFrom(db: Executor, id: number): Promise<number | undefined> {
  const query = db.selectFrom('links').select('id').where('id', '>=', id)
  return (await query.orderBy('id').limit(1).executeTakeFirst())?.id
}

/** What tells this store from others. */
export async function findInstance(db: Executor): Promise<string> {
  return (await db.selectFrom('instance').select('id').executeTakeFirstOrThrow()).id
}
