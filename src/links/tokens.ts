import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { Problem } from '../http/problem.ts'
import { hashToken, isToken } from '../lib/token.ts'
import { deletedProblems, unknownToken } from './deleted.ts'
import { findByAnyTokens, type TokenDeps } from './token-look-up.ts'
import type { ChargeNotFound } from './bulk/row-links.ts'
import { findIdsByTokens, type LinkId } from './store.ts'

/** Tokens that are looked up before unknown ones among them are charged, and before visits have their turn. */
const TOKENS_PER_READ = 50

/** See `Links.findManyByToken`. */
export async function linksOfTokens(
  deps: TokenDeps,
  tokens: string[],
  chargeNotFound: ChargeNotFound,
): Promise<(LinkId | Problem)[]> {
  const outcomes: (LinkId | Problem)[] = []
  for (let from = 0; from < tokens.length; from += TOKENS_PER_READ) {
    const read = tokens.slice(from, from + TOKENS_PER_READ)
    const hashes = read.filter(isToken).map(hashToken)
    const ids = await findByAnyTokens(deps.db, hashes, (some) => findIdsByTokens(deps.db.read, some, deps.now()))
    const missing = hashes.filter((hash) => !ids.has(hash))
    const deleted = await deletedProblems(deps, missing)
    const found = read.map((token) => ids.get(hashToken(token)) ?? deleted.get(hashToken(token)))
    // All at once: where the counts are elsewhere, one after the other would take many round trips.
    const refusals = await Promise.all(found.map(async (id) => (id === undefined ? chargeNotFound() : undefined)))
    const refused = refusals.findIndex((refusal) => refusal !== undefined)
    const refusal = refusals[refused]
    outcomes.push(...found.map((id) => id ?? unknownToken()).slice(0, refusal === undefined ? undefined : refused))
    if (refusal !== undefined) return [...outcomes, ...tokens.slice(outcomes.length).map(() => refusal)]
    await yieldToLoop()
  }
  return outcomes
}
