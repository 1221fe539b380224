import type { Totals } from '../../links/link.ts'
import type { RowQueries, TotalsRow } from './row-queries.ts'

/** Reads the totals of links since their creation. */
export async function readTotals(rows: RowQueries, linkIds: number[]): Promise<Totals[]> {
  return (await rows.totals(linkIds)).map(totalsOf)
}

/** Scans by humans since the creation of a link, and how many people made them, each counted once a day. */
export interface HumansOfLink {
  scans: number
  visitors: number
}

/** Reads the numbers of humans of links, in the order of the links. */
export async function readHumans(rows: RowQueries, linkIds: number[]): Promise<HumansOfLink[]> {
  if (linkIds.length === 0) return []
  return (await rows.totals(linkIds)).map((row) => ({
    scans: row.humans,
    visitors: row.human_firsts - row.people_again,
  }))
}

function totalsOf({ humans, bots, human_firsts: humanFirsts, bot_firsts: botFirsts, qr, last_at: last }: TotalsRow) {
  const scans = humans + bots
  return {
    scans,
    humans,
    bots,
    unique_visitors: humanFirsts + botFirsts,
    qr,
    link: scans - qr,
    last_scan_at: last === undefined ? null : new Date(last).toISOString(),
  }
}
