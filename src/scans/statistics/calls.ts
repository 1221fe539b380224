import type { Totals } from '../../links/link.ts'
import { readPage, type Page, type TableName } from './export.ts'
import type { Cursor } from './row-queries.ts'
import type { RowQueries } from './row-queries.ts'
import { rawRanges, readStats, type Stats } from './stats.ts'
import { readStatsOfMany, type CountedLink, type ManyStats } from './stats-of-many.ts'
import type { StatsQuery } from './stats-query.ts'
import { readHumans, readTotals, type HumansOfLink } from './totals.ts'

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
  const isQuick = async (linkIds: number[], query: StatsQuery, now: number) => {
    const ranges = rawRanges(query, now)
    return ranges.length === 0 || (await rows.rawScans(linkIds, ranges)) <= QUICK_SCANS
  }
  const stats: StatisticsCalls['stats'] = (linkId, query, now) => readStats(rows, linkId, query, now)
  const statsOfMany: StatisticsCalls['statsOfMany'] = (links, query, now) => readStatsOfMany(rows, links, query, now)
  return {
    totals: (linkIds) => readTotals(rows, linkIds),
    humans: (linkIds) => readHumans(rows, linkIds),
    behindMs: rows.behindMs,
    missing: rows.missing,
    stats,
    statsOfMany,
    quickStats: async (linkId, query, now) =>
      (await isQuick([linkId], query, now)) ? stats(linkId, query, now) : undefined,
    async quickStatsOfMany(links, query, now) {
      const linkIds = links.map(({ id }) => id)
      return (await isQuick(linkIds, query, now)) ? statsOfMany(links, query, now) : undefined
    },
    exportPage: (...args) => readPage(rows, ...args),
  }
}
