import type { OperatorOperations } from '../../operator/socket.ts'
import type { Database } from '../../db/database.ts'
import { invalidRequest } from '../../http/problem.ts'
import type { Link, Totals } from '../link.ts'
import { undoUntil } from '../deleted.ts'
import { readFilter, type Filter } from './filter.ts'
import { listByCode, listLinks, type FoundLink } from './listing.ts'
import type { Order, Place } from './listing-store.ts'

/** A link as its operator sees it: without the hashes of its token and its password. Times are ISO 8601, UTC. */
export interface ListedLink extends Pick<
  Link,
  'code' | 'kind' | 'target' | 'payload' | 'title' | 'campaign' | 'utm' | 'rules' | 'placements' | 'active'
> {
  has_password: boolean
  created_at: string
  updated_at: string
  removed: { at: string; reason: string; source: string; expression: string | null } | null
  /** When its owner deleted it, and until when he can bring it back; null unless that is so. */
  deleted: { at: string; undo_until: string } | null
  /** Its counts; null while the statistics cannot be read. */
  totals: Totals | null
}

/** The result of `links`. */
export interface LinksResult {
  links: ListedLink[]
  /** Passed to the next call; null at the end. */
  cursor: string | null
  /** How many links were looked at. */
  looked: number
}

/** What the operation needs of the rest of the program. */
export interface ListingNeeds {
  db: Pick<Database, 'read'>
  /** The counts of a link; the calls of one turn are one read. */
  totals: (linkId: number) => Promise<Totals>
}

const MAX_LIMIT = 250

/**
 * The operation of `quirl links`. Its input has the conditions of `Filter`, a `cursor` and a `limit`; the newest links come
 * first, or with `oldest_first` the oldest. One call looks at a bounded number of links, so that its result may be empty and
 * have a cursor.
 */
export function linkOperations({ db, totals }: ListingNeeds): OperatorOperations {
  const view = async (found: FoundLink) => viewOf(found, await totals(found.link.id).catch(() => null))
  return {
    async links(input): Promise<LinksResult> {
      const filter = readFilter(input)
      const order = orderOf(filter, input['oldest_first'] === true)
      const [after, limit] = [readCursor(input['cursor'], order), readLimit(input['limit'])]
      const page = await (filter.code === undefined
        ? listLinks(db, filter, { order, after, limit })
        : listByCode(db, filter, filter.code))
      const cursor = page.next === undefined ? null : writeCursor(page.next, order)
      return { links: await Promise.all(page.links.map(view)), cursor, looked: page.looked }
    },
  }
}

function readLimit(given: unknown): number {
  if (Number.isInteger(given) && Number(given) >= 1 && Number(given) <= MAX_LIMIT) return Number(given)
  throw invalidRequest([{ pointer: '/limit', detail: `must be a whole number from 1 to ${MAX_LIMIT}` }])
}

function orderOf({ isSuspended, isDeleted }: Filter, isOldestFirst: boolean): Order {
  if (isDeleted) return 'deletion'
  if (isSuspended) return 'suspension'
  return isOldestFirst ? 'oldest' : 'newest'
}

/** Begins with the order, so that no other takes it. */
function writeCursor({ at, id }: Place, order: Order): string {
  return `${order}.${at}.${id}`
}

function readCursor(given: unknown, order: Order): Place | undefined {
  if (given === undefined) return undefined
  const [, of, at, id] = (typeof given === 'string' && /^([a-z]+)\.(\d{1,15})\.(\d{1,15})$/.exec(given)) || []
  if (of !== order || at === undefined || id === undefined) {
    throw invalidRequest([{ pointer: '/cursor', detail: 'must be that of an earlier result with the same conditions' }])
  }
  return { at: Number(at), id: Number(id) }
}

function viewOf({ link, deletedAt }: FoundLink, totals: Totals | null): ListedLink {
  const { code, kind, target, payload, title, campaign, utm, rules, placements, active, suspension } = link
  return {
    code,
    kind,
    target,
    payload,
    title,
    campaign,
    utm,
    rules,
    placements,
    active,
    has_password: link.password !== null,
    created_at: new Date(link.createdAt).toISOString(),
    updated_at: new Date(link.updatedAt).toISOString(),
    removed: suspension && { ...suspension, at: new Date(suspension.at).toISOString() },
    deleted: deletedAt === null ? null : { at: new Date(deletedAt).toISOString(), undo_until: undoUntil(deletedAt) },
    totals,
  }
}
