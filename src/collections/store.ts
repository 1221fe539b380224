import { sql, type Selectable, type Transaction } from '#kysely'
import type { Executor, Locking } from '../db/database.ts'
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

/**
 * Keeps others from deleting these links until the transaction ends. Their other changes go on: an operator who blocks them waits for
 * nobody who has them join collections.
 * @returns those that exist
 */
export async function keepLinks(
  transaction: Transaction<Tables>,
  kept: Locking,
  linkIds: number[],
): Promise<Set<number>> {
  if (linkIds.length === 0) return new Set()
  const links = transaction.selectFrom('links').select('id').where('id', 'in', linkIds).where('deleted_at', 'is', null)
  const rows = await kept(links.orderBy('id')).execute()
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

/**
 * Ends the oldest memberships of each of these links beyond `most`, but never those of the given collection. Of what others add in
 * transactions that have not ended, it knows nothing.
 */
export async function endOldest(
  db: Executor,
  linkIds: number[],
  { most, except }: { most: number; except: string },
): Promise<void> {
  if (linkIds.length === 0) return
  await sql`
    delete from memberships where (collection_id, link_id) in (
      select collection_id, link_id from (
        select collection_id, link_id, row_number() over (partition by link_id
          order by case when collection_id = ${except} then 0 else 1 end, joined_at desc, collection_id) as nth
        from memberships where link_id in (${sql.join(linkIds)})
      ) as memberships_of_links where nth > ${most}
    )`.execute(db)
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
