import type { Totals } from '../links/link.ts'
import { createBatch } from './batch.ts'
import type { Cursor, Page } from './export.ts'
import type { Stats, StatsQuery } from './stats.ts'
import { createTurns } from './turns.ts'
import type { WarehouseClient } from './warehouse-client.ts'

/** What is read of the folded scans. An answer holds all that was folded when it was asked for. */
export interface Reader {
  totals: (linkId: number) => Promise<Totals>
  /** Reads statistics; clients take turns. */
  stats: (client: string, linkId: number, query: StatsQuery) => Promise<Stats>
  /** Reads a page of the export; clients take turns. */
  page: (client: string, linkId: number, after: Cursor, limit: number) => Promise<Page>
}

/**
 * Reads the warehouse. However many ask, at most two questions wait for its thread beside the fold: one for totals, which
 * names each link once, and one for statistics or an export. So the fold never waits for more than these.
 */
export function createReader(warehouse: Pick<WarehouseClient, 'call'>, now: () => number): Reader {
  const turns = createTurns()
  // Equal questions that wait are asked once; one that was put already may not know what was folded since.
  const waiting = new Map<string, Promise<Stats>>()

  function stats(client: string, linkId: number, query: StatsQuery): Promise<Stats> {
    const key = JSON.stringify([linkId, query.days, query.timeZone, query.audience])
    const same = waiting.get(key)
    if (same !== undefined) return same
    const asked = turns.run(client, () => {
      waiting.delete(key)
      return warehouse.call('stats', linkId, query, now())
    })
    waiting.set(key, asked)
    return asked
  }

  return {
    totals: createBatch((linkIds) => warehouse.call('totals', linkIds)),
    stats,
    page: (client, ...args) => turns.run(client, () => warehouse.call('exportPage', ...args)),
  }
}
