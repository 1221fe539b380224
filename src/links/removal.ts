import type { Database, Executor } from '../db/database.ts'
import { Problem } from '../http/problem.ts'
import type { Link, Removal } from './link.ts'
import { findLiveAfter, findRemovedByEntry, setRemoval } from './store.ts'

/** What the address of a removed link answers. It does not say where the link led. */
export function removedProblem({ source }: Pick<Removal, 'source'>): Problem {
  if (source !== 'legal') return new Problem('code_removed', 'the link behind it was removed for abuse')
  // RFC 7725, 4: who has put the order into effect.
  return new Problem('code_removed_by_law', 'the link behind it may not be shown', {
    headers: { link: '</>; rel="blocked-by"' },
  })
}

/** @throws {Problem} 409 when the link was removed: its owner may delete it, and nothing else */
export function requireNotRemoved(link: Link): void {
  if (link.removed === null) return
  throw new Problem('link_removed', 'the link was removed for abuse; it can only be deleted')
}

/**
 * Removes a link for abuse; its revision counts on, so that a change that was under way starts over and is refused.
 * To be told to whoever remembers the link once the transaction has ended.
 * @returns false when the link has changed or gone since it was read
 */
export function takeDown(db: Executor, link: Link, removal: Removal): Promise<boolean> {
  return setRemoval(db, link, removal)
}

/** Takes a removal back. False when the link has changed or gone since it was read. */
export function putBack(db: Executor, link: Link): Promise<boolean> {
  return setRemoval(db, link, null)
}

/** The next links that are not removed, by id; fewer than `limit` are the last ones. */
export function liveLinksAfter(db: Database, id: number, limit: number): Promise<Link[]> {
  return findLiveAfter(db.read, id, limit)
}

/** Every link that was removed because of a listed expression. */
export function linksRemovedByEntry(db: Database): Promise<Link[]> {
  return findRemovedByEntry(db.read)
}
