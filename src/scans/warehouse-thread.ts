// The thread that owns the warehouse. It runs one call at a time; a fold yields to other calls between its chunks.
import { workerData } from 'node:worker_threads'
import { mkdirSync } from 'node:fs'
import { createYield, lowerPriority } from '../lib/background-thread.ts'
import { answerCalls } from '../lib/thread-calls.ts'
import { openFold } from './fold.ts'
import { purgeLinks, prune, linkIdsAfter } from './purge.ts'
import { createReading } from './reading.ts'
import { openRowQueries } from './sqlite/row-queries.ts'
import { openWarehouse } from './warehouse.ts'

/** The thread's files and folders. */
export interface ThreadOptions {
  warehouse: string
  journal: string
  visitors: string
  /** The id of the link store that the scans belong to. */
  instance: string
}

interface FoldOptions {
  /** Links whose scans are dropped. */
  deletedLinks: number[]
  /** The newest committed link, to be recorded. */
  newest: number | undefined
  /** Links whose scans by people are counted after the fold. */
  count: number[]
}

lowerPriority()
const options = workerData as ThreadOptions
mkdirSync(options.visitors, { recursive: true, mode: 0o700 })
const yieldNow = createYield()
const warehouse = openWarehouse(options.warehouse, yieldNow)
warehouse.setInstance(options.instance)
const reading = createReading(openRowQueries(warehouse))
const fold = openFold(warehouse, options, yieldNow)

const calls = {
  async fold(journals: string[], now: number, { deletedLinks, newest, count }: FoldOptions) {
    if (newest !== undefined) warehouse.setNewestLink(newest)
    const result = await fold.run(journals, now, deletedLinks)
    return { result, counts: (await reading.totals(count)).map(({ humans }) => humans) }
  },
  lost: () => warehouse.lost(),
  ...reading,
  purge: (linkIds: number[]) => purgeLinks(warehouse, linkIds),
  prune: (before: number) => prune(warehouse, before),
  linkIdsAfter: (linkId: number, limit: number) => linkIdsAfter(warehouse, linkId, limit),
  close: () => {
    fold.close()
    warehouse.close()
  },
}

/** The calls that the thread takes. */
export type ThreadCalls = typeof calls

answerCalls(calls)
