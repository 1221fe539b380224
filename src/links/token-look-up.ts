import type { Database, Executor } from '../db/database.ts'
import { tokenHashesOf, type Credential } from './credential.ts'
import { endOtherMemberships } from './member-store.ts'
import { findLateNext, findRoles, promoteToken, putRekeyed } from './rotation-store.ts'
import { hasToken } from './store.ts'

/** What look-ups by a token need of the rest of the program. */
export interface TokenDeps {
  db: Database
  now: () => number
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
  for (const [tokenHash, role] of roles)
    if (role === 'next') await db.transaction((transaction) => promote(transaction, tokenHash))
  // Another process may have made one the link's own between the two look-ups.
  return roles.size === 0 ? found : new Map([...found, ...(await find([...roles.keys()]))])
}

/** Makes the next token of a link its own. Its memberships end, but for the collection through which it was rotated. */
async function promote(db: Executor, tokenHash: string): Promise<void> {
  const promoted = await promoteToken(db, tokenHash)
  if (promoted !== undefined) await endOtherMemberships(db, promoted.id, promoted.through)
}

/**
 * Has the operator's token replace that of a link, in a transaction, as a rotation does; every membership ends with the old one.
 * @returns false when the link was deleted
 */
export async function replaceToken(
  transaction: Executor,
  linkId: number,
  { nextHash, now }: { nextHash: string; now: number },
): Promise<boolean> {
  // A token that has ended, and memberships that have, must not begin again.
  const late = await findLateNext(transaction, linkId, now)
  if (late !== undefined) await promote(transaction, late)
  return putRekeyed(transaction, linkId, { nextHash, now })
}

/** Whether a token works; see `findByAnyToken`. */
export async function isWorking(deps: TokenDeps, token: Credential): Promise<boolean> {
  const find = async (tokenHash: string) => (await hasToken(deps.db.read, tokenHash, deps.now())) || undefined
  return (await findByAnyToken(deps, token, find)) === true
}
