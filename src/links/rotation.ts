import type { Database } from '../db/database.ts'
import { Problem } from '../http/problem.ts'
import { hashToken, isToken, newToken } from '../lib/token.ts'
import { noCharge } from './charged.ts'
import type { Client } from './client.ts'
import { createCharged, type CreationOptions } from './create.ts'
import type { LinkDeps } from './deps.ts'
import { findRoles, promoteToken, putNextToken } from './rotation-store.ts'
import { hasToken } from './store.ts'

/** What look-ups by a token need of the rest of the program. */
export interface TokenDeps {
  db: Database
  now: () => number
}

/** The response to a rotation. */
export interface RotatedToken {
  token: string
  manage_url: string
}

/** The response to a creation has a token as well, and a rotation with its key is another request. */
function isRotation(response: unknown): response is RotatedToken {
  return Object.keys(response as object).every((name) => name === 'token' || name === 'manage_url')
}

/** Finds something by a token; see `findByAnyTokens`. */
export async function findByAnyToken<T>(
  { db }: Pick<TokenDeps, 'db'>,
  token: string,
  find: (tokenHash: string) => Promise<T | undefined>,
): Promise<T | undefined> {
  if (!isToken(token)) return undefined
  const tokenHash = hashToken(token)
  const found = await findByAnyTokens(db, [tokenHash], async () => {
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
  for (const [tokenHash, role] of roles) if (role === 'next') await promoteToken(db.write, tokenHash)
  // Another process may have made one the link's own between the two look-ups.
  return roles.size === 0 ? found : new Map([...found, ...(await find([...roles.keys()]))])
}

/** Whether a token works; see `findByAnyToken`. */
export async function isWorking(deps: TokenDeps, token: string): Promise<boolean> {
  const find = async (tokenHash: string) => (await hasToken(deps.db.read, tokenHash, deps.now())) || undefined
  return (await findByAnyToken(deps, token, find)) === true
}

export function unknownToken(): Problem {
  return new Problem('unknown_token', 'no link has this token; it may have been deleted')
}

/**
 * Issues a token that replaces a link's own once it is used, or an hour later; an earlier one that was not used is void. So
 * whoever lost the response still has a token that works.
 * @param options of its `idempotentRequest` the key and the headers count: a retry may come with the old token, even when that
 * no longer works, or with the new one. Only a response that is stored for retries is charged, as that of a creation.
 * @throws {Problem} 404 for an unknown token, 422 when the key was used for another request, 429 when the quota is used up
 */
export async function rotateToken(
  deps: TokenDeps & Pick<LinkDeps, 'idempotency' | 'ids'>,
  token: string,
  client: Pick<Client, 'origin' | 'charge'>,
  { idempotentRequest }: CreationOptions,
): Promise<RotatedToken> {
  const isKnown = await isWorking(deps, token)
  const key = idempotentRequest && {
    key: idempotentRequest.key,
    request: JSON.stringify(['rotate', hashToken(token), ...(idempotentRequest.covered ?? [])]),
    isAnsweredBy: (response: unknown) => isRotation(response) && response.token === token,
  }
  const chargeKnown = async () => {
    if (!isKnown) throw unknownToken()
    return idempotentRequest === undefined ? noCharge() : client.charge('links')
  }
  return createCharged(deps, { charge: chargeKnown, idempotentRequest: key }, async ({ transaction }) => {
    const next = newToken()
    const rotation = { nextHash: hashToken(next), now: deps.now() }
    if (!(await putNextToken(transaction, hashToken(token), rotation))) throw unknownToken()
    return { token: next, manage_url: `${client.origin}/m/${next}` }
  })
}
