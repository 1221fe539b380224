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
