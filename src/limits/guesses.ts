import { hash, randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { ClientAddress } from '../http/client-address.ts'
import { Problem } from '../http/problem.ts'
import { createCounter, type Window } from './counter.ts'
import type { Refund } from './limits.ts'

const HOUR_MS = 3_600_000
/** About 20 MiB each for clients and links. */
const MAX_KEYS = 100_000
/** Wrong passwords that a client still has for a link whose own quota is used up. */
const FEW = 3

/** Wrong passwords per hour; 0 for no limit. */
export interface GuessQuotas {
  perClient: number
  perLink: number
}

/**
 * Charges a try to its client and to its link, before the password is checked; to be refunded when it was right.
 * @throws {Problem} 429 when a quota is used up
 */
export type ChargeGuess = (request: Pick<FastifyRequest, 'raw'>, linkId: number) => Refund

/**
 * Limits wrong passwords. When many clients together have used up the quota of a link, each of them has only a few tries
 * left: guessing is slow then, and visitors who know the password still get in. A hard limit would let anyone lock them
 * out.
 */
export function createGuesses(
  { perClient, perLink }: GuessQuotas,
  client: Pick<ClientAddress, 'of'>,
  monotonic: () => number,
): ChargeGuess {
  const salt = randomBytes(32).toString('hex')
  const options = { windowMs: HOUR_MS, maxKeys: MAX_KEYS, monotonic }
  const clients = createCounter(options)
  const links = createCounter(options)
  const secondsUntil = (until: number) => Math.ceil((until - monotonic()) / 1000)

  function requireQuota(ofClient: Window, ofLink: Window): void {
    if (isUsedUp(ofClient, perClient)) throw guessProblem(secondsUntil(ofClient.until))
    if (!isUsedUp(ofLink, perLink) || ofClient.used < FEW) return
    throw guessProblem(secondsUntil(Math.min(ofClient.until, ofLink.until)))
  }

  return ({ raw }, linkId) => {
    const key = hash('sha256', `${salt}guesses ${client.of(raw)}`, 'buffer').readUIntBE(0, 6)
    requireQuota(clients.read(key), links.read(linkId))
    clients.charge(key)
    links.charge(linkId)
    return () => {
      clients.refund(key)
      links.refund(linkId)
    }
  }
}

function isUsedUp({ used }: Window, quota: number): boolean {
  return quota > 0 && used >= quota
}

function guessProblem(seconds: number): Problem {
  const detail = `too many wrong passwords; try again in ${Math.ceil(seconds / 60)} minutes`
  return new Problem('rate_limited', detail, { headers: { 'retry-after': String(seconds) } })
}
