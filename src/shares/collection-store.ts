import type { Selectable } from '#kysely'
import type { Executor } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import type { ShareFields } from './store.ts'

/** A share of the links of a collection. */
export interface CollectionShare extends ShareFields {
  collectionId: string
  /** Of the links that are read; `UNKNOWN_VALUE` for those without one, null for all links. */
  campaign: string | null
}

export async function countCollectionShares(db: Executor, collectionId: string): Promise<number> {
  const rows = await db.selectFrom('collection_shares').select('id').where('collection_id', '=', collectionId).execute()
  return rows.length
}

export async function insertCollectionShare(db: Executor, share: CollectionShare, tokenHash: string): Promise<void> {
  const { id, collectionId, name, campaign, csv, destination, createdAt } = share
  const row = {
    token_hash: tokenHash,
    id,
    collection_id: collectionId,
    name,
    campaign,
    csv: csv ? 1 : 0,
    destination: destination ? 1 : 0,
    created_at: createdAt,
  }
  await db.insertInto('collection_shares').values(row).execute()
}

/** The shares of a collection, oldest first. */
export async function findCollectionShares(db: Executor, collectionId: string): Promise<CollectionShare[]> {
  const query = db.selectFrom('collection_shares').selectAll().where('collection_id', '=', collectionId)
  return (await query.orderBy('created_at').orderBy('id').execute()).map(toShare)
}

/** The share whose token has this hash with the name of its collection, or undefined. */
export async function findCollectionShare(
  db: Executor,
  tokenHash: string,
): Promise<{ share: CollectionShare; collectionName: string | null } | undefined> {
  const row = await db
    .selectFrom('collection_shares')
    .innerJoin('collections', 'collections.id', 'collection_shares.collection_id')
    .selectAll('collection_shares')
    .select('collections.name as collection_name')
    .where('collection_shares.token_hash', '=', tokenHash)
    .executeTakeFirst()
  return row && { share: toShare(row), collectionName: row.collection_name }
}

/** @returns false when the collection has no such share */
export async function deleteCollectionShare(db: Executor, collectionId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('collection_shares')
    .where('collection_id', '=', collectionId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

function toShare(row: Selectable<Tables['collection_shares']>): CollectionShare {
  const { id, collection_id: collectionId, name, campaign, csv, destination, created_at: createdAt } = row
  return { id, collectionId, name, campaign, csv: csv === 1, destination: destination === 1, createdAt }
}
