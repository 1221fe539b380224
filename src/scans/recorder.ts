import { join } from 'node:path'
import type { Disk } from '../disk/open.ts'
import type { Metric } from '../http/metric.ts'
import type { LinksInstance } from '../links/instance.ts'
import { startBackground, type Background, type BackgroundOptions } from './background.ts'
import type { ImportedCount } from './import/clicks.ts'
import { withoutOld, type AddPart } from './import/part.ts'
import { openJournal, type Journal, type JournalOptions } from './journal/journal.ts'
import { scanMetrics } from './metrics.ts'
import { createHumanScanCounter, type HumanScans, type HumanScanCounter } from './human-scans.ts'
import { createNumberLoader } from './number-loader.ts'
import { openPurger, type Purger, type PurgeStore } from './purger.ts'
import { createSweeper } from './sweeper.ts'
import { createScanReader, type ScanReader } from './scan-reader.ts'
import { createRecorderLog, type Log, type RecorderLog } from './recorder-log.ts'
import type { Scan } from './scan.ts'
import type { OpenWarehouse, Warehouse } from './warehouse.ts'
import { createSubscribers, type Subscribers } from './subscribers.ts'
import { createVisitorCounter, type VisitorCount, type VisitorCounter } from './visitor-count.ts'
import { createUnfoldedLinks, type UnfoldedLinks } from './unfolded-links.ts'
import type { VisitorKeys } from './describing/visitors.ts'
import { startWarehouse, type WarehouseClient } from './warehouse-client.ts'

/** How long a request for statistics waits for the fold. */
const WAIT_MS = 2000
/** How long a stop waits for the last fold; the next start folds the rest. */
const LAST_FOLD_MS = 1000

/** Records scans on the main thread; folds and reads them on the warehouse's thread. */
export interface Recorder
  extends
    ScanReader,
    Pick<Background, 'fold' | 'hold'>,
    Pick<Purger, 'purge' | 'reread'>,
    Pick<Subscribers, 'subscribe' | 'onFold' | 'refresh'> {
  keys: VisitorKeys
  humanScans: HumanScans
  visitors: VisitorCount
  /** Records a scan, then calls `recorded`. */
  record: (scan: Scan, recorded: () => void) => void
  /** Writes the scans of this turn of the event loop now, and not at its end. */
  flush: () => void
  /** Waits for the fold of everything that was recorded before the call, 2 seconds at most; resolves with whether it is done. */
  awaitFold: () => Promise<boolean>
  /** Loads the requested numbers of a link, in 2 seconds at most; resolves with whether they could be read. */
  loadNumbers: (linkId: number) => Promise<boolean>
  /**
   * Waits as `awaitFold` does; resolves with the time of the oldest scan from before the call that is not folded then;
   * undefined when there is none.
   */
  oldestUnfolded: () => Promise<number | undefined>
  /** How long requests wait, from now on: returns whether one may wait any longer. */
  patience: () => () => boolean
  /** Adds visits that another service has counted, once for each link. */
  addImported: (counts: ImportedCount[]) => Promise<void>
  /** Adds a part of a bundle or of visits, without scans that are too old to be stored; see `WarehouseCalls`. */
  addPart: AddPart
  /** Visits that were answered and are not in the statistics, ever. */
  lost: () => number
  /** Why scans cannot be recorded or folded, if so. */
  fault: () => string | undefined
  metrics: Metric[]
  close: () => Promise<void>
}

/** The store of links, as the recorder needs it. */
type Links = PurgeStore & LinksInstance & BackgroundOptions['links']

/** The disk, as the recording of scans needs it. */
export type ScansDisk = Pick<Disk, 'isFull' | 'isCritical' | 'holdsFold' | 'note'>

export interface RecorderOptions extends BackgroundOptions {
  /** Holds the journal. */
  dataDir: string
  openWarehouse: OpenWarehouse
  /** Whether scans survive power loss. */
  sync: boolean
  /** A monotonic clock, for delays. */
  monotonic: () => number
  links: Links
  log: Log
  /** The disk of the journal. */
  disk?: ScansDisk
  /** How long `awaitFold` waits, in place of 2 seconds. */
  waitMs?: number | undefined
}

/**
 * Opens the journal and the warehouse, and folds the journal of the previous run.
 * @throws {StartError} when the warehouse cannot be used, or belongs to other links; it is not changed then
 */
export async function openRecorder(options: RecorderOptions): Promise<Recorder> {
  const { dataDir, sync, now, monotonic, links, waitMs = WAIT_MS } = options
  const log = createRecorderLog(options.log, monotonic)
  const opened = await options.openWarehouse(links, log)
  const { disk = anyDisk } = options
  const journal = openJournalOn(disk, log, { folder: join(dataDir, 'journal'), sync, now, monotonic })
  let isClosing = false
  // A stop interrupts the fold, which is not a failure: the next start resumes it.
  const onError = (error: unknown) => isClosing || log.foldFailed(error)
  const warehouse = startWarehouse(opened.thread, onError)
  const { lost, purger, sweeper } = await openFolded(warehouse, opened, links, onError)
  const read = createScanReader(warehouse, now)
  const subscribers = createSubscribers(read.totals)
  const counters = createCounters(opened.isShared)
  const needs = { ...counters, journal, warehouse, purger, sweeper, subscribers, log, disk, onError }
  const background = startBackground(needs, options, lost)

  return {
    keys: opened.keys,
    ...countsBy(counters, { journal, warehouse, background }, waitMs),
    flush: journal.flush,
    ...waitsFor(background, journal, options, waitMs),
    fold: background.fold,
    hold: background.hold,
    ...read,
    ...importsInto(warehouse, counters, async () => (await options.removalTime()) - options.retention),
    purge: purger.purge,
    reread: purger.reread,
    subscribe: subscribers.subscribe,
    onFold: subscribers.onFold,
    refresh: subscribers.refresh,
    ...stateOf(journal, background, disk),
    metrics: scanMetrics(journal, background, subscribers.count, read.queued),
    async close() {
      await stop(background, opened)
      isClosing = true
      await closeFiles(journal, warehouse)
    },
  }
}

/** What is known of the scans and people of links in memory. */
interface Counters {
  humanScans: HumanScanCounter
  visitors: VisitorCounter
  unfolded: UnfoldedLinks
}

function createCounters(isShared: boolean): Counters {
  return {
    humanScans: createHumanScanCounter(isShared),
    visitors: createVisitorCounter(isShared),
    unfolded: createUnfoldedLinks(),
  }
}

function countsBy(
  counters: Counters,
  { journal, warehouse, background }: { journal: Journal; warehouse: WarehouseClient; background: Background },
  waitMs: number,
): Pick<Recorder, 'humanScans' | 'visitors' | 'record' | 'loadNumbers'> {
  const { humanScans, visitors, unfolded } = counters
  const read = (linkIds: number[]) => warehouse.call('humans', linkIds)
  const load = createNumberLoader({ ...counters, read, fold: background.fold })
  return {
    humanScans,
    visitors,
    record(scan, recorded) {
      unfolded.add(scan)
      journal.record(scan, visitors.count(scan, humanScans.count(scan, recorded)))
    },
    loadNumbers: (linkId) => within(load(linkId), waitMs),
  }
}

function openJournalOn(
  disk: ScansDisk,
  log: RecorderLog,
  options: Pick<JournalOptions, 'folder' | 'sync' | 'now' | 'monotonic'>,
): Journal {
  const onFailure = (error: unknown, lostEver: number) => {
    disk.note(error)
    log.writeFailed(error, lostEver)
  }
  const { isFull, isCritical } = disk
  const calls = { isFull, isCritical, onFailure, onUncounted: log.lossUncounted, onThrow: log.callbackFailed }
  return openJournal({ ...options, ...calls })
}

const anyDisk: ScansDisk = { isFull: () => false, isCritical: () => false, holdsFold: () => false, note() {} }

/** @param oldest returns the time of the oldest scans that are stored */
function importsInto(
  warehouse: Pick<WarehouseClient, 'call'>,
  { humanScans, visitors }: Pick<Counters, 'humanScans' | 'visitors'>,
  oldest: () => Promise<number>,
): Pick<Recorder, 'addImported' | 'addPart'> {
  const expire = (linkIds: number[]) => {
    for (const counter of [humanScans, visitors]) counter.expire(linkIds)
  }
  return {
    async addImported(counts) {
      await warehouse.call('addImported', counts)
      expire(counts.map(({ linkId }) => linkId))
    },
    async addPart(part) {
      const taken = await warehouse.call('addPart', withoutOld(part, await oldest()))
      expire([part.linkId])
      return taken
    },
  }
}

async function stop(background: Background, opened: Warehouse): Promise<void> {
  background.stop()
  opened.close()
  await within(background.fold(), LAST_FOLD_MS)
}

async function closeFiles(journal: Journal, warehouse: WarehouseClient): Promise<void> {
  try {
    journal.close()
  } finally {
    await warehouse.close()
  }
}

/** Reads the state of the warehouse; closes it after an error, because its thread would keep the process from exiting. */
async function openFolded(
  warehouse: WarehouseClient,
  opened: Warehouse,
  links: Links,
  onError: (error: unknown) => void,
) {
  const sweeper = createSweeper(() => warehouse.call('sweepTexts'), onError)
  try {
    const lost = await warehouse.call('lost').catch((error: Error) => {
      throw opened.unusable(error)
    })
    const purge = async (linkIds: number[]) => {
      await warehouse.call('purge', linkIds)
      sweeper.request()
    }
    const purger = await openPurger(links, purge, onError)
    return { lost, purger, sweeper }
  } catch (error) {
    opened.close()
    await warehouse.close().catch(onError)
    throw error
  }
}

function stateOf(
  { status }: Journal,
  { lost, failing }: Background,
  { holdsFold }: ScansDisk,
): Pick<Recorder, 'lost' | 'fault'> {
  return {
    lost: () => status().lost + lost(),
    fault() {
      if (status().failing) return 'scans cannot be recorded'
      // Those that wait for room are no fault, and the disk says so.
      return failing() && !holdsFold() ? 'recorded scans cannot be moved into the statistics' : undefined
    },
  }
}

function waitsFor(
  { fold }: Pick<Background, 'fold'>,
  { oldest }: Pick<Journal, 'oldest'>,
  { now, monotonic }: Pick<RecorderOptions, 'now' | 'monotonic'>,
  waitMs: number,
): Pick<Recorder, 'awaitFold' | 'oldestUnfolded' | 'patience'> {
  const awaitFold = () => within(fold(), waitMs)
  return {
    awaitFold,
    async oldestUnfolded() {
      const calledAt = now()
      if (await awaitFold()) return undefined
      try {
        const missing = oldest()
        return missing === undefined || missing > calledAt ? undefined : missing
      } catch {
        // Nobody knows what is in the folder.
        return calledAt
      }
    },
    patience() {
      const until = monotonic() + waitMs
      return () => monotonic() < until
    },
  }
}

/** Resolves with whether `work` succeeded in time; it continues in any case. */
async function within(work: Promise<boolean>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), ms)))
  const inTime = await Promise.race([work, late])
  clearTimeout(timer)
  return inTime
}
