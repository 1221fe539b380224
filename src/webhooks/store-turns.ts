import type { Lease } from '../db/lease.ts'
import { createInTurn } from '../lib/in-turn.ts'

/**
 * Requests that read or record something at the same time. In PostgreSQL, a statement that finds no connection for seconds fails, and
 * with it all sending; and what else the program does by itself, as reading the operator's rules, needs some of these.
 */
export const IN_STORE_AT_ONCE = 3

/** Runs work on the store in a turn with that of other requests, hundreds of which may begin and end at the same time. */
export type InStoreTurn = <T>(work: () => Promise<T>) => Promise<T>

export function createStoreTurns(): InStoreTurn {
  const inTurn = createInTurn()
  let count = 0
  return (work) => inTurn(count++ % IN_STORE_AT_ONCE, work)
}

/** The same lease, which commits in turns. */
export function commitsInTurn(lease: Lease, inStoreTurn: InStoreTurn): Lease {
  return { ...lease, commit: (work) => inStoreTurn(() => lease.commit(work)) }
}
