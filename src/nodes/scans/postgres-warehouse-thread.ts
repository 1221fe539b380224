// The thread that folds and reads the scans in PostgreSQL. Calls share its connections; several nodes do the same.
import { workerData } from 'node:worker_threads'
import { createLosses } from '../database/losses.ts'
import { usualTimes, type PostgresTimes } from '../database/pool.ts'
import { openPostgresSession } from '../database/session.ts'
import { ChangesHeld } from '../../db/unavailable.ts'
import { lowerPriority } from '../../lib/background-thread.ts'
import { answerCalls } from '../../lib/thread-calls.ts'
import { createFold, type FoldResult } from '../../scans/folding/fold.ts'
import { slotOf } from '../../scans/calendar.ts'
import { createBlockCache } from '../../scans/statistics/filtered/block-cache.ts'
import { createSetCache } from '../../scans/statistics/link-sets/set-cache.ts'
import { createStatisticsCalls } from '../../scans/statistics/calls.ts'
import { openRawBound, type RawBoundOptions } from '../../scans/folding/raw-bound.ts'
import type { WarehouseCalls } from '../../scans/warehouse-calls.ts'
import { startAdoption } from './adoption.ts'
import { openPostgresFoldTarget } from './fold-target.ts'
import { addImported, addPart } from './imports.ts'
import type { JournalFolder } from './journal-positions.ts'
import { openPartitions } from './partitions.ts'
import { linkIdsAfter, purgeLinks } from './purge.ts'
import { openRowQueries } from './row-queries.ts'
import { sweepTexts } from './unused-texts.ts'

/** What the thread connects to, and the journal that it folds. */
export interface PostgresThreadOptions {
  url: string
  journal: JournalFolder
  /** Holds the folders of all nodes, where they share one. */
  adoptFrom: string | undefined
  bound?: RawBoundOptions
  /** Of the fold: when the network is cut, statistics stand still for as long as a statement may take. */
  times: PostgresTimes
}

/** Those that read, also statistics that take long, purge and prune, beside the one that folds. */
const CONNECTIONS = 4
/** A step of a purge on a slow disk, or statistics of many links. */
const STATEMENT_MS = 30_000
/** How long statistics are waited for after the fold has lost its connection. */
const GRACE_MS = 1000

lowerPriority()
const { url, journal, adoptFrom, times, bound: options } = workerData as PostgresThreadOptions
const bound = openRawBound(options)
// The fold, which asks each second, notices for all when the network was cut.
const losses = createLosses(GRACE_MS)
const patient = { ...usualTimes, statementMs: STATEMENT_MS }
const session = openPostgresSession({ url, max: CONNECTIONS, times: patient, losses })
const [blocks, sets] = [createBlockCache(), createSetCache()]
const reading = createStatisticsCalls(openRowQueries(session.query, journal.id), blocks, sets)
const foldSession = openPostgresSession({ url, max: 1, times, losses })
const target = openPostgresFoldTarget(foldSession, journal, bound)
const fold = createFold(target, journal.path)
const partitions = openPartitions(session)
const adoption = adoptFrom === undefined ? undefined : startAdoption({ session, own: journal, from: adoptFrom, bound })

/** While the store is moved, the journal keeps the scans. */
async function nothingWhileHeld(error: unknown): Promise<FoldResult> {
  if (!(error instanceof ChangesHeld)) throw error
  const lost = await target.lost()
  return { moved: 0, onlyCounted: 0, changed: undefined, damaged: [], lost, failed: [], isHeld: true }
}

const calls: WarehouseCalls = {
  ...reading,
  async fold(journals, now, { growing, deletedLinks, count }) {
    target.begin()
    const folded = await fold.run(journals, now, deletedLinks, growing).catch(nothingWhileHeld)
    const result = adoption?.addTo(folded) ?? folded
    blocks.expire()
    sets.expire()
    return { result, counts: await reading.humans(count) }
  },
  addImported: (counts) => addImported(session, counts),
  addPart: (part) => addPart(session, part),
  lost: async () => target.lost(),
  async purge(linkIds) {
    await purgeLinks(session.query, linkIds)
    blocks.drop(linkIds)
    sets.drop(linkIds)
  },
  async prune(before) {
    const removed = await partitions.prune(before)
    blocks.dropBefore(slotOf(before))
    sets.dropEdges()
    return removed
  },
  sweepTexts: () => sweepTexts(session),
  linkIdsAfter: (linkId, limit) => linkIdsAfter(session.query, linkId, limit),
  async close() {
    try {
      await Promise.all([fold.close(), adoption?.close()])
    } finally {
      await Promise.all([session.close(), foldSession.close()])
    }
  },
}

answerCalls({ ...calls })
