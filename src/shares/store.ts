import type { Selectable, Transaction } from '#kysely'
import type { Executor } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'

type ShareRow = Selectable<Tables['shares']>

/** What is stored of every share. */
export interface ShareFields {
  /** Identifies it among the shares of its link or collection. */
  id: string
  /** For the owner. */
  name: string | null
  /** Whether it includes the export of single scans. */
  csv: boolean
  /** Whether it includes where the link leads. */
  destination: boolean
  createdAt: number
}

/** A share of a link. */
export interface Share extends ShareFields {
  linkId: number
}

/**
 * Keeps others from changing a link and its shares until the transaction ends.
 * @returns false when the link was deleted
 */
export async function lockLink(transaction: Transaction<Tables>, linkId: number): Promise<boolean> {
  const result = await transaction
    .updateTable('links')
    .set((link) => ({ revision: link.ref('revision') }))
    .where('id', '=', linkId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

export async function countShares(db: Executor, linkId: number): Promise<number> {
  const rows = await db.selectFrom('shares').select('id').where('link_id', '=', linkId).execute()
  return rows.length
}

export async function insertShare(db: Executor, share: Share, tokenHash: string): Promise<void> {
  const { id, linkId, name, createdAt } = share
  const [csv, destination] = [share.csv ? 1 : 0, share.destination ? 1 : 0]
  const row: ShareRow = { token_hash: tokenHash, id, link_id: linkId, name, csv, destination, created_at: createdAt }
  await db.insertInto('shares').values(row).execute()
}

/** The shares of a link, oldest first. */
export async function findShares(db: Executor, linkId: number): Promise<Share[]> {
  const query = db.selectFrom('shares').selectAll().where('link_id', '=', linkId)
  return (await query.orderBy('created_at').orderBy('id').execute()).map(toShare)
}

/** The share whose token has this hash, or undefined. */
export async function findShare(db: Executor, tokenHash: string): Promise<Share | undefined> {
  const row = await db.selectFrom('shares').selectAll().where('token_hash', '=', tokenHash).executeTakeFirst()
  return row && toShare(row)
}

/** @returns false when the link has no such share */
export async function deleteShare(db: Executor, linkId: number, id: string): Promise<boolean> {
  const result = await db.deleteFrom('shares').where('link_id', '=', linkId).where('id', '=', id).executeTakeFirst()
  return result.numDeletedRows === 1n
}

function toShare({ id, link_id, name, csv, destination, created_at }: ShareRow): Share {
  return { id, linkId: link_id, name, csv: csv === 1, destination: destination === 1, createdAt: created_at }
}
