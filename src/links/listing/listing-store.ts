import { sql } from '#kysely'
import type { Executor } from '../../db/database.ts'
import type { Link } from '../link.ts'
import { linkColumns, toLink } from '../store.ts'

/** A link's place in the order of a listing, and the fields that decide quickly. */
export interface ListedKey {
  id: number
  /** When it was removed for abuse; null unless it is. */
  removedAt: number | null
  kind: string
  active: boolean
  createdAt: number
  /** Bytes of its fields that may be long. */
  bytes: number
}

/** The order of a listing: of all links by id, or of the removed ones, the newest removal first. */
export type Order = 'id' | 'removal'

/** The place of the last link that was listed. */
export type Place = Pick<ListedKey, 'id' | 'removedAt'>

/** The next links in the order, without their content. @param after undefined for the first ones */
export async function findKeys(
  db: Executor,
  order: Order,
  after: Place | undefined,
  limit: number,
): Promise<ListedKey[]> {
  const rows = await selectKeys(db, order, after).limit(limit).execute()
  return rows.map((row) => ({ ...row, active: row.active === 1 }))
}

export function selectKeys(db: Executor, order: Order, after: Place | undefined) {
  const length = (column: string) => sql`coalesce(octet_length(${sql.ref(column)}), 0)`
  const bytes = sql<number>`${length('target')} + ${length('payload')} + ${length('rules')} + ${length('utm')}`
  const columns = ['id', 'removed_at as removedAt', 'kind', 'active', 'created_at as createdAt'] as const
  const query = db.selectFrom('links').select([...columns, bytes.as('bytes')])
  if (order === 'id') return query.where('id', '>', after?.id ?? 0).orderBy('id')
  const removedAt = after?.removedAt ?? Number.MAX_SAFE_INTEGER
  return (
    query
      .where('removed_at', 'is not', null)
      // The bound of the index, and then the order within one millisecond.
      .where('removed_at', '<=', removedAt)
      .where((row) => row.or([row('removed_at', '<', removedAt), row('id', '<', after?.id ?? 0)]))
      .orderBy('removed_at', 'desc')
      .orderBy('id', 'desc')
  )
}

/** The most links of one read. */
export const LINKS_PER_READ = 50

/** The links with these ids that exist, in this order. @param ids from 1 to `LINKS_PER_READ` */
export async function findLinks(db: Executor, ids: readonly number[]): Promise<Link[]> {
  // One statement for any number of ids: a connection keeps only so many prepared.
  const same = Array.from({ length: LINKS_PER_READ }, (_, at) => ids[at] ?? ids[0] ?? 0)
  const rows = await db.selectFrom('links').select(linkColumns).where('id', 'in', same).execute()
  const found = new Map(rows.map((row) => [row.id, toLink(row)]))
  return ids.flatMap((id) => found.get(id) ?? [])
}
