import type { AdminOperations } from '../../admin/socket.ts'
import type { Database } from '../../db/database.ts'
import { invalidRequest } from '../../http/problem.ts'
import type { Link } from '../link.ts'
import { readFilter } from './filter.ts'
import { listByCode, listLinks } from './listing.ts'
import type { Place } from './listing-store.ts'

/** A link as its operator sees it: without the hashes of its token and its password. Times are ISO 8601, UTC. */
export interface ListedLink extends Pick<
  Link,
  'code' | 'kind' | 'target' | 'payload' | 'title' | 'campaign' | 'utm' | 'rules' | 'active'
> {
  has_password: boolean
  created_at: string
  updated_at: string
  removed: { at: string; reason: string; source: string; expression: string | null } | null
}

/** The result of `links`. */
export interface LinksResult {
  links: ListedLink[]
  /** Passed to the next call; null at the end. */
  cursor: string | null
  /** How many links were looked at. */
  looked: number
}

const MAX_LIMIT = 250

/**
 * The operation of `quirl links`. Its input has the conditions of `Filter`, a `cursor` and a `limit`. One call looks at a
 * bounded number of links, so that its result may be empty and have a cursor.
 */
export function linkOperations(db: Pick<Database, 'read'>): AdminOperations {
  return {
    async links(input): Promise<LinksResult> {
      const filter = readFilter(input)
      const [after, limit] = [readCursor(input['cursor'], filter.isRemoved), readLimit(input['limit'])]
      const page = await (filter.code === undefined
        ? listLinks(db, filter, after, limit)
        : listByCode(db, filter, filter.code))
      const cursor = page.next === undefined ? null : writeCursor(page.next)
      return { links: page.links.map(viewOf), cursor, looked: page.looked }
    },
  }
}

function readLimit(given: unknown): number {
  if (Number.isInteger(given) && Number(given) >= 1 && Number(given) <= MAX_LIMIT) return Number(given)
  throw invalidRequest([{ pointer: '/limit', detail: `must be a whole number from 1 to ${MAX_LIMIT}` }])
}

function writeCursor({ id, removedAt }: Place): string {
  return removedAt === null ? String(id) : `${id}.${removedAt}`
}

/** @param isRemoved whether the listing is in the order of removals */
function readCursor(given: unknown, isRemoved: boolean): Place | undefined {
  if (given === undefined) return undefined
  const [, id, removedAt] = (typeof given === 'string' && /^(\d{1,15})(?:\.(\d{1,15}))?$/.exec(given)) || []
  if (id === undefined || (isRemoved && removedAt === undefined)) {
    throw invalidRequest([{ pointer: '/cursor', detail: 'must be that of an earlier result with the same conditions' }])
  }
  return { id: Number(id), removedAt: removedAt === undefined ? null : Number(removedAt) }
}

function viewOf(link: Link): ListedLink {
  const { code, kind, target, payload, title, campaign, utm, rules, active, suspension } = link
  return {
    code,
    kind,
    target,
    payload,
    title,
    campaign,
    utm,
    rules,
    active,
    has_password: link.password !== null,
    created_at: new Date(link.createdAt).toISOString(),
    updated_at: new Date(link.updatedAt).toISOString(),
    removed: suspension && { ...suspension, at: new Date(suspension.at).toISOString() },
  }
}
