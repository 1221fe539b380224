import { Problem } from '../http/problem.ts'
import type { Totals } from '../links/link.ts'
import { hasGivenWay } from './gave-way.ts'
import { asOf, type AsOf } from './statistics/as-of.ts'
import type { Exported, Page } from './statistics/export.ts'
import type { Cursor } from './statistics/row-queries.ts'
import type { LinkSet } from './statistics/link-sets/set-cache.ts'
import type { SetAnswer } from './statistics/link-sets/stats-of-set.ts'
import type { Stats } from './statistics/stats.ts'
import type { StatsQuery } from './statistics/stats-query.ts'
import type { CountedLink, ManyStats } from './statistics/stats-of-many.ts'
import { unpackTotals, type BriefTotals } from './statistics/totals.ts'
import type { WarehouseClient } from './warehouse-client.ts'
import { createSharedWork } from '../lib/shared-work.ts'
import { createTimeTurns } from '../lib/time-turns.ts'
import type { Turns, Waiter } from '../lib/turns.ts'

/** Reads the folded scans. A result has everything that was folded before the call. */
export interface ScanReader {
  totals: (linkId: number) => Promise<Totals>
  /** Reads the totals of up to 10,000 links at once, in their order; holders are served in turns. */
  totalsOf: (who: Waiter, linkIds: number[]) => Promise<BriefTotals[]>
  /** Until when the scans of other nodes are included in what is read then, if they are far behind. */
  othersAsOf: () => Promise<AsOf>
  /** Reads statistics; holders are served in turns. @throws what the signal of the waiter aborts with */
  stats: (who: Waiter, linkId: number, query: StatsQuery) => Promise<Stats>
  /** Reads statistics of several links in one call; `now` ends the window. */
  statsOfMany: (who: Waiter, links: CountedLink[], query: StatsQuery, now: number) => Promise<ManyStats>
  /** Reads statistics of a set of links as those of one. */
  statsOfSet: (who: Waiter, set: LinkSet, query: StatsQuery) => Promise<SetAnswer>
  /** Reads a page of an exported table; holders are served in turns. */
  page: (who: Waiter, exported: Exported, after: Cursor, limit: number) => Promise<Page>
  /** How many scans of links exports lack: they are counted and not stored one by one. */
  missing: (who: Waiter, linkIds: number[]) => Promise<number>
  /** Reads that wait for the warehouse. */
  queued: () => number
}

/**
 * Reads the warehouse. However many requests wait, at most three calls are queued at its thread beside the fold: one for
 * totals, batched, one for statistics or an export, and one for statistics that take long. So the fold never waits for more than
 * these. Whether statistics take long turns out in their first turn; then they wait for another, apart from all others.
 */
export function createScanReader(warehouse: Pick<WarehouseClient, 'call'>, now: () => number): ScanReader {
  // The slots of the requests bound how many wait.
  const [quick, long] = [createTimeTurns(), createTimeTurns()]
  // One load for all who ask meanwhile.
  const behind = createBatcher(async () => [await warehouse.call('behindMs')])
  const quickStats = shareEqual(quick, (linkId, query) => warehouse.call('quickStats', linkId, query, now()))
  const askLong = createLongQuestions(warehouse)
  const longStats = shareEqual(long, (linkId, query, { signal }) =>
    askLong((question) => warehouse.call('stats', linkId, query, now(), question), signal),
  )

  return {
    othersAsOf: async () => asOf(now(), { behindMs: await behind(0) }),
    totals: createBatcher((linkIds) => warehouse.call('totals', linkIds)),
    totalsOf: async (who, linkIds) => unpackTotals(await quick.run(who, () => warehouse.call('briefTotals', linkIds))),
    stats: async (...args) => (await quickStats(...args)) ?? longStats(...args),
    statsOfMany: async (who, ...args) =>
      (await quick.run(who, () => warehouse.call('quickStatsOfMany', ...args))) ??
      long.run(who, () => askLong((question) => warehouse.call('statsOfMany', ...args, question), who.signal)),
    statsOfSet: async (who, ...args) =>
      (await quick.run(who, () => warehouse.call('quickStatsOfSet', ...args, now()))) ??
      long.run(who, () => askLong((question) => warehouse.call('statsOfSet', ...args, now(), question), who.signal)),
    page: (who, ...args) => quick.run(who, () => warehouse.call('exportPage', ...args)),
    missing: (who, linkIds) => quick.run(who, () => warehouse.call('missing', linkIds)),
    queued: () => quick.waiting() + long.waiting(),
  }
}

const GAVE_WAY =
  'so many visits are to be counted that statistics which count many of them one by one have no time: ask without filters, in whole days of UTC, or later'

/** Asks long questions, which the warehouse's thread gives up when their signal aborts. */
function createLongQuestions({ call }: Pick<WarehouseClient, 'call'>) {
  let last = 0
  return async <T>(ask: (question: number) => Promise<T>, signal?: AbortSignal): Promise<T> => {
    const question = ++last
    // When the thread has ended, so has the question.
    const abandon = () => void call('abandon', question).catch(() => undefined)
    signal?.addEventListener('abort', abandon)
    try {
      return await ask(question)
    } catch (error) {
      signal?.throwIfAborted()
      throw hasGivenWay(error) ? new Problem('unavailable', GAVE_WAY) : error
    } finally {
      signal?.removeEventListener('abort', abandon)
    }
  }
}

type ReadStats<T> = (linkId: number, query: StatsQuery, who: Waiter) => Promise<T>

/** Equal queries share a call that has not started; one that has may miss what was folded since. */
function shareEqual<T>(
  turns: Turns,
  read: ReadStats<T>,
): (who: Waiter, linkId: number, query: StatsQuery) => Promise<T> {
  const calls = createSharedWork<T>()
  return (who, linkId, query) =>
    calls.share(JSON.stringify([linkId, query]), who, ({ signal, onBegin }) => {
      const turn = { ...who, signal }
      return turns.run(turn, () => {
        onBegin()
        return read(linkId, query, turn)
      })
    })
}

/**
 * Batches loads of single links: while one load runs, further links collect for the next, each once. A load that serves a
 * caller always starts after the call.
 * @param load resolves with the values in the order of the links
 */
export function createBatcher<T>(load: (linkIds: number[]) => Promise<T[]>): (linkId: number) => Promise<T> {
  let pending: { positions: Map<number, number>; values: Promise<T[]> } | undefined
  let running: Promise<unknown> = Promise.resolve()

  function startBatch() {
    const positions = new Map<number, number>()
    const values = running.then(() => {
      pending = undefined
      return load([...positions.keys()])
    })
    running = values.catch(() => undefined)
    return { positions, values }
  }

  return async (linkId) => {
    const { positions, values } = (pending ??= startBatch())
    const position = positions.get(linkId) ?? positions.size
    positions.set(linkId, position)
    // The load returns one value for each position.
    return (await values)[position] as T
  }
}
