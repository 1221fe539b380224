import { asOf } from './as-of.ts'
import type { RowQueries } from './row-queries.ts'
import { countPeriods, type LinkCounts } from './stats.ts'
import type { Windows } from './windows.ts'

/** A link of which statistics are read. */
export interface CountedLink {
  id: number
  /** Whether it counts in the sum: false for a link that was counted before. */
  isCounted: boolean
}

/** The statistics of several links in the same window. */
export interface ManyStats {
  from: string
  to: string
  /** The `LinkCounts` of each link, as JSON: the thread that reads them also writes them, so that the main one need not. */
  texts: string[]
  /** The sum of the links that count. */
  sum: LinkCounts
  /** Until when scans are included, if other nodes have not folded later ones. */
  as_of?: string
}

/** Reads the statistics of several links, each as `readStats` does. */
export async function readStatsOfMany(
  rows: RowQueries,
  links: CountedLink[],
  { query: { audience }, now, periods, rowRanges, from, to }: Windows,
): Promise<ManyStats> {
  const linkIds = links.map(({ id }) => id)
  const read = await rows.ofLinks(linkIds, { audience, slots: periods, rowRanges })
  const sum = emptyCounts(periods.map(({ date }) => date))
  const texts = read.links.map(({ slots, sources }, at) => {
    const counts = countPeriods(periods, slots, audience, sources)
    if (links[at]?.isCounted === true) addCounts(sum, counts)
    return JSON.stringify(counts)
  })
  return { from, to, texts, sum, ...asOf(now, read) }
}

function emptyCounts(dates: string[]): LinkCounts {
  return {
    totals: { scans: 0, unique_visitors: 0, humans: 0, bots: 0, qr: 0, link: 0 },
    unique_visitors: 0,
    series: dates.map((date) => ({ date, scans: 0, unique_visitors: 0 })),
  }
}

/** Adds the counts of the same periods to a sum. */
export function addCounts(sum: LinkCounts, { totals, unique_visitors: visitors, series }: LinkCounts): void {
  for (const name of Object.keys(sum.totals) as (keyof LinkCounts['totals'])[]) sum.totals[name] += totals[name]
  sum.unique_visitors += visitors
  for (const [at, period] of sum.series.entries()) {
    period.scans += series[at]?.scans ?? 0
    period.unique_visitors += series[at]?.unique_visitors ?? 0
  }
}
