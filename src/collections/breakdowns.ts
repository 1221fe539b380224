import type { Counts } from '../scans/statistics/stats-query.ts'
import type { MemberKey } from './listing-store.ts'
import type { PlacedMember } from './members.ts'

/** The scans of a link. */
export type LinkCount = Counts & Pick<MemberKey, 'code' | 'title'>

/** The scans of the links of a campaign; null is none. */
export type CampaignCount = Counts & { value: string | null }

/** Values of a breakdown, as dimensions have. */
const TOP = 10

/** What a collection's statistics have besides those of a link. */
export interface CollectionBreakdowns {
  link: LinkCount[]
  campaign: CampaignCount[]
}

/**
 * The links and campaigns with most scans, by scans and then by name.
 * @param parts the links, in parts
 * @param counts scans and unique visitors of each link, by its place
 * @param limit how many of each, in place of ten
 */
export async function breakdownsOf(
  parts: AsyncIterable<PlacedMember[]>,
  counts: Float64Array,
  limit = TOP,
): Promise<CollectionBreakdowns> {
  const links: LinkCount[] = []
  const campaigns = new Map<string | null, CampaignCount>()
  for await (const part of parts)
    for (const { member, at } of part) {
      const { code, title, campaign } = member
      const [scans = 0, visitors = 0] = counts.subarray(at * 2, at * 2 + 2)
      if (scans === 0) continue
      links.push({ code, title, scans, unique_visitors: visitors })
      let sum = campaigns.get(campaign)
      if (sum === undefined) campaigns.set(campaign, (sum = { value: campaign, scans: 0, unique_visitors: 0 }))
      sum.scans += scans
      sum.unique_visitors += visitors
    }
  return {
    link: links.sort((a, b) => b.scans - a.scans || compare(a.code, b.code)).slice(0, limit),
    campaign: [...campaigns.values()]
      .sort((a, b) => b.scans - a.scans || compareNames(a.value, b.value))
      .slice(0, limit),
  }
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** None comes last among equals. */
const compareNames = (a: string | null, b: string | null) =>
  a === null || b === null ? Number(a === null) - Number(b === null) : compare(a, b)
