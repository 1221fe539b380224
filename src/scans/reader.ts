import type { Totals } from '../links/link.ts'
import { asOf, type AsOf } from './statistics/as-of.ts'
import { createBatcher } from './batcher.ts'
import type { Page, TableName } from './statistics/export.ts'
import type { Cursor } from './statistics/row-queries.ts'
import { createFairQueue } from './fair-queue.ts'
import type { Stats } from './statistics/stats.ts'
import type { StatsQuery } from './statistics/stats-query.ts'
import type { CountedLink, ManyStats } from './statistics/stats-of-many.ts'
import type { WarehouseClient } from './warehouse-client.ts'

/** Reads the folded scans. A result has everything that was folded before the call. */
export interface Reader {
  totals: (linkId: number) => Promise<Totals>
  /** Until when the scans of other nodes are included in what is read then, if they are far behind. */
  othersAsOf: () => Promise<AsOf>
  /** Reads statistics; clients are served round-robin. */
  stats: (client: string, linkId: number, query: StatsQuery) => Promise<Stats>
  /** Reads statistics of several links in one call; `now` ends the window. */
  statsOfMany: (client: string, links: CountedLink[], query: StatsQuery, now: number) => Promise<ManyStats>
  /** Reads a page of an exported table; clients are served round-robin. */
  page: (client: string, table: TableName, linkId: number, after: Cursor, limit: number) => Promise<Page>
  /** How many scans of a link exports lack: they are counted and not stored one by one. */
  missing: (client: string, linkId: number) => Promise<number>
  /** Reads that wait for the warehouse. */
  queued: () => number
}

/**
 * Reads the warehouse. However many requests wait, at most two calls are queued at its thread beside the fold: one for
 * totals, batched, and one for statistics or an export. So the fold never waits for more than these.
 */
export function createReader(warehouse: Pick<WarehouseClient, 'call'>, now: () => number): Reader {
  const queue = createFairQueue()
  // One load for all who ask meanwhile.
  const behind = createBatcher(async () => [await warehouse.call('behindMs')])
  // Equal queries share a call that has not started; one that has may miss what was folded since.
  const waiting = new Map<string, Promise<Stats>>()

  function stats(client: string, linkId: number, query: StatsQuery): Promise<Stats> {
    const key = JSON.stringify([linkId, query.days, query.timeZone, query.audience, query.previous])
    const shared = waiting.get(key)
    if (shared !== undefined) return shared
    const result = queue.run(client, () => {
      waiting.delete(key)
      return warehouse.call('stats', linkId, query, now())
    })
    waiting.set(key, result)
    return result
  }

  return {
    othersAsOf: async () => asOf(now(), { behindMs: await behind(0) }),
    totals: createBatcher((linkIds) => warehouse.call('totals', linkIds)),
    stats,
    statsOfMany: (client, ...args) => queue.run(client, () => warehouse.call('statsOfMany', ...args)),
    page: (client, ...args) => queue.run(client, () => warehouse.call('exportPage', ...args)),
    missing: (client, linkId) => queue.run(client, () => warehouse.call('missing', linkId)),
    queued: queue.length,
  }
}
