import type { AsOf } from '../scans/statistics/as-of.ts'
import { sumTotals, type BriefTotals } from '../scans/statistics/totals.ts'
import { readKeys, type ListDeps } from './listing.ts'
import type { MemberKey } from './listing-store.ts'
import type { Collection } from './store.ts'
import type { Counting } from './totals.ts'

/** Campaigns that an overview names. */
export const MAX_CAMPAIGNS = 1000

/** The links of a campaign, and how often they were scanned; null is that of links without one. */
export interface CampaignCount {
  value: string | null
  links: number
  scans: number
}

/** A collection with what is counted of its links. */
export interface Overview extends Collection, AsOf {
  links: number
  /** The largest by their links, and of equal ones by their scans. */
  campaigns: CampaignCount[]
  totals: BriefTotals
}

/** Counts the links of a collection and their scans. */
export async function readOverview(deps: ListDeps, counting: Counting, collection: Collection): Promise<Overview> {
  const asOf = await counting.foldedAsOf()
  const members: Pick<MemberKey, 'id' | 'campaign'>[] = []
  for await (const keys of readKeys(deps, counting.turn, collection.id, {}))
    members.push(...keys.map(({ id, campaign }) => ({ id, campaign })))
  const totals = await counting.totalsOf(members.map(({ id }) => id))
  const campaigns = new Map<string | null, CampaignCount>()
  for (const [at, { campaign }] of members.entries()) {
    const count = campaigns.get(campaign) ?? { value: campaign, links: 0, scans: 0 }
    count.links++
    count.scans += totals[at]?.scans ?? 0
    campaigns.set(campaign, count)
  }
  const largest = [...campaigns.values()].toSorted((one, other) => other.links - one.links || other.scans - one.scans)
  return {
    ...collection,
    links: members.length,
    campaigns: largest.slice(0, MAX_CAMPAIGNS),
    totals: sumTotals(totals),
    ...asOf,
  }
}
