import type { Executor } from '../../db/database.ts'
import type { Link } from '../link.ts'
import { bytesOfLink, linkColumns, toLink } from '../store.ts'

/** A link's place in the order of a listing, and the fields that decide quickly. */
export interface ListedKey {
  id: number
  /** When it was suspended; null unless it is. */
  suspendedAt: number | null
  /** When it was deleted; null unless it is, and can be brought back. */
  deletedAt: number | null
  kind: string
  active: boolean
  createdAt: number
  /** Bytes of its fields that may be long. */
  bytes: number
}

/**
 * The order of a listing: by the time of creation; or of the suspended links, the newest suspension first, or the same of those that
 * are deleted and can be brought back, which the others leave out.
 */
export type Order = 'newest' | 'oldest' | 'suspension' | 'deletion'

/** The place of a link in the order: its time of creation, suspension or deletion, and among those of one time its id. */
export interface Place {
  at: number
  id: number
}

export function placeOf({ createdAt, suspendedAt, deletedAt, id }: ListedKey, order: Order): Place {
  const times = { newest: createdAt, oldest: createdAt, suspension: suspendedAt, deletion: deletedAt }
  return { at: times[order] ?? 0, id }
}

/** The columns of these times. */
const timeColumns = {
  newest: 'created_at',
  oldest: 'created_at',
  suspension: 'removed_at',
  deletion: 'deleted_at',
} as const

/** Which part of the order is read. */
export interface Range {
  order: Order
  /** Undefined for the first links. */
  after: Place | undefined
  /** Bounds of the time of creation, in milliseconds since 1970; the second is not included. */
  since: number | undefined
  until: number | undefined
}

/** The next links in the order, without their content. */
export async function findKeys(db: Executor, range: Range, limit: number): Promise<ListedKey[]> {
  const rows = await selectKeys(db, range).limit(limit).execute()
  return rows.map((row) => ({ ...row, active: row.active === 1 }))
}

export function selectKeys(db: Executor, { order, after, since, until }: Range) {
  const times = ['removed_at as suspendedAt', 'deleted_at as deletedAt', 'created_at as createdAt'] as const
  const query = db.selectFrom('links').select(['id', ...times, 'kind', 'active', bytesOfLink.as('bytes')])
  const stored = query.where('deleted_at', order === 'deletion' ? 'is not' : 'is', null)
  const all = order === 'suspension' ? stored.where('removed_at', 'is not', null) : stored
  const sinceThen = since === undefined ? all : all.where('created_at', '>=', since)
  const within = until === undefined ? sinceThen : sinceThen.where('created_at', '<', until)
  const column = timeColumns[order]
  const direction = order === 'oldest' ? 'asc' : 'desc'
  const ordered = within.orderBy(column, direction).orderBy('id', direction)
  if (after === undefined) return ordered
  const [from, beyond] = order === 'oldest' ? (['>=', '>'] as const) : (['<=', '<'] as const)
  // The bound of the index, and then the order within one millisecond.
  return ordered
    .where(column, from, after.at)
    .where((row) => row.or([row(column, beyond, after.at), row('id', beyond, after.id)]))
}

/** The most links of one read. */
export const LINKS_PER_READ = 50

/** The links with these ids that exist, or are deleted and can be brought back, in this order. @param ids from 1 to `LINKS_PER_READ` */
export async function findLinks(db: Executor, ids: readonly number[]): Promise<Link[]> {
  // One statement for any number of ids: a connection keeps only so many prepared.
  const same = Array.from({ length: LINKS_PER_READ }, (_, at) => ids[at] ?? ids[0] ?? 0)
  const rows = await db.selectFrom('links').select(linkColumns).where('id', 'in', same).execute()
  const found = new Map(rows.map((row) => [row.id, toLink(row)]))
  return ids.flatMap((id) => found.get(id) ?? [])
}
