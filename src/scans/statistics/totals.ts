import type { Totals } from '../../links/link.ts'
import type { RowQueries, TotalsRow } from './row-queries.ts'

/** Reads the totals of links since their creation. */
export async function readTotals(rows: RowQueries, linkIds: number[]): Promise<Totals[]> {
  return (await rows.totals(linkIds)).map(totalsOf)
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
