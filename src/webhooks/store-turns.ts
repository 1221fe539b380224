import type { Lease } from '../db/lease.ts'
import { createTurns } from '../lib/turns.ts'

/**
 * Requests of one network that read or record something at the same time, and as many of others. In PostgreSQL, a statement that
 * finds no connection for seconds fails, and with it all sending; and what else the program does by itself, as reading the
 * operator's rules, needs some of these.
 */
export const IN_STORE_AT_ONCE = 2

/**
 * Runs work on the store in a turn with that of other requests, hundreds of which may begin and end at the same time.
 * @param network whose event is sent. Networks take turns, and each has a place beside what waits for the locks of another's changes:
 * who has hundreds of receivers delays what is recorded for others no more than who has one
 */
export type InStoreTurn = <T>(network: string, work: () => Promise<T>) => Promise<T>

export function createStoreTurns(): InStoreTurn {
  // The lanes bound how many wait.
  const bounds = { waiting: Infinity, concurrent: IN_STORE_AT_ONCE, hasPlacesForOthers: true }
  const turns = createTurns(bounds, () => new Error('unreachable'))
  return (network, work) => turns.run({ holder: { client: network, network, allocation: network } }, work)
}

/** The same lease, which commits in the turns of a network. */
export function commitsInTurn(lease: Lease, inStoreTurn: InStoreTurn, network: string): Lease {
  return { ...lease, commit: (work) => inStoreTurn(network, () => lease.commit(work)) }
}
