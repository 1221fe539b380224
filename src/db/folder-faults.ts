import { throttle } from '../lib/throttle.ts'
import { logIntegrity, type IntegrityReport } from './sqlite/integrity.ts'

const REPEATED_LOG_MS = 60_000

const REPLACED = 'links cannot be created or changed: a file of the store is no longer the one that is open'
const LOCKED_AGAIN = 'the lock of DATA_DIR was removed while quirl runs, and quirl has taken it again'
const UNLOCKED = 'the lock of DATA_DIR was removed while quirl runs, and quirl could not take it again'

/** What other programs do to the files of a data folder. */
export interface FolderFaults {
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
export function createFolderFaults(
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
