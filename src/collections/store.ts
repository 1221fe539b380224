import type { Selectable, Transaction } from '#kysely'
import type { Executor } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import { isMember } from '../links/member-store.ts'

/** A set of links as it is stored. */
export interface Collection {
  id: string
  name: string | null
  createdAt: number
}

export async function insertCollection(db: Executor, collection: Collection, tokenHash: string): Promise<void> {
  const { id, name, createdAt } = collection
  await db.insertInto('collections').values({ id, token_hash: tokenHash, name, created_at: createdAt }).execute()
}

export async function findCollection(db: Executor, id: string): Promise<Collection | undefined> {
  const row = await db.selectFrom('collections').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toCollection(row)
}

/** The same, in a transaction that keeps others from changing it and its memberships until it ends. */
export async function lockCollection(transaction: Transaction<Tables>, id: string): Promise<Collection | undefined> {
  const row = await transaction
    .updateTable('collections')
    .set((collection) => ({ name: collection.ref('name') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  return row && toCollection(row)
}

/** @returns the collection with its new name; undefined when it was ended */
export async function renameCollection(db: Executor, id: string, name: string | null): Promise<Collection | undefined> {
  const row = await db.updateTable('collections').set({ name }).where('id', '=', id).returningAll().executeTakeFirst()
  return row && toCollection(row)
}

/** Deletes a collection, its memberships, its looks and its shares. */
export async function deleteCollection(transaction: Transaction<Tables>, id: string): Promise<void> {
  await transaction.deleteFrom('collections').where('id', '=', id).execute()
  await transaction.deleteFrom('memberships').where('collection_id', '=', id).execute()
  await transaction.deleteFrom('looks').where('collection_id', '=', id).execute()
  await transaction.deleteFrom('collection_shares').where('collection_id', '=', id).execute()
}

/** How many memberships are stored, those that a rotation has ended included. */
export async function countMembers(db: Executor, id: string): Promise<number> {
  const { count } = await db
    .selectFrom('memberships')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('collection_id', '=', id)
    .executeTakeFirstOrThrow()
  return count
}

/** The codes of some links of a collection. */
export async function findCodes(
  db: Executor,
  id: string,
  { now, limit }: { now: number; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('memberships')
    .innerJoin('links', 'links.id', 'memberships.link_id')
    .select('links.code')
    .where('memberships.collection_id', '=', id)
    .where(isMember(now))
    .limit(limit)
    .execute()
  return rows.map(({ code }) => code)
}

/** Which of these links are in a collection. */
export async function findMembers(db: Executor, id: string, linkIds: number[]): Promise<Set<number>> {
  const rows = await db
    .selectFrom('memberships')
    .select('link_id')
    .where('collection_id', '=', id)
    .where('link_id', 'in', linkIds)
    .execute()
  return new Set(rows.map((row) => row.link_id))
}

/** Keeps others from deleting these links until the transaction ends. @returns those that exist */
export async function lockLinks(transaction: Transaction<Tables>, linkIds: number[]): Promise<Set<number>> {
  const rows = await transaction
    .updateTable('links')
    .set((link) => ({ revision: link.ref('revision') }))
    .where('id', 'in', linkIds)
    .where('deleted_at', 'is', null)
    .returning('id')
    .execute()
  return new Set(rows.map((row) => row.id))
}

/** Adds links that are not in the collection. */
export async function insertMembers(
  transaction: Transaction<Tables>,
  { collectionId, linkIds, now }: { collectionId: string; linkIds: number[]; now: number },
): Promise<void> {
  if (linkIds.length === 0) return
  const rows = linkIds.map((linkId) => ({ collection_id: collectionId, link_id: linkId, joined_at: now }))
  await transaction.insertInto('memberships').values(rows).execute()
}

/** Ends the oldest memberships of each of these links beyond `most`, but never those of the given collection. */
export async function endOldest(
  transaction: Transaction<Tables>,
  linkIds: number[],
  { most, except }: { most: number; except: string },
): Promise<void> {
  if (linkIds.length === 0) return
  const rows = await transaction
    .selectFrom('memberships')
    .select(['collection_id', 'link_id'])
    .where('link_id', 'in', linkIds)
    .where('collection_id', '<>', except)
    .orderBy('joined_at', 'desc')
    .orderBy('collection_id')
    .execute()
  const byLink = Map.groupBy(rows, (row) => row.link_id)
  for (const { collection_id: collectionId, link_id: linkId } of [...byLink.values()].flatMap((all) =>
    all.slice(most - 1),
  ))
    await deleteMember(transaction, collectionId, linkId)
}

/** @returns false when the link was not in the collection */
export async function deleteMember(db: Executor, id: string, linkId: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('memberships')
    .where('collection_id', '=', id)
    .where('link_id', '=', linkId)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

/** The link in a collection that has this code; undefined when none has. */
export async function findMemberByCode(
  db: Executor,
  id: string,
  { codeKey, now }: { codeKey: string; now: number },
): Promise<number | undefined> {
  const row = await db
    .selectFrom('links')
    .innerJoin('memberships', 'memberships.link_id', 'links.id')
    .select('links.id')
    .where('links.code_key', '=', codeKey)
    .where('memberships.collection_id', '=', id)
    .where(isMember(now))
    .executeTakeFirst()
  return row?.id
}

function toCollection({ id, name, created_at }: Selectable<Tables['collections']>): Collection {
  return { id, name, createdAt: created_at }
}
