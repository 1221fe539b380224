import { join } from 'node:path'
import type { Metric } from '../http/metrics.ts'
import { throttle } from '../lib/throttle.ts'
import type { LinksInstance } from '../links/instance.ts'
import { requireBelonging, unusable } from './belonging.ts'
import { journalMetrics, openJournal, type JournalOptions } from './journal.ts'
import type { Scan } from './scan.ts'
import { openVisitorKeys, type VisitorKeys } from './visitors.ts'
import { createFollowers, type Followers } from './followers.ts'
import type { Folded } from './fold.ts'
import { startFolding, type Folding } from './folding.ts'
import { findOrphans, type OrphanLinks } from './orphans.ts'
import { openPurging, type PurgeStore } from './purging.ts'
import { createReader, type Reader } from './reader.ts'
import { startWarehouse } from './warehouse-client.ts'

/** How long a request for statistics waits for the fold of what was journalled when it came. */
const WAIT_MS = 2000
const FAILURE_LOG_MS = 60_000
/** How long the end of the process waits for the last fold; the next start folds what is left. */
const LAST_FOLD_MS = 1000
/** Files that a line of the log names. */
const MAX_NAMED = 10

/** The scans of the service: recorded on the thread of the visits, folded and read on one of their own. */
export interface Recorder extends Reader {
  keys: VisitorKeys
  /** Records a scan, then calls `recorded`. */
  record: (scan: Scan, recorded: () => void) => void
  /** Writes what has been recorded in this turn of the event loop, and answers it; otherwise the turn's end does. */
  flush: () => void
  /** Waits for the fold of everything that was recorded before the call, 2 seconds at most; tells whether it was done. */
  settle: () => Promise<boolean>
  /** The same, however long it takes. */
  fold: () => Promise<boolean>
  /** Removes everything that is kept about a deleted link soon, journalled scans included. */
  purge: (linkId: number) => void
  /** To be called when links may have been deleted without that being known here. */
  reread: () => void
  /** Tells the totals of a link now and after each fold that changed them, until the returned function is called. */
  follow: Followers['follow']
  /** What keeps scans from being recorded or from being moved into the statistics, if anything does. */
  fault: () => string | undefined
  metrics: Metric[]
  close: () => Promise<void>
}

/** What is known of links elsewhere. */
interface Links extends PurgeStore, OrphanLinks, LinksInstance {
  /** The newest link that was kept for good since the start. */
  newest: () => number | undefined
}

export interface RecorderOptions {
  dataDir: string
  sync: boolean
  /** Raw scans older than this are removed, in milliseconds; Infinity keeps them. */
  retention: number
  now: () => number
  /** A clock that never goes back, for how long to wait. */
  monotonic: () => number
  links: Links
  log: Record<'error' | 'warn', (details: object, text: string) => void>
  /** How long `settle` waits, when it is not the usual time. */
  waitMs?: number | undefined
}

/**
 * Opens the journal and the warehouse, and folds what a former run has left.
 * @throws {StartError} when the warehouse cannot be used, or is of other links; it is not changed then
 */
export async function openRecorder(options: RecorderOptions): Promise<Recorder> {
  const { dataDir, sync, now, monotonic, log, links, waitMs = WAIT_MS } = options
  const instance = await requireScansOf(options)
  const folders = { journal: join(dataDir, 'journal'), visitors: join(dataDir, 'visitors') }
  const journal = openJournal({ folder: folders.journal, sync, now, monotonic, ...logVisits(log, monotonic) })
  const keys = openVisitorKeys(folders.visitors)
  let isClosing = false
  const tell = throttle(FAILURE_LOG_MS, monotonic, (error: unknown) => {
    // The end of the process interrupts the fold, and the next start goes on there.
    if (!isClosing) log.error({ err: error }, 'the fold of the scans failed and will be repeated')
  })
  const file = join(dataDir, 'scans.db')
  const warehouse = startWarehouse({ ...folders, warehouse: file, instance }, tell)
  // Its thread would keep the process from ending.
  const orClose = async (error: unknown) => {
    await warehouse.close().catch(tell)
    throw error
  }
  let unreadable = await warehouse.call('lost').catch((error: Error) => orClose(unusable(file, error)))
  const read = createReader(warehouse, now)
  const followers = createFollowers(read.totals)
  const remove = (linkIds: number[]) => warehouse.call('purge', linkIds)
  const { during, ...purging } = await openPurging(links, remove, tell).catch(orClose)
  const foldJournal = async () => {
    const folded = await during((gone) => warehouse.call('fold', journal.rotate(), now(), gone, links.newest()))
    unreadable = folded.lost
    return folded
  }
  const onFaults = logFaults(log, monotonic)
  const folding = startFolding(foldJournal, { onFold: followers.folded, onFaults, onError: tell })
  const { fold } = folding
  void fold()
    .then(() => findOrphans(warehouse, links, { onDeleted: purging.purge, onUnknown: logUnknown(log) }))
    .catch(tell)
  const pruning = startPruning(options, (before) => warehouse.call('prune', before), tell)

  return {
    keys,
    record: journal.record,
    flush: journal.flush,
    settle: () => within(fold(), waitMs),
    fold,
    ...read,
    ...purging,
    follow: followers.follow,
    fault() {
      if (journal.status().failing) return 'scans cannot be recorded'
      return folding.failing() ? 'recorded scans cannot be moved into the statistics' : undefined
    },
    metrics: [...journalMetrics(journal, () => unreadable), ...foldMetrics(folding, followers.count)],
    async close() {
      folding.stop()
      clearInterval(pruning)
      await within(fold(), LAST_FOLD_MS)
      isClosing = true
      try {
        journal.close()
      } finally {
        await warehouse.close()
      }
    },
  }
}

/**
 * Whose links the scans are of.
 * @throws {StartError} when there are scans of others
 */
async function requireScansOf({ dataDir, links, log }: RecorderOptions): Promise<string> {
  const isThere = await requireBelonging(dataDir, links)
  if (!isThere && (await links.any())) log.warn({}, 'there was no scans.db beside links.db: statistics begin anew')
  return links.id()
}

function logUnknown(log: RecorderOptions['log']): (count: number) => void {
  return (count) =>
    log.warn({ count }, 'links that links.db does not know have scans, which are kept: see "quirl adopt"')
}

/** Says now and then that visits cannot be recorded, and that recorded ones cannot be answered. */
function logVisits(
  log: RecorderOptions['log'],
  monotonic: () => number,
): Pick<JournalOptions, 'onFailure' | 'onThrow'> {
  return {
    onFailure: throttle(FAILURE_LOG_MS, monotonic, (error: unknown, lost: number) =>
      log.error({ err: error, lost }, 'scans cannot be recorded; visits are answered all the same'),
    ),
    onThrow: throttle(FAILURE_LOG_MS, monotonic, (error: unknown) =>
      log.error({ err: error }, 'a recorded visit could not be answered'),
    ),
  }
}

/** Says once that a file is damaged, and now and then that some cannot be folded. */
function logFaults(log: RecorderOptions['log'], monotonic: () => number): (folded: Folded) => void {
  const logFailed = throttle(FAILURE_LOG_MS, monotonic, (failed: Folded['failed']) =>
    log.error({ count: failed.length, files: failed.slice(0, MAX_NAMED) }, 'files cannot be folded; others are'),
  )
  return ({ damaged, failed, lost }) => {
    if (failed.length > 0) logFailed(failed)
    if (damaged.length === 0) return
    const details = { count: damaged.length, files: damaged.slice(0, MAX_NAMED), lost_ever: lost }
    log.error(details, 'damaged files of scans were met: journals are kept as *.damaged, keys are begun anew')
  }
}

function foldMetrics({ count, failing }: Folding, listeners: () => number): Metric[] {
  return [
    { name: 'quirl_scans_folded_total', help: 'Scans moved into the statistics', type: 'counter', read: count },
    {
      name: 'quirl_fold_failing',
      help: '1 while recorded scans cannot be moved into the statistics',
      type: 'gauge',
      read: () => (failing() ? 1 : 0),
    },
    { name: 'quirl_stream_listeners', help: 'Open streams of totals', type: 'gauge', read: listeners },
  ]
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
