import { isDeepStrictEqual } from 'node:util'
import { asObject, isObject } from '../http/body.ts'
import { Problem } from '../http/problem.ts'
import { codeKey } from './code.ts'
import type { LinkDeps } from './create.ts'
import { parsePatch } from './draft.ts'
import { findIds } from './instance-store.ts'
import { mayChange, type Link } from './link.ts'
import { deletePurges, findPurges, insertDeletions } from './purge-store.ts'
import { requireNotRemoved } from './removal.ts'
import { deleteLink, findByCode, findByToken, updateLink } from './store.ts'
import { hashToken, isToken } from '../lib/token.ts'

/**
 * The link that a token belongs to.
 * @throws {Problem} 404 when there is none
 */
export async function linkOfToken(deps: Pick<LinkDeps, 'db'>, token: string): Promise<Link> {
  const link = isToken(token) ? await findByToken(deps.db.read, hashToken(token)) : undefined
  if (link === undefined) throw new Problem('unknown_token', 'no link has this token; it may have been deleted')
  return link
}

/** The link of a code in any case; 'gone' when it was deleted; undefined when there never was one. */
export async function linkOfCode(deps: Pick<LinkDeps, 'db'>, code: string): Promise<Link | 'gone' | undefined> {
  return findByCode(deps.db.read, codeKey(code))
}

/**
 * Makes sure that the design which a body asks for, if any, is one that can be drawn and scanned. The one that the link
 * has is known to be.
 * @throws {Problem} 400 when it is not, 404 for an unknown token, and what `admit` throws when it may not be drawn
 */
export async function checkDesign(
  deps: LinkDeps,
  token: string,
  body: unknown,
  { origin, client, admit }: { origin: string; client: string; admit: () => void },
): Promise<void> {
  const design = isObject(body) ? (body['design'] ?? null) : null
  if (design === null) return
  const { id, code } = await linkOfToken(deps, token)
  if (isDeepStrictEqual(design, await deps.designs.of(id))) return
  admit()
  await deps.designs.check(design, code, { origin, client })
}

/**
 * Changes the fields of a link that `body` names. A body that changes nothing makes no new revision. A design
 * must have been checked.
 * @throws {Problem} 400 for a bad field, 404 for an unknown token, 409 for a removed link, 412 when `ifMatch` names
 * another revision, 422 for a listed destination
 */
export function changeLink(deps: LinkDeps, token: string, body: unknown, ifMatch: string | undefined): Promise<Link> {
  return onPresentRevision(deps, token, ifMatch, async (link) => {
    requireNotRemoved(link)
    const wanted = parsePatch(link, body, deps)
    const design = await changedDesign(deps, link, body)
    if (isDeepStrictEqual(wanted, link) && design === undefined) return link
    const next = { ...wanted, revision: link.revision + 1, updatedAt: deps.now() }
    if (design === undefined) return (await updateLink(deps.db.write, next)) ? next : undefined
    return deps.db.transaction(async (transaction) => {
      if (!(await updateLink(transaction, next))) return undefined
      await deps.designs.save(transaction, link.id, design)
      return next
    })
  })
}

/** The design that a body asks for, null for none; undefined when it leaves it as it is. */
async function changedDesign({ designs }: LinkDeps, link: Link, body: unknown): Promise<object | null | undefined> {
  const wanted = asObject(body)['design'] as object | null | undefined
  if (wanted === undefined || isDeepStrictEqual(wanted, (await designs.of(link.id)) ?? null)) return undefined
  return wanted
}

/**
 * Deletes a link; its code stays taken. The same transaction notes that what is kept elsewhere about it is to be removed,
 * so that it will be, whatever happens to the process or to the other stores.
 * @returns the link as it was
 * @throws {Problem} 404 for an unknown token, 412 when `ifMatch` names another revision
 */
export async function removeLink(deps: LinkDeps, token: string, ifMatch: string | undefined): Promise<Link> {
  const removed = await onPresentRevision(deps, token, ifMatch, (link) =>
    deps.db.transaction(async (transaction) => {
      if (!(await deleteLink(transaction, link))) return undefined
      await insertDeletions(transaction, [link.id])
      return link
    }),
  )
  deps.forget(removed.id)
  return removed
}

/** Notes that links of which nothing is known were deleted, so that what is kept elsewhere about them is removed. */
export function noteDeleted({ db }: Pick<LinkDeps, 'db'>, linkIds: number[]): Promise<void> {
  return db.transaction((transaction) => insertDeletions(transaction, linkIds))
}

/** What others need to know of links to keep nothing about deleted ones. */
export function linkIdsOf({ db }: Pick<LinkDeps, 'db'>) {
  return {
    existing: async (ids: number[]) => new Set(await findIds(db.read, ids)),
    /** The deleted links of which something may still be kept elsewhere. */
    toPurge: () => findPurges(db.read),
    purged: (ids: number[]) => deletePurges(db.write, ids),
  }
}

/** Reads a link, then changes just that revision of it; starts over while others change it in between. */
async function onPresentRevision(
  deps: LinkDeps,
  token: string,
  ifMatch: string | undefined,
  change: (link: Link) => Promise<Link | undefined>,
): Promise<Link> {
  for (;;) {
    const link = await linkOfToken(deps, token)
    if (!mayChange(link, ifMatch)) {
      throw new Problem('precondition_failed', `the link is at revision ${link.revision}, If-Match asks for another`)
    }
    const changed = await change(link)
    if (changed === undefined) continue
    deps.changed(link.code)
    return changed
  }
}
