import type { Database } from '../db/database.ts'
import { Problem } from '../http/problem.ts'
import { codeKey } from './code.ts'
import { tokenHashesOf, type Credential } from './credential.ts'
import type { LinkDeps } from './deps.ts'
import type { OwnedLink } from './design.ts'
import { revisionsOf, type Revision } from './history/history.ts'
import { findRevisions } from './history/history-store.ts'
import type { Link } from './link.ts'
import { endOtherMemberships } from './member-store.ts'
import { findRoles, promoteToken } from './rotation-store.ts'
import { findByCode, findById, findByToken, hasToken } from './store.ts'

/** What look-ups by a token need of the rest of the program. */
export interface TokenDeps {
  db: Database
  now: () => number
}

interface Store {
  db: Database
}

/**
 * The link of a token.
 * @throws {Problem} 404 when no link has the token
 */
export async function linkOfToken(deps: TokenDeps, token: Credential): Promise<Link> {
  const link = await findByAnyToken(deps, token, (hash) => findByToken(deps.db.read, hash, deps.now()))
  return requireFound(link, token)
}

/**
 * Checks that a link has a token, without reading the link.
 * @throws {Problem} 404 when none has
 */
export async function requireToken(deps: TokenDeps, token: Credential): Promise<void> {
  if (!(await isWorking(deps, token))) throw unknownToken(token)
}

/** The link of a code, whose case is ignored; 'gone' when it was deleted; undefined when there never was one. */
export async function linkOfCode({ db }: Store, code: string): Promise<Link | 'gone' | undefined> {
  return findByCode(db.read, codeKey(code))
}

/** The link of an ID; undefined when it was deleted. */
export async function linkOfId({ db }: Store, id: number): Promise<Link | undefined> {
  return findById(db.read, id)
}

function requireFound(link: Link | undefined, token?: Credential): Link {
  if (link === undefined) throw unknownToken(token)
  return link
}

type OwnedDeps = TokenDeps & Pick<LinkDeps, 'designs' | 'webhooks'>

/** What the owner of a token sees of its link. @throws {Problem} 404 when no link has the token */
export async function ownedByToken(deps: OwnedDeps, token: Credential): Promise<OwnedLink> {
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

/** Finds something by a token; see `findByAnyTokens`. */
export async function findByAnyToken<T>(
  deps: TokenDeps,
  token: Credential,
  find: (tokenHash: string) => Promise<T | undefined>,
): Promise<T | undefined> {
  const [tokenHash] = await tokenHashesOf(deps, [token])
  if (tokenHash === undefined) return undefined
  const found = await findByAnyTokens(deps.db, [tokenHash], async () => {
    const one = await find(tokenHash)
    return new Map(one === undefined ? [] : [[tokenHash, one]])
  })
  return found.get(tokenHash)
}

/**
 * Finds something for each of some tokens, by their hashes. The first look-up by a link's next token makes it the link's only
 * one; it takes a second statement, and so does that of an unknown token.
 * @param find looks up by the hashes of links' own tokens
 */
export async function findByAnyTokens<T>(
  db: Database,
  tokenHashes: string[],
  find: (tokenHashes: string[]) => Promise<Map<string, T>>,
): Promise<Map<string, T>> {
  const found = tokenHashes.length === 0 ? new Map<string, T>() : await find(tokenHashes)
  const missing = tokenHashes.filter((tokenHash) => !found.has(tokenHash))
  if (missing.length === 0) return found
  const roles = await findRoles(db.read, missing)
  for (const [tokenHash, role] of roles) if (role === 'next') await promote(db, tokenHash)
  // Another process may have made one the link's own between the two look-ups.
  return roles.size === 0 ? found : new Map([...found, ...(await find([...roles.keys()]))])
}

/** Makes the next token of a link its own. Its memberships end, but for the collection through which it was rotated. */
function promote(db: Database, tokenHash: string): Promise<void> {
  return db.transaction(async (transaction) => {
    const promoted = await promoteToken(transaction, tokenHash)
    if (promoted !== undefined) await endOtherMemberships(transaction, promoted.id, promoted.through)
  })
}

/** Whether a token works; see `findByAnyToken`. */
export async function isWorking(deps: TokenDeps, token: Credential): Promise<boolean> {
  const find = async (tokenHash: string) => (await hasToken(deps.db.read, tokenHash, deps.now())) || undefined
  return (await findByAnyToken(deps, token, find)) === true
}

export function unknownToken(token: Credential = ''): Problem {
  if (typeof token !== 'string')
    return new Problem('collection_not_found', 'no collection has this token, or it has no link with this code')
  return new Problem('unknown_token', 'no link has this token; it may have been deleted')
}
