import { setImmediate as yieldToLoop } from 'node:timers/promises'
import { Problem } from '../http/problem.ts'
import { hashToken, isToken } from '../lib/token.ts'
import { findByAnyTokens, unknownToken, type TokenDeps } from './rotation.ts'
import { findIdsByTokens, type LinkId } from './store.ts'

/** Tokens that are looked up before unknown ones among them are charged, and before visits have their turn. */
const TOKENS_PER_READ = 50

/** See `Links.findManyByToken`. */
export async function linksOfTokens(
  deps: TokenDeps,
  tokens: string[],
  chargeNotFound: () => Problem | undefined,
): Promise<(LinkId | Problem)[]> {
  const outcomes: (LinkId | Problem)[] = []
  let refusal: Problem | undefined
  for (let from = 0; from < tokens.length; from += TOKENS_PER_READ) {
    const read = tokens.slice(from, from + TOKENS_PER_READ)
    const hashes = refusal === undefined ? read.filter(isToken).map(hashToken) : []
    const ids = await findByAnyTokens(deps.db, hashes, (some) => findIdsByTokens(deps.db.read, some, deps.now()))
    for (const token of read) {
      const outcome = refusal ?? ids.get(hashToken(token)) ?? unknownToken()
      if (refusal === undefined && outcome instanceof Problem) refusal = chargeNotFound()
      outcomes.push(refusal ?? outcome)
    }
    await yieldToLoop()
  }
  return outcomes
}
