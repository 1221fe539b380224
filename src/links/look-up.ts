import type { Database } from '../db/database.ts'
import { codeKey } from './code.ts'
import type { Credential } from './credential.ts'
import { missingLink } from './deleted.ts'
import type { LinkDeps } from './deps.ts'
import type { OwnedLink } from './design.ts'
import { revisionsOf, type Revision } from './history/history.ts'
import { findRevisions } from './history/history-store.ts'
import type { Link } from './link.ts'
import { findByCode, findByCodes, findById, findByToken } from './store.ts'
import { findByAnyToken, isWorking, type TokenDeps } from './token-look-up.ts'

interface Store {
  db: Database
}

/**
 * The link of a token.
 * @throws {Problem} 404 when no link has the token, 410 when its link was deleted and can be brought back
 */
export async function linkOfToken(deps: TokenDeps, token: Credential): Promise<Link> {
  const link = await findByAnyToken(deps, token, (hash) => findByToken(deps.db.read, hash, deps.now()))
  if (link === undefined) throw await missingLink(deps, token)
  return link
}

/**
 * Checks that a link has a token, without reading the link.
 * @throws {Problem} 404 when none has, 410 as above
 */
export async function requireToken(deps: TokenDeps, token: Credential): Promise<void> {
  if (!(await isWorking(deps, token))) throw await missingLink(deps, token)
}

/** The link of a code, whose case is ignored; 'gone' when it was deleted; undefined when there never was one. */
export async function linkOfCode({ db }: Store, code: string): Promise<Link | 'gone' | undefined> {
  return findByCode(db.read, codeKey(code))
}

/** The links of these codes that were not deleted, by their codes in lower case. */
export async function linksOfCodes(
  { db }: { db: Pick<Database, 'read'> },
  codes: string[],
): Promise<Map<string, Link>> {
  return findByCodes(db.read, codes.map(codeKey))
}

/** The link of an ID; undefined when it was deleted. */
export async function linkOfId({ db }: Store, id: number): Promise<Link | undefined> {
  return findById(db.read, id)
}

type OwnedDeps = TokenDeps & Pick<LinkDeps, 'designs' | 'webhooks'>

/** What the owner of a token sees of its link. @throws {Problem} 404 or 410 as `linkOfToken` */
export async function ownedByToken(deps: OwnedDeps, token: Credential): Promise<OwnedLink> {
  const link = await linkOfToken(deps, token)
  // A change of the design or the webhook increases the revision, so that the link must be read before them.
  const [design, webhook] = [await deps.designs.of(link.id), await deps.webhooks.of(link.id)]
  return { link, design, webhook, credential: token }
}

/** The revisions of a link, newest first. */
export async function historyOf({ db }: Store, owned: OwnedLink): Promise<Revision[]> {
  return revisionsOf(owned, await findRevisions(db.read, owned.link.id))
}
