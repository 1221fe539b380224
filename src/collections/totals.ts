import type { FastifyRequest } from 'fastify'
import { whileConnected } from '../http/client-disconnect.ts'
import type { Limits } from '../limits/open.ts'
import type { Scans } from '../scans/open.ts'
import type { AsOf } from '../scans/statistics/as-of.ts'
import type { BriefTotals } from '../scans/statistics/totals.ts'

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
  /** The totals of up to 10,000 links, in their order. */
  totalsOf: (linkIds: number[]) => Promise<BriefTotals[]>
}

/** Those of other networks take turns with this request's, and the queue of requests bounds how many wait. */
export function countingFor({ scans, limits }: TotalsNeeds, request: FastifyRequest): Counting {
  const holder = limits.holderOf(request)
  return {
    turn: () => limits.turnToRender(request),
    foldedAsOf: scans.foldedAsOf,
    totalsOf: (linkIds) => whileConnected(request, (signal) => scans.totalsOf({ holder, signal }, linkIds)),
  }
}
