// The thread that owns the warehouse. It answers calls one after the other; a fold lets others in between its chunks.
import { workerData } from 'node:worker_threads'
import { mkdirSync } from 'node:fs'
import { createYield, lowerPriority } from '../lib/background-thread.ts'
import { answerCalls } from '../lib/thread-calls.ts'
import { readPage, type Cursor } from './export.ts'
import { openFold } from './fold.ts'
import { purgeLinks, prune, linkIdsAfter } from './purge.ts'
import { readStats, readTotals, type StatsQuery } from './stats.ts'
import { openWarehouse } from './warehouse.ts'

/** Where the thread's files are. */
export interface ThreadOptions {
  warehouse: string
  journal: string
  visitors: string
  /** The store whose links the scans are of. */
  instance: string
}

lowerPriority()
const options = workerData as ThreadOptions
mkdirSync(options.visitors, { recursive: true, mode: 0o700 })
const rest = createYield()
const warehouse = openWarehouse(options.warehouse, rest)
warehouse.belongTo(options.instance)
const fold = openFold(warehouse, options, rest)

const calls = {
  fold(journals: string[], now: number, gone: number[], newest?: number) {
    if (newest !== undefined) warehouse.noteNewest(newest)
    return fold.run(journals, now, gone)
  },
  lost: () => warehouse.lost(),
  totals: (linkIds: number[]) => linkIds.map((linkId) => readTotals(warehouse, linkId)),
  stats: (linkId: number, query: StatsQuery, now: number) => readStats(warehouse, linkId, query, now),
  exportPage: (linkId: number, after: Cursor, limit: number) => readPage(warehouse, linkId, after, limit),
  purge: (linkIds: number[]) => purgeLinks(warehouse, linkIds),
  prune: (before: number) => prune(warehouse, before),
  linkIdsAfter: (linkId: number, limit: number) => linkIdsAfter(warehouse, linkId, limit),
  close: () => {
    fold.close()
    warehouse.close()
  },
}

/** What can be asked of the thread. */
export type ThreadCalls = typeof calls

answerCalls(calls)
