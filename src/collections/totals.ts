import type { FastifyRequest } from 'fastify'
import { whileConnected } from '../http/client-disconnect.ts'
import type { FairUse } from '../limits/limits.ts'
import type { Scans } from '../scans/open.ts'
import type { AsOf } from '../scans/statistics/as-of.ts'
import { sumTotals, type BriefTotals } from '../scans/statistics/totals.ts'

/** What totals of many links need of the rest of the program. */
export interface TotalsNeeds {
  scans: Pick<Scans, 'foldedAsOf' | 'totalsOf'>
  limits: Pick<FairUse, 'holderOf'>
}

/** Totals of links, and until when scans are included if some are missing. */
export interface StatedBriefTotals extends AsOf {
  /** In the order of the links. */
  totals: BriefTotals[]
}

/**
 * Reads the totals of up to 10,000 links, with all visits until now if the fold succeeds in time. Those of other networks take turns
 * with it, and the queue of requests bounds how many wait.
 */
export async function readTotalsOf(
  { scans, limits }: TotalsNeeds,
  request: FastifyRequest,
  linkIds: number[],
): Promise<StatedBriefTotals> {
  const asOf = await scans.foldedAsOf()
  const holder = limits.holderOf(request)
  const totals = await whileConnected(request, (signal) => scans.totalsOf({ holder, signal }, linkIds))
  return { totals, ...asOf }
}

/** The same of all links together. */
export async function readSumOf(
  needs: TotalsNeeds,
  request: FastifyRequest,
  linkIds: number[],
): Promise<{ totals: BriefTotals } & AsOf> {
  const { totals, ...asOf } = await readTotalsOf(needs, request, linkIds)
  return { totals: sumTotals(totals), ...asOf }
}
