import { asOf } from './as-of.ts'
import type { CountedRows } from './row-queries.ts'
import { countCompared, countPeriods, type LinkCounts } from './stats.ts'
import type { WindowTotals } from './stats-query.ts'
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
export async function readStatsOfMany(rows: CountedRows, links: CountedLink[], windows: Windows): Promise<ManyStats> {
  const { query, now, periods, rowRanges, from, to } = windows
  const { audience } = query
  const linkIds = links.map(({ id }) => id)
  const read = await rows.ofLinks(linkIds, { audience, slots: periods, rowRanges })
  const comparedOf = await readCompared(rows, linkIds, windows)
  const sum = emptyCounts(windows)
  const texts = read.links.map(({ slots, sources }, at) => {
    const counts = { ...countPeriods(periods, slots, audience, sources), ...comparedOf(at) }
    if (links[at]?.isCounted === true) addCounts(sum, counts)
    return JSON.stringify(counts)
  })
  return { from, to, texts, sum, ...asOf(now, read) }
}

/** Reads what the links are compared with, if the query asks for it. It need not be of the same moment: few scans arrive that late. */
async function readCompared(
  rows: CountedRows,
  linkIds: number[],
  { query: { audience }, compared }: Windows,
): Promise<(at: number) => Pick<LinkCounts, 'compared'>> {
  if (compared === undefined) return () => ({})
  const { links } = await rows.ofLinks(linkIds, { audience, slots: [compared], rowRanges: compared.rowRanges })
  return (at) => ({ compared: countCompared(compared, links[at]?.slots[0], links[at]?.sources, audience) })
}

function emptyCounts({ periods, query: { audience }, compared }: Windows): LinkCounts {
  return {
    ...countPeriods(periods, [], audience, { qr: 0 }),
    ...(compared && { compared: countCompared(compared, undefined, undefined, audience) }),
  }
}

/** Adds the counts of the same periods to a sum. */
export function addCounts(sum: LinkCounts, { totals, unique_visitors: visitors, series, compared }: LinkCounts): void {
  addTotals(sum.totals, totals)
  if (sum.compared !== undefined && compared !== undefined) addTotals(sum.compared.totals, compared.totals)
  sum.unique_visitors += visitors
  for (const [at, period] of sum.series.entries()) {
    period.scans += series[at]?.scans ?? 0
    period.unique_visitors += series[at]?.unique_visitors ?? 0
  }
}

function addTotals(sum: WindowTotals, totals: WindowTotals): void {
  for (const name of Object.keys(sum) as (keyof WindowTotals)[]) sum[name] += totals[name]
}
