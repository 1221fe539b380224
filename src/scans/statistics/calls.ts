import type { Totals } from '../../links/link.ts'
import { readPage, type ExportName, type Page } from './export.ts'
import type { Cursor } from './row-queries.ts'
import type { CountedRows, RowQueries } from './row-queries.ts'
import { readStats, type Stats } from './stats.ts'
import { readStatsOfMany, type CountedLink, type ManyStats } from './stats-of-many.ts'
import type { StatsQuery } from './stats-query.ts'
import { readBriefTotals, readHumans, readTotals, type HumansOfLink, type PackedTotals } from './totals.ts'
import { createBlockCache } from './filtered/block-cache.ts'
import { filteredRows, planReading, type RawReading } from './filtered/filtered-rows.ts'
import { earlierWindows, rawRanges, windowsOf, type Windows } from './windows.ts'

/**
 * Scans that are counted one by one while others wait, some 50 ms. In a time zone that is not UTC, a link that is visited 55 times a
 * second has two million of them at the edges of a window.
 */
const QUICK_SCANS = 20_000

/** Reads the folded scans, in the warehouse's thread. */
export interface StatisticsCalls {
  totals: (linkIds: number[]) => Promise<Totals[]>
  /** The same in brief, of up to 10,000 links. */
  briefTotals: (linkIds: number[]) => Promise<PackedTotals>
  humans: (linkIds: number[]) => Promise<HumansOfLink[]>
  /** How far another node's fold is behind, in milliseconds; 0 when no other node is. */
  behindMs: () => Promise<number>
  /** How many scans of a link are counted and not stored one by one, ever. */
  missing: (linkId: number) => Promise<number>
  /** @param question a number by which the call can be abandoned */
  stats: (linkId: number, query: StatsQuery, now: number, question?: number) => Promise<Stats>
  statsOfMany: (links: CountedLink[], query: StatsQuery, now: number, question?: number) => Promise<ManyStats>
  /** The same, unless more than `QUICK_SCANS` would have to be counted one by one: then nothing is read. */
  quickStats: (linkId: number, query: StatsQuery, now: number) => Promise<Stats | undefined>
  quickStatsOfMany: (links: CountedLink[], query: StatsQuery, now: number) => Promise<ManyStats | undefined>
  /** Ends a call of `stats` or `statsOfMany` whose result is no longer wanted; it rejects. */
  abandon: (question: number) => Promise<void>
  exportPage: (name: ExportName, linkId: number, after: Cursor, limit: number) => Promise<Page>
}

/**
 * Computes what is read of the rows of a store.
 * @param blocks keeps raw scans that were read for a question with filters
 */
export function createStatisticsCalls(rows: RowQueries, blocks = createBlockCache()): StatisticsCalls {
  const questions = createQuestions()
  const readOne = async (linkId: number, windows: Windows, options: ReadOptions) => {
    const opened = await openRows({ rows, blocks, ...options }, [linkId], windows)
    return opened && readStats(opened, linkId, windows)
  }
  const readMany = async (links: CountedLink[], windows: Windows, options: ReadOptions) => {
    const linkIds = links.map(({ id }) => id)
    const opened = await openRows({ rows, blocks, ...options }, linkIds, windows)
    return opened && readStatsOfMany(opened, links, windows)
  }

  return {
    totals: (linkIds) => readTotals(rows, linkIds),
    briefTotals: (linkIds) => readBriefTotals(rows, linkIds),
    humans: (linkIds) => readHumans(rows, linkIds),
    behindMs: rows.behindMs,
    missing: rows.missing,
    stats: (linkId, query, now, question) =>
      questions.ask((options) => readOne(linkId, windowsOf(query, now), options), question),
    statsOfMany: (links, query, now, question) =>
      questions.ask((options) => readMany(links, windowsOf(query, now), options), question),
    quickStats: (linkId, query, now) => readOne(linkId, windowsOf(query, now), quick),
    quickStatsOfMany: (links, query, now) => readMany(links, windowsOf(query, now), quick),
    abandon: async (question) => questions.abandon(question),
    exportPage: (...args) => readPage(rows, ...args),
  }
}

/** How statistics are read. */
interface ReadOptions {
  /** How many scans may be counted one by one. */
  most: number
  signal?: AbortSignal
}

const quick: ReadOptions = { most: QUICK_SCANS }

/** Returns the rows to be read for a query; undefined when more scans would be counted one by one than may be. */
async function openRows(
  { most, ...reading }: RawReading & ReadOptions,
  linkIds: number[],
  windows: Windows,
): Promise<CountedRows | undefined> {
  const { filters } = windows.query
  if (filters !== undefined) {
    const plan = await planReading(reading, linkIds, [windows.whole, ...earlierWindows(windows)])
    return plan.scans <= most ? filteredRows(reading, filters, plan) : undefined
  }
  const ranges = most === Infinity ? [] : rawRanges(windows)
  const isWithin = ranges.length === 0 || (await reading.rows.rawScans(linkIds, ranges)) <= most
  return isWithin ? reading.rows : undefined
}

/** Questions in progress, which can be abandoned by their number. */
function createQuestions() {
  const inProgress = new Map<number, AbortController>()
  return {
    async ask<T>(read: (options: ReadOptions) => Promise<T | undefined>, question?: number): Promise<T> {
      const asked = new AbortController()
      if (question !== undefined) inProgress.set(question, asked)
      try {
        // Any number of scans may be counted, so that there is a result.
        return (await read({ most: Infinity, signal: asked.signal })) as T
      } finally {
        if (question !== undefined) inProgress.delete(question)
      }
    },
    abandon: (question: number) => inProgress.get(question)?.abort(),
  }
}
