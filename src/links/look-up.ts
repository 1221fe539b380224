import type { Database } from '../db/database.ts'
import { codeKey } from './code.ts'
import type { LinkDeps } from './deps.ts'
import type { OwnedLink } from './design.ts'
import { revisionsOf, type Revision } from './history/history.ts'
import { findRevisions } from './history/history-store.ts'
import type { Link } from './link.ts'
import { findByAnyToken, isWorking, unknownToken, type TokenDeps } from './rotation.ts'
import { findByCode, findById, findByToken } from './store.ts'

interface Store {
  db: Pick<Database, 'read'>
}

/**
 * The link of a token.
 * @throws {Problem} 404 when no link has the token
 */
export async function linkOfToken(deps: TokenDeps, token: string): Promise<Link> {
  return requireFound(await findByAnyToken(deps, token, (hash) => findByToken(deps.db.read, hash, deps.now())))
}

/**
 * Checks that a link has a token, without reading the link.
 * @throws {Problem} 404 when none has
 */
export async function requireToken(deps: TokenDeps, token: string): Promise<void> {
  if (!(await isWorking(deps, token))) throw unknownToken()
}

/** The link of a code, whose case is ignored; 'gone' when it was deleted; undefined when there never was one. */
export async function linkOfCode({ db }: Store, code: string): Promise<Link | 'gone' | undefined> {
  return findByCode(db.read, codeKey(code))
}

/** The link of an ID; undefined when it was deleted. */
export async function linkOfId({ db }: Store, id: number): Promise<Link | undefined> {
  return findById(db.read, id)
}

function requireFound(link: Link | undefined): Link {
  if (link === undefined) throw unknownToken()
  return link
}

type OwnedDeps = TokenDeps & Pick<LinkDeps, 'designs' | 'webhooks'>

/** What the owner of a token sees of its link. @throws {Problem} 404 when no link has the token */
export async function ownedByToken(deps: OwnedDeps, token: string): Promise<OwnedLink> {
  return toOwned(deps, await linkOfToken(deps, token))
}

/** The same of a link that was read before. @throws {Problem} 404 when it was deleted since */
export async function ownedById(deps: OwnedDeps, id: number): Promise<OwnedLink> {
  return toOwned(deps, requireFound(await findById(deps.db.read, id)))
}

/** A change of the design or the webhook increases the revision, so that the link must be read before them. */
async function toOwned({ designs, webhooks }: OwnedDeps, link: Link): Promise<OwnedLink> {
  return { link, design: await designs.of(link.id), webhook: await webhooks.of(link.id) }
}

/** The revisions of a link, newest first. */
export async function historyOf({ db }: Store, owned: OwnedLink): Promise<Revision[]> {
  return revisionsOf(owned, await findRevisions(db.read, owned.link.id))
}
