// The thread that owns the warehouse. It runs one call at a time; a fold yields to other calls between its
// chunks, and so do statistics that take long.
import { workerData } from 'node:worker_threads'
import { mkdirSync } from 'node:fs'
import { createYield, lowerPriority } from '../../lib/background-thread.ts'
import { answerCalls } from '../../lib/thread-calls.ts'
import { openFold } from './fold.ts'
import { createLongReading } from './long-reading.ts'
import { purgeLinks, prune, linkIdsAfter } from './purge.ts'
import { slotOf } from '../calendar.ts'
import { createBlockCache } from '../statistics/filtered/block-cache.ts'
import { createSetCache } from '../statistics/link-sets/set-cache.ts'
import { createStatisticsCalls } from '../statistics/calls.ts'
import { openDiskMemory } from '../../disk/memory.ts'
import { openRawBound, type RawBoundOptions } from '../folding/raw-bound.ts'
import { openRowQueries } from './row-queries.ts'
import { openSqliteWarehouse } from './warehouse.ts'
import type { WarehouseCalls } from '../warehouse-calls.ts'

/** The thread's files and folders. */
export interface ThreadOptions {
  warehouse: string
  journal: string
  visitors: string
  bound?: RawBoundOptions
  /** The id of the link store that the scans belong to. */
  instance: string
}

lowerPriority()
const options = workerData as ThreadOptions
mkdirSync(options.visitors, { recursive: true, mode: 0o700 })
const yieldNow = createYield()
const warehouse = openSqliteWarehouse(options.warehouse, yieldNow, openRawBound(options.bound))
warehouse.setInstance(options.instance)
const [blocks, sets] = [createBlockCache(), createSetCache()]
const reading = createStatisticsCalls(openRowQueries(warehouse), blocks, sets)
const { close: closeLong, ...longReading } = createLongReading(options.warehouse, warehouse.log, blocks, sets)
const fold = openFold(warehouse, options, yieldNow)
const reusable = createReusable()

/** @returns what tells the main thread how much room `scans.db` has inside */
function createReusable(): () => void {
  const { disk } = options.bound ?? {}
  if (disk === undefined) return () => {}
  const { setReusable } = openDiskMemory(disk)
  const pages = warehouse.db.prepare('pragma freelist_count')
  const [{ page_size: bytes }] = warehouse.db.prepare('pragma page_size').all() as [{ page_size: number }]
  return () => setReusable((pages.get() as { freelist_count: number }).freelist_count * bytes)
}

const calls: WarehouseCalls = {
  async fold(journals, now, { growing, deletedLinks, newest, count }) {
    if (newest !== undefined) warehouse.setNewestLink(newest)
    const result = await fold.run(journals, now, deletedLinks, growing)
    reusable()
    blocks.expire()
    sets.expire()
    return { result, counts: await reading.humans(count) }
  },
  ...reading,
  ...longReading,
  addImported: async (counts) => confirmed(warehouse.addImported(counts)),
  addPart: async (part) => confirmed(warehouse.addPart(part)),
  lost: async () => warehouse.lost(),
  async purge(linkIds) {
    confirmed(await purgeLinks(warehouse, linkIds))
    blocks.drop(linkIds)
    sets.drop(linkIds)
    reusable()
  },
  async prune(before) {
    const removed = confirmed(await prune(warehouse, before))
    blocks.dropBefore(slotOf(before))
    sets.dropEdges()
    return removed
  },
  sweepTexts: warehouse.unused.sweep,
  linkIdsAfter: async (linkId, limit) => linkIdsAfter(warehouse, linkId, limit),
  async close() {
    await fold.close()
    closeLong()
    warehouse.close()
  },
}

/** Nobody is told that something was done in a file that the next process will not find. */
function confirmed<T>(result: T): T {
  warehouse.confirm()
  return result
}

answerCalls({ ...calls })
