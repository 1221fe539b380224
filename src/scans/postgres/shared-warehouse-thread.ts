// The thread that folds and reads the scans in PostgreSQL. Calls share its connections; several nodes do the same.
import { workerData } from 'node:worker_threads'
import { usualTimes, type PostgresTimes } from '../../db/postgres-pool.ts'
import { openPostgresSession } from '../../db/postgres-session.ts'
import { ChangesHeld } from '../../db/unavailable.ts'
import { lowerPriority } from '../../lib/background-thread.ts'
import { answerCalls } from '../../lib/thread-calls.ts'
import { createFold, type FoldResult } from '../fold.ts'
import { createReading } from '../reading.ts'
import type { WarehouseCalls } from '../warehouse-calls.ts'
import { openSharedTarget } from './fold-target.ts'
import type { JournalFolder } from './journal-positions.ts'
import { openPartitions } from './partitions.ts'
import { linkIdsAfter, purgeLinks } from './purge.ts'
import { openRowQueries } from './row-queries.ts'

/** What the thread connects to, and the journal that it folds. */
export interface SharedThreadOptions {
  url: string
  journal: JournalFolder
  /** Replaces the usual times of reads. */
  times: PostgresTimes | undefined
}

/** Connections for reads, and as many for folds and purges. */
const CONNECTIONS = 2
/** A large transaction of a fold, or a step of a purge, on a slow disk. Nobody waits for its end longer than for statistics. */
const WRITE_MS = 30_000

lowerPriority()
const { url, journal, times = usualTimes } = workerData as SharedThreadOptions
const reads = openPostgresSession({ url, max: CONNECTIONS, times })
const writes = openPostgresSession({ url, max: CONNECTIONS, times: { ...usualTimes, statementMs: WRITE_MS } })
const reading = createReading(openRowQueries(reads.query, journal.id))
const target = openSharedTarget(writes, journal)
const fold = createFold(target, journal.path)
const partitions = openPartitions(writes)

/** While the store is moved, the journal keeps the scans. */
async function nothingWhileHeld(error: unknown): Promise<FoldResult> {
  if (!(error instanceof ChangesHeld)) throw error
  return { moved: 0, changed: undefined, damaged: [], lost: await target.lost(), failed: [] }
}

const calls: WarehouseCalls = {
  ...reading,
  async fold(journals, now, { deletedLinks, count }) {
    target.begin()
    const result = await fold.run(journals, now, deletedLinks).catch(nothingWhileHeld)
    const counts = count.length === 0 ? [] : (await reading.totals(count)).map(({ humans }) => humans)
    return { result, counts }
  },
  lost: async () => target.lost(),
  purge: (linkIds) => purgeLinks(writes.query, linkIds),
  prune: partitions.prune,
  linkIdsAfter: (linkId, limit) => linkIdsAfter(reads.query, linkId, limit),
  async close() {
    try {
      await fold.close()
    } finally {
      await Promise.all([reads.close(), writes.close()])
    }
  },
}

answerCalls({ ...calls })
