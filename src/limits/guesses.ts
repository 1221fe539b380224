import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { ClientAddress } from '../http/client-address.ts'
import { Problem } from '../http/problem.ts'
import type { Counters } from './counter.ts'
import type { Refund } from '../lib/charged.ts'

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
export type ChargeGuess = (request: Pick<FastifyRequest, 'raw'>, linkId: number) => Promise<Refund>

/**
 * Limits wrong passwords. When many clients together have used up the quota of a link, each of them has only a few tries
 * left: guessing is slow then, and visitors who know the password still get in. A hard limit would let anyone lock them
 * out.
 */
export function createGuesses(
  { perClient, perLink }: GuessQuotas,
  counters: Pick<Counters, 'of' | 'salt'>,
  client: Pick<ClientAddress, 'of'>,
  monotonic: () => number,
  onRefusal: (quota: 'guesses' | 'link_guesses') => void = () => {},
): ChargeGuess {
  const clients = counters.of('guesses')
  const links = counters.of('links')
  const keyOf = (text: string) => hash('sha256', `${counters.salt()}${text}`, 'buffer').readUIntBE(0, 6)
  const secondsUntil = (until: number) => Math.ceil((until - monotonic()) / 1000)

  return async ({ raw }, linkId) => {
    const ofClient = await clients.charge(keyOf(`guesses ${client.of(raw)}`), perClient || Infinity)
    if (ofClient.isRefused) {
      onRefusal('guesses')
      throw guessProblem(secondsUntil(ofClient.until))
    }
    const hasFew = ofClient.used <= FEW
    const ofLink = await links.charge(keyOf(`link ${linkId}`), hasFew ? Infinity : perLink || Infinity)
    if (!ofLink.isRefused) return async () => void (await Promise.all([ofClient.refund(), ofLink.refund()]))
    onRefusal('link_guesses')
    await ofClient.refund()
    throw guessProblem(secondsUntil(Math.min(ofClient.until, ofLink.until)))
  }
}

function guessProblem(seconds: number): Problem {
  const detail = `too many wrong passwords; try again in ${Math.ceil(seconds / 60)} minutes`
  return new Problem('rate_limited', detail, { headers: { 'retry-after': String(seconds) } })
}
