import type { AsOf } from '../scans/statistics/as-of.ts'
import { sumTotals, type BriefTotals } from '../scans/statistics/totals.ts'
import { readAgain, readIds, type Members, type PlacedMember } from './members.ts'
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
export async function readOverview(
  { idsAfter, membersAfter, gather }: Members,
  counting: Counting,
  collection: Collection,
): Promise<Overview> {
  const asOf = await counting.foldedAsOf()
  const reading = { collectionId: collection.id, conditions: {}, turn: counting.turn }
  const ids = await readIds(idsAfter, reading)
  const { scans, totals } = await scansOf(counting, ids)
  const campaigns = await counting.asWaiter((who) =>
    gather(who, () => largestCampaigns(readAgain(membersAfter, ids, reading), scans)),
  )
  return { ...collection, links: ids.length, campaigns, totals, ...asOf }
}

/** The scans of each link, and the totals of all. */
async function scansOf(counting: Counting, ids: number[]): Promise<{ scans: Float64Array; totals: BriefTotals }> {
  const totals = await counting.totalsOf(ids)
  return { scans: Float64Array.from(totals, (of) => of.scans), totals: sumTotals(totals) }
}

async function largestCampaigns(parts: AsyncIterable<PlacedMember[]>, scans: Float64Array): Promise<CampaignCount[]> {
  const campaigns = new Map<string | null, CampaignCount>()
  for await (const part of parts)
    for (const { member, at } of part) {
      const { campaign } = member
      const count = campaigns.get(campaign) ?? { value: campaign, links: 0, scans: 0 }
      count.links++
      count.scans += scans[at] ?? 0
      campaigns.set(campaign, count)
    }
  const largest = [...campaigns.values()].toSorted((one, other) => other.links - one.links || other.scans - one.scans)
  return largest.slice(0, MAX_CAMPAIGNS)
}
