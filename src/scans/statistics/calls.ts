import type { Totals } from '../../links/link.ts'
import { readPage, type Page, type TableName } from './export.ts'
import type { Cursor } from './row-queries.ts'
import type { RowQueries } from './row-queries.ts'
import { readStats, type Stats } from './stats.ts'
import { readStatsOfMany, type CountedLink, type ManyStats } from './stats-of-many.ts'
import type { StatsQuery } from './stats-query.ts'
import { readPeople, readTotals, type PeopleOfLink } from './totals.ts'

/** Reads the folded scans, in the warehouse's thread. */
export interface StatisticsCalls {
  totals: (linkIds: number[]) => Promise<Totals[]>
  people: (linkIds: number[]) => Promise<PeopleOfLink[]>
  /** How far another node's fold is behind, in milliseconds; 0 when no other node is. */
  behindMs: () => Promise<number>
  /** How many scans of a link are counted and not stored one by one, ever. */
  missing: (linkId: number) => Promise<number>
  stats: (linkId: number, query: StatsQuery, now: number) => Promise<Stats>
  statsOfMany: (links: CountedLink[], query: StatsQuery, now: number) => Promise<ManyStats>
  exportPage: (table: TableName, linkId: number, after: Cursor, limit: number) => Promise<Page>
}

/** Computes what is read of the rows of a store. */
export function createStatisticsCalls(rows: RowQueries): StatisticsCalls {
  return {
    totals: (linkIds) => readTotals(rows, linkIds),
    people: (linkIds) => readPeople(rows, linkIds),
    behindMs: rows.behindMs,
    missing: rows.missing,
    stats: (linkId, query, now) => readStats(rows, linkId, query, now),
    statsOfMany: (links, query, now) => readStatsOfMany(rows, links, query, now),
    exportPage: (...args) => readPage(rows, ...args),
  }
}
