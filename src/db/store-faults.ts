import { FilesReplaced } from './sqlite/open-files.ts'
import { DiskFull, isBusy, isHeld } from './unavailable.ts'
import { isStoreDamaged, isStoreUnavailable } from './open.ts'
import { throttle } from '../lib/throttle.ts'
import { logIntegrity, type IntegrityReport } from './sqlite/integrity.ts'

const DAMAGED = 'the store is damaged or cannot be read: stop quirl, and put a backup in its place by "quirl restore"'
const UNAVAILABLE = 'requests have failed within the last seconds because the store is unavailable'

const HELD = 'the store is being moved to another place, and nothing was changed; try again'
const FULL =
  'the disk of this service is full, and nothing was changed: links can be paused and deleted; try again later'
const AWAY = 'the store cannot be reached, try again'
const UNKNOWN_OUTCOME = 'the store cannot be reached; a change may or may not have been saved, try again'
const REPEATED_LOG_MS = 60_000
const REPLACED = 'links cannot be created or changed: a file of the store is no longer the one that is open'
const LOCKED_AGAIN = 'the lock of DATA_DIR was removed while quirl runs, and quirl has taken it again'
const UNLOCKED = 'the lock of DATA_DIR was removed while quirl runs, and quirl could not take it again'

/** Tracks the faults of the store. */
export interface StoreFaults {
  /** What other programs do to the files. */
  folder: FolderFaults
  /**
   * Records an error that means that the store is unavailable or damaged.
   * @param mayChange whether the request may have changed something
   * @returns what to answer; undefined for any other error
   */
  note: (error: unknown, mayChange: boolean) => string | undefined
  /** The fault of the folder, or the one that a request had within so many milliseconds. */
  recent: (ms: number) => string | undefined
  metrics: { name: string; help: string; type: 'counter' | 'gauge'; read: () => number }[]
}

export function createStoreFaults(monotonic: () => number, log: Parameters<typeof createFolderFaults>[1]): StoreFaults {
  const folder = createFolderFaults(monotonic, log)
  let count = 0
  let lastAt = Number.NEGATIVE_INFINITY
  let text = ''
  return {
    folder,
    note(error, mayChange) {
      // Visits go on, so that the service stays ready.
      if (isHeld(error)) return HELD
      const isDamaged = isStoreDamaged(error)
      if (!isDamaged && !isStoreUnavailable(error)) return undefined
      count++
      // A stranger can have his own requests wait for each other: the service is ready all the same.
      if (!isBusy(error)) {
        lastAt = monotonic()
        text = isDamaged ? DAMAGED : error instanceof FilesReplaced ? error.message : UNAVAILABLE
      }
      if (error instanceof DiskFull) return FULL
      return mayChange ? UNKNOWN_OUTCOME : AWAY
    },
    recent: (ms) => folder.fault() ?? (monotonic() - lastAt < ms ? text : undefined),
    metrics: [
      {
        name: 'quirl_store_faults_total',
        help: 'Requests that failed because the store is unavailable or damaged',
        type: 'counter',
        read: () => count,
      },
      {
        name: 'quirl_files_not_as_left',
        help: 'Files that have changed since the previous process stopped',
        type: 'gauge',
        read: folder.found,
      },
    ],
  }
}

/** What other programs do to the files of a data folder. */
interface FolderFaults {
  /** Logs what was found before the store was opened. */
  onIntegrity: (report: IntegrityReport) => void
  /** Logs that files of the lock of DATA_DIR were removed; after an error, which says that another process may have it, until it is called without. */
  onUnlocked: (removed: string[], error?: unknown) => void
  /** Logs that a file of the store is not where it was opened, once a minute at most. */
  onReplaced: (error: unknown) => void
  /** Why nothing can be relied upon, if so. */
  fault: () => string | undefined
  /** How many files the start has found changed. */
  found: () => number
}

/** @param monotonic a monotonic clock */
function createFolderFaults(
  monotonic: () => number,
  log: Record<'error' | 'warn', (details: object, text: string) => void>,
): FolderFaults {
  let found = 0
  let unlocked: string | undefined
  const repeated = (text: string) =>
    throttle(REPEATED_LOG_MS, monotonic, (error: unknown) => log.error({ err: error }, text))
  const logUnlocked = repeated(UNLOCKED)
  return {
    onIntegrity(report) {
      found = Object.keys(report.changed).length + report.unread.length
      logIntegrity(report, log)
    },
    onUnlocked(removed, error) {
      unlocked = error === undefined ? undefined : UNLOCKED
      if (error !== undefined) logUnlocked(error)
      else if (removed.length > 0) log.warn({ files: removed }, LOCKED_AGAIN)
    },
    onReplaced: repeated(REPLACED),
    fault: () => unlocked,
    found: () => found,
  }
}
