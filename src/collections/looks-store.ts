import type { Executor } from '../db/database.ts'

/** A look as it is stored. */
export interface StoredLook {
  name: string
  /** In JSON. */
  design: string
}

/** The looks of a collection, by their names. */
export async function findAllLooks(db: Executor, collectionId: string): Promise<StoredLook[]> {
  const all = db.selectFrom('looks').select(['name', 'design']).where('collection_id', '=', collectionId)
  return all.orderBy('name').execute()
}

/** Their names only: all designs of a collection have two megabytes. */
export async function findLookNames(db: Executor, collectionId: string): Promise<string[]> {
  const all = db.selectFrom('looks').select('name').where('collection_id', '=', collectionId)
  return (await all.orderBy('name').execute()).map(({ name }) => name)
}

/** How many looks a collection has, and the characters of their designs. */
export async function measureLooks(db: Executor, collectionId: string): Promise<{ count: number; characters: number }> {
  const sizes = db
    .selectFrom('looks')
    .select((expression) => expression.fn<number>('length', ['design']).as('characters'))
    .where('collection_id', '=', collectionId)
  const rows = await sizes.execute()
  return { count: rows.length, characters: rows.reduce((sum, row) => sum + row.characters, 0) }
}

/** Those that have one of these names. */
export async function findNamedLooks(db: Executor, collectionId: string, names: string[]): Promise<StoredLook[]> {
  const all = db.selectFrom('looks').select(['name', 'design']).where('collection_id', '=', collectionId)
  return all.where('name', 'in', names).execute()
}

/** Inserts a look whose name the collection does not have. */
export async function insertLook(db: Executor, collectionId: string, { name, design }: StoredLook): Promise<void> {
  await db.insertInto('looks').values({ collection_id: collectionId, name, design }).execute()
}

export async function deleteLooks(db: Executor, collectionId: string, names: string[]): Promise<void> {
  if (names.length === 0) return
  await db.deleteFrom('looks').where('collection_id', '=', collectionId).where('name', 'in', names).execute()
}
