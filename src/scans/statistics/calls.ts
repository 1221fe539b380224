import type { Totals } from '../../links/link.ts'
import { readPage, type Page, type TableName } from './export.ts'
import type { Cursor } from './row-queries.ts'
import type { RowQueries } from './row-queries.ts'
import { readStats, type Stats } from './stats.ts'
import { readStatsOfMany, type CountedLink, type ManyStats } from './stats-of-many.ts'
import type { StatsQuery } from './stats-query.ts'
import { readHumans, readTotals, type HumansOfLink } from './totals.ts'
import { rawRanges, windowsOf, type Windows } from './windows.ts'

/**
 * Scans that are counted one by one while others wait, some 50 ms. In a time zone that is not UTC, a link that is visited 55 times a
 * second has two million of them at the edges of a window.
 */
const QUICK_SCANS = 20_000

/** Reads the folded scans, in the warehouse's thread. */
export interface StatisticsCalls {
  totals: (linkIds: number[]) => Promise<Totals[]>
  humans: (linkIds: number[]) => Promise<HumansOfLink[]>
  /** How far another node's fold is behind, in milliseconds; 0 when no other node is. */
  behindMs: () => Promise<number>
  /** How many scans of a link are counted and not stored one by one, ever. */
  missing: (linkId: number) => Promise<number>
  stats: (linkId: number, query: StatsQuery, now: number) => Promise<Stats>
  statsOfMany: (links: CountedLink[], query: StatsQuery, now: number) => Promise<ManyStats>
  /** The same, unless more than `QUICK_SCANS` would have to be counted one by one: then nothing is read. */
  quickStats: (linkId: number, query: StatsQuery, now: number) => Promise<Stats | undefined>
  quickStatsOfMany: (links: CountedLink[], query: StatsQuery, now: number) => Promise<ManyStats | undefined>
  exportPage: (table: TableName, linkId: number, after: Cursor, limit: number) => Promise<Page>
}

/** Computes what is read of the rows of a store. */
export function createStatisticsCalls(rows: RowQueries): StatisticsCalls {
  const isQuick = async (linkIds: number[], windows: Windows) => {
    const ranges = rawRanges(windows)
    return ranges.length === 0 || (await rows.rawScans(linkIds, ranges)) <= QUICK_SCANS
  }
  return {
    totals: (linkIds) => readTotals(rows, linkIds),
    humans: (linkIds) => readHumans(rows, linkIds),
    behindMs: rows.behindMs,
    missing: rows.missing,
    stats: (linkId, query, now) => readStats(rows, linkId, windowsOf(query, now)),
    statsOfMany: (links, query, now) => readStatsOfMany(rows, links, windowsOf(query, now)),
    async quickStats(linkId, query, now) {
      const windows = windowsOf(query, now)
      return (await isQuick([linkId], windows)) ? readStats(rows, linkId, windows) : undefined
    },
    async quickStatsOfMany(links, query, now) {
      const [linkIds, windows] = [links.map(({ id }) => id), windowsOf(query, now)]
      return (await isQuick(linkIds, windows)) ? readStatsOfMany(rows, links, windows) : undefined
    },
    exportPage: (...args) => readPage(rows, ...args),
  }
}
