import type { FastifyRequest } from 'fastify'
import { whileConnected } from '../http/client-disconnect.ts'
import type { Limits } from '../limits/open.ts'
import type { Scans } from '../scans/open.ts'
import type { AsOf } from '../scans/statistics/as-of.ts'
import type { BriefTotals } from '../scans/statistics/totals.ts'
import type { Waiter } from '../lib/turns.ts'

/** What totals of many links need of the rest of the program. */
export interface TotalsNeeds {
  scans: Pick<Scans, 'foldedAsOf' | 'totalsOf'>
  limits: Pick<Limits, 'holderOf' | 'turnToRender'>
}

/** Counts visits for a request. */
export interface Counting {
  /** Waits for the request's turn in the event loop, which the next part of a long list takes for milliseconds. */
  turn: () => Promise<void>
  /** Waits until earlier visits are counted, if the fold succeeds in time. @returns until when scans are included if some are missing */
  foldedAsOf: () => Promise<AsOf>
  /** Waits for something as the client of the request, until it disconnects. */
  asWaiter: <T>(wait: (who: Waiter) => Promise<T>) => Promise<T>
  /** The totals of up to 10,000 links, in their order. */
  totalsOf: (linkIds: number[]) => Promise<BriefTotals[]>
}

/** Those of other networks take turns with this request's, and the queue of requests bounds how many wait. */
export function countingFor({ scans, limits }: TotalsNeeds, request: FastifyRequest): Counting {
  const holder = limits.holderOf(request)
  const asWaiter: Counting['asWaiter'] = (wait) => whileConnected(request, (signal) => wait({ holder, signal }))
  return {
    turn: () => limits.turnToRender(request),
    foldedAsOf: scans.foldedAsOf,
    asWaiter,
    totalsOf: (linkIds) => asWaiter((who) => scans.totalsOf(who, linkIds)),
  }
}
