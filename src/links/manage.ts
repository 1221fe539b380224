import { isDeepStrictEqual } from 'node:util'
import type { Database } from '../db/database.ts'
import { Problem } from '../http/problem.ts'
import { codeKey } from './code.ts'
import type { CheckedDesign, LinkDesigns, OwnedLink } from './design.ts'
import { parsePatch } from './draft.ts'
import { mayChange, type Link } from './link.ts'
import { insertDeletions } from './purge-store.ts'
import { requireNotRemoved } from './removal.ts'
import { deleteLink, findByCode, findById, findByToken, hasToken, updateLink } from './store.ts'
import { hashToken, isToken } from '../lib/token.ts'
import type { UrlPolicy } from './url-policy.ts'

/** What changes and deletions need of the rest of the program. */
export interface ManageDeps extends UrlPolicy {
  db: Database
  now: () => number
  designs: Pick<LinkDesigns, 'of' | 'save'>
  /** Makes visits read the link of a code anew: called after a change, before that is answered. */
  invalidate: (code: string) => void
  /** Removes the scans of a link soon: called after its deletion was committed. */
  purgeScans: (linkId: number) => void
}

type Store = Pick<ManageDeps, 'db'>

/**
 * The link that a token belongs to.
 * @throws {Problem} 404 when there is none
 */
export async function linkOfToken({ db }: Store, token: string): Promise<Link> {
  return known(isToken(token) ? await findByToken(db.read, hashToken(token)) : undefined)
}

/**
 * Finds out whether a token belongs to a link, without reading that.
 * @throws {Problem} 404 when it does not
 */
export async function requireToken({ db }: Store, token: string): Promise<void> {
  if (!isToken(token) || !(await hasToken(db.read, hashToken(token)))) throw unknownToken()
}

/** The link of a code in any case; 'gone' when it was deleted; undefined when there never was one. */
export async function linkOfCode({ db }: Store, code: string): Promise<Link | 'gone' | undefined> {
  return findByCode(db.read, codeKey(code))
}

function known(link: Link | undefined): Link {
  if (link === undefined) throw unknownToken()
  return link
}

function unknownToken(): Problem {
  return new Problem('unknown_token', 'no link has this token; it may have been deleted')
}

/** Adds its design to a link. A change of either makes a new revision, so that the link must be read first. */
export async function withDesign({ designs }: Pick<ManageDeps, 'designs'>, link: Link): Promise<OwnedLink> {
  return { link, design: await designs.of(link.id) }
}

/** What a change is held to. */
export interface ChangeOptions {
  /** The header: the revisions that may be changed. */
  ifMatch?: string | undefined
  /** The design that `body` names, checked; absent, the design stays. */
  design?: CheckedDesign | undefined
}

/**
 * Changes the fields of a link that `body` names. A body that changes nothing makes no new revision.
 * @param owned the link as it was read; it is read again only when somebody has changed it since
 * @throws {Problem} 400 for a bad field, 404 for a link that is gone, 409 for a removed link, 412 when `ifMatch` names
 * another revision, 422 for a listed destination
 */
export function changeLink(
  deps: ManageDeps,
  owned: OwnedLink,
  body: unknown,
  { ifMatch, design }: ChangeOptions,
): Promise<OwnedLink> {
  const readAgain = async () => withDesign(deps, known(await findById(deps.db.read, owned.link.id)))
  return onPresentRevision(deps, owned, readAgain, ifMatch, async (present) => {
    const { link } = present
    requireNotRemoved(link)
    const wanted = parsePatch(link, body, deps)
    const isDesigned = design !== undefined && !isDeepStrictEqual(design.value, present.design ?? null)
    if (isDeepStrictEqual(wanted, link) && !isDesigned) return present
    const next = { ...wanted, revision: link.revision + 1, updatedAt: deps.now() }
    if (!isDesigned) return (await updateLink(deps.db.write, next)) ? { ...present, link: next } : undefined
    return deps.db.transaction(async (transaction) => {
      if (!(await updateLink(transaction, next))) return undefined
      await deps.designs.save(transaction, link.id, design)
      return { link: next, design: design.value ?? undefined }
    })
  })
}

/**
 * Deletes a link; its code stays taken. The same transaction notes that what is kept elsewhere about it is to be removed,
 * so that it will be, whatever happens to the process or to the other stores.
 * @returns the link as it was
 * @throws {Problem} 404 for an unknown token, 412 when `ifMatch` names another revision
 */
export async function removeLink(deps: ManageDeps, token: string, ifMatch: string | undefined): Promise<Link> {
  const read = async () => ({ link: await linkOfToken(deps, token) })
  const { link: removed } = await onPresentRevision(deps, await read(), read, ifMatch, (present) =>
    deps.db.transaction(async (transaction) => {
      if (!(await deleteLink(transaction, present.link))) return undefined
      await insertDeletions(transaction, [present.link.id])
      return present
    }),
  )
  deps.purgeScans(removed.id)
  return removed
}

/** Notes that links of which nothing is known were deleted, so that what is kept elsewhere about them is removed. */
export function noteDeleted({ db }: Store, linkIds: number[]): Promise<void> {
  return db.transaction((transaction) => insertDeletions(transaction, linkIds))
}

/** Changes just the revision of a link that was read; reads it again and starts over while others change it in between. */
async function onPresentRevision<T extends { link: Link }>(
  deps: Pick<ManageDeps, 'invalidate'>,
  read: T,
  readAgain: () => Promise<T>,
  ifMatch: string | undefined,
  change: (present: T) => Promise<T | undefined>,
): Promise<T> {
  for (let present = read; ; present = await readAgain()) {
    const { link } = present
    if (!mayChange(link, ifMatch)) {
      throw new Problem('precondition_failed', `the link is at revision ${link.revision}, If-Match asks for another`)
    }
    const changed = await change(present)
    if (changed === undefined) continue
    deps.invalidate(link.code)
    return changed
  }
}
