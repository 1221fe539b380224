import type { Totals } from '../links/link.ts'
import { readKeys, type AsOf, type ListDeps } from './listing.ts'
import type { Collection } from './store.ts'

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
  totals: Pick<Totals, 'scans' | 'humans' | 'last_scan_at'>
}

/** Counts the links of a collection and their scans. */
export async function readOverview(deps: ListDeps, collection: Collection): Promise<Overview> {
  const asOf = await deps.foldedAsOf()
  const campaigns = new Map<string | null, CampaignCount>()
  const totals: Overview['totals'] = { scans: 0, humans: 0, last_scan_at: null }
  let links = 0
  for await (const keys of readKeys(deps, collection.id, {})) {
    const read = keys.length === 0 ? [] : await deps.totals(keys.map(({ id }) => id))
    links += keys.length
    for (const [at, { campaign }] of keys.entries()) {
      const { scans = 0, humans = 0, last_scan_at: last = null } = read[at] ?? {}
      const count = campaigns.get(campaign) ?? { value: campaign, links: 0, scans: 0 }
      campaigns.set(campaign, { ...count, links: count.links + 1, scans: count.scans + scans })
      totals.scans += scans
      totals.humans += humans
      if (last !== null && (totals.last_scan_at === null || last > totals.last_scan_at)) totals.last_scan_at = last
    }
  }
  const largest = [...campaigns.values()].toSorted((one, other) => other.links - one.links || other.scans - one.scans)
  return { ...collection, links, campaigns: largest.slice(0, MAX_CAMPAIGNS), totals, ...asOf }
}
