import { join } from 'node:path'
import type { Metric } from '../http/metrics.ts'
import { seldom } from '../lib/seldom.ts'
import { StartError } from '../lib/start-error.ts'
import { journalMetrics, openJournal } from './journal.ts'
import type { Scan } from './scan.ts'
import { openVisitorKeys, type VisitorKeys } from './visitors.ts'
import { createFollowers, type Followers } from './followers.ts'
import { startFolding } from './folding.ts'
import { createReader, type Reader } from './reader.ts'
import { startWarehouse, type WarehouseClient } from './warehouse-client.ts'

/** How long a request for statistics waits for the fold of what was journalled when it came. */
const WAIT_MS = 2000
const FAILURE_LOG_MS = 60_000

/** The scans of the service: recorded on the thread of the visits, folded and read on one of their own. */
export interface Recorder extends Reader {
  keys: VisitorKeys
  /** Records a scan, then calls `recorded`. */
  record: (scan: Scan, recorded: () => void) => void
  /** Waits for the fold of everything that was recorded before the call, 2 seconds at most; tells whether it was done. */
  settle: () => Promise<boolean>
  /** Removes everything that is kept about a link, journalled scans included. */
  purge: (linkId: number) => Promise<void>
  /** Tells the totals of a link now and after each fold that changed them, until the returned function is called. */
  follow: Followers['follow']
  /** Whether scans are being lost at present. */
  failing: () => boolean
  metrics: Metric[]
  close: () => Promise<void>
}

export interface RecorderOptions {
  dataDir: string
  sync: boolean
  /** Raw scans older than this are removed, in milliseconds; Infinity keeps them. */
  retention: number
  now: () => number
  monotonic: () => number
  /** Which of these links exist; the scans of the others are removed. */
  existing: (linkIds: number[]) => Promise<Set<number>>
  log: { error: (details: object, text: string) => void }
  /** How long `settle` waits, when it is not the usual time. */
  waitMs?: number | undefined
}

/**
 * Opens the journal and the warehouse, and folds what a former run has left.
 * @throws {StartError} when the warehouse cannot be used
 */
export async function openRecorder(options: RecorderOptions): Promise<Recorder> {
  const { dataDir, now, monotonic, log, waitMs = WAIT_MS } = options
  const folders = { journal: join(dataDir, 'journal'), visitors: join(dataDir, 'visitors') }
  const onFailure = seldom(FAILURE_LOG_MS, monotonic, (error: unknown, lost: number) =>
    log.error({ err: error, lost }, 'scans cannot be recorded; visits are answered all the same'),
  )
  const journal = openJournal({ folder: folders.journal, sync: options.sync, now, monotonic, onFailure })
  const keys = openVisitorKeys(folders.visitors)
  const tell = seldom(FAILURE_LOG_MS, monotonic, (error: unknown) =>
    log.error({ err: error }, 'the fold of the scans failed and will be repeated'),
  )
  const file = join(dataDir, 'scans.db')
  const warehouse = startWarehouse({ ...folders, warehouse: file }, tell)
  await warehouse.call('totals', [0]).catch(async (error: Error) => {
    await warehouse.close().catch(tell)
    throw new StartError(`${file} cannot be used (${error.message}): put a backup in its place, or move it away`)
  })
  const read = createReader(warehouse, now)
  const followers = createFollowers(read.totals)
  const folding = startFolding(journal, warehouse, { now, onFold: followers.folded, onError: tell })
  const { fold } = folding
  void fold()
    .then(() => removeOrphans(warehouse, options.existing))
    .catch(tell)
  const pruning = startPruning(options, (before) => warehouse.call('prune', before), tell)

  return {
    keys,
    record: journal.record,
    settle: () => within(fold(), waitMs),
    ...read,
    async purge(linkId) {
      await fold()
      await warehouse.call('purge', linkId)
    },
    follow: followers.follow,
    failing: () => journal.status().failing,
    metrics: [...journalMetrics(journal), ...foldMetrics(folding.count, followers.count)],
    async close() {
      folding.stop()
      clearInterval(pruning)
      await fold()
      try {
        journal.close()
      } finally {
        await warehouse.close()
      }
    },
  }
}

function foldMetrics(folded: () => number, listeners: () => number): Metric[] {
  return [
    { name: 'quirl_scans_folded_total', help: 'Scans moved into the statistics', type: 'counter', read: folded },
    { name: 'quirl_stream_listeners', help: 'Open streams of totals', type: 'gauge', read: listeners },
  ]
}

/** Removes what is left of links that are gone: a crash can come between a link's deletion and its scans'. */
async function removeOrphans(warehouse: WarehouseClient, existing: RecorderOptions['existing']): Promise<void> {
  for (let last = 0; ;) {
    const ids = await warehouse.call('linkIdsAfter', last, 1000)
    if (ids.length === 0) return
    const found = await existing(ids)
    for (const id of ids) if (!found.has(id)) await warehouse.call('purge', id)
    last = ids.at(-1) ?? Number.POSITIVE_INFINITY
  }
}

const PRUNE_MS = 3_600_000

function startPruning(
  { retention, now }: RecorderOptions,
  prune: (before: number) => Promise<void>,
  tell: (error: unknown) => void,
): NodeJS.Timeout | undefined {
  if (retention === Number.POSITIVE_INFINITY) return undefined
  const run = () => void prune(now() - retention).catch(tell)
  run()
  return setInterval(run, PRUNE_MS)
}

/** Whether `work` went well within the time; it goes on in any case. */
async function within(work: Promise<boolean>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), ms)))
  const inTime = await Promise.race([work, late])
  clearTimeout(timer)
  return inTime
}
