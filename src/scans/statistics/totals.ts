import type { Totals } from '../../links/link.ts'
import type { RowQueries, TotalsRow } from './row-queries.ts'

/** Reads the totals of links since their creation. */
export async function readTotals(rows: RowQueries, linkIds: number[]): Promise<Totals[]> {
  return (await rows.totals(linkIds)).map(totalsOf)
}

/** How often a link was scanned since its creation, by humans, and when the last time. */
export interface BriefTotals {
  scans: number
  humans: number
  /** ISO 8601, UTC; null without scans. */
  last_scan_at: string | null
}

/** The numbers of `BriefTotals` of each of some links, one link after the other; `last_scan_at` in milliseconds, 0 without scans. */
export type PackedTotals = Float64Array

const PACKED = 3

/** Reads the totals of many links in brief, in their order, packed: for a thread, 10,000 objects cost more than their rows. */
export async function readBriefTotals(rows: Pick<RowQueries, 'briefTotals'>, linkIds: number[]): Promise<PackedTotals> {
  const packed = new Float64Array(linkIds.length * PACKED)
  if (linkIds.length === 0) return packed
  const byLink = new Map((await rows.briefTotals(linkIds)).map(([linkId, ...totals]) => [linkId, totals]))
  for (const [at, linkId] of linkIds.entries()) packed.set(byLink.get(linkId) ?? [], at * PACKED)
  return packed
}

/** The totals of each link. */
export function unpackTotals(packed: PackedTotals): BriefTotals[] {
  return Array.from({ length: packed.length / PACKED }, (_, at) => {
    const [scans = 0, humans = 0, lastAt = 0] = packed.subarray(at * PACKED, (at + 1) * PACKED)
    return { scans, humans, last_scan_at: scans === 0 ? null : new Date(lastAt).toISOString() }
  })
}

/** The totals of all links together. */
export function sumTotals(totals: BriefTotals[]): BriefTotals {
  const sum: BriefTotals = { scans: 0, humans: 0, last_scan_at: null }
  for (const { scans, humans, last_scan_at: last } of totals) {
    sum.scans += scans
    sum.humans += humans
    // Times of the same form sort as texts.
    if (last !== null && (sum.last_scan_at === null || last > sum.last_scan_at)) sum.last_scan_at = last
  }
  return sum
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
