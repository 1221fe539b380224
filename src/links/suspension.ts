import type { Database, Executor } from '../db/database.ts'
import { Problem } from '../http/problem.ts'
import type { Link, Suspension } from './link.ts'
import { findActive, findActiveAfter, findSuspendedByRuling, setSuspension, setSuspensions } from './store.ts'

/** The response to a visit of a suspended link. It does not reveal the destination. */
export function suspensionProblem({ source }: Pick<Suspension, 'source'>): Problem {
  if (source !== 'legal') return new Problem('code_removed', 'the link behind it was blocked for abuse')
  // RFC 7725, 4: names the party that blocks the resource.
  return new Problem('code_removed_by_law', 'the link behind it may not be shown', {
    headers: { link: '</>; rel="blocked-by"' },
  })
}

/** @throws {Problem} 409 when the link is suspended: its owner may only delete it */
export function requireNotSuspended(link: Link): void {
  if (link.suspension === null) return
  throw new Problem('link_removed', 'the link was blocked for abuse; it can only be deleted')
}

/**
 * Suspends a few links for abuse. Their revisions increase, so that a concurrent change starts over and is rejected. The caller
 * invalidates the cached links after the transaction.
 * @returns the ids of those that were not changed or deleted since they were read
 */
export function suspend(db: Executor, links: readonly Link[], suspension: Suspension): Promise<Set<number>> {
  return setSuspensions(db, links, suspension)
}

/** Ends a suspension. @returns false when the link was changed or deleted since it was read */
export function reinstate(db: Executor, link: Link): Promise<boolean> {
  return setSuspension(db, link, null)
}

/** The next links that are not suspended, by ID; fewer than `limit` when there are no more. */
export function activeLinksAfter(db: Database, id: number, limit: number): Promise<Link[]> {
  return findActiveAfter(db.read, id, limit)
}

/** Those of these links that are not suspended, as they are now. */
export function activeLinksOf(db: Database, ids: number[]): Promise<Link[]> {
  return findActive(db.read, ids)
}

/** Links that are read at once: one may have 256 KiB. */
const READ_AT_ONCE = 16

/** Every link that a ruling or a list has suspended, a few in memory at a time. */
export async function* linksSuspendedByRuling(db: Database): AsyncGenerator<Link> {
  let after = { at: 0, id: 0 }
  for (;;) {
    const links = await findSuspendedByRuling(db.read, after, READ_AT_ONCE)
    yield* links
    const last = links.at(-1)
    if (last === undefined || links.length < READ_AT_ONCE) return
    after = { at: last.suspension?.at ?? 0, id: last.id }
  }
}
