import { throttle } from '../lib/throttle.ts'
import type { Adopted, FoldResult } from './folding/fold.ts'

export type Log = Record<'error' | 'warn', (details: object, text: string) => void>

const INTERVAL_MS = 60_000
const DAY_MS = 86_400_000
/** Files that a line names. */
const MAX_NAMED = 10

/** The log lines about scans. Repeated failures are logged at most once a minute each. */
export interface RecorderLog {
  writeFailed: (error: unknown, lost: number) => void
  lossUncounted: (error: unknown) => void
  callbackFailed: (error: unknown) => void
  foldFailed: (error: unknown) => void
  faultsFound: (result: FoldResult) => void
  adopted: (nodes: Adopted[]) => void
  /** @param before the time from before which scans were removed */
  pruned: (scans: number, before: number) => void
  scansMissing: () => void
  unknownLinks: (count: number) => void
}

/** @param monotonic a monotonic clock */
export function createRecorderLog(log: Log, monotonic: () => number): RecorderLog {
  const throttled = <A extends unknown[]>(write: (...args: A) => void) => throttle(INTERVAL_MS, monotonic, write)
  const filesFailed = throttled((failed: FoldResult['failed']) =>
    log.error(listed(failed), 'files cannot be folded; the fold continues with the others'),
  )
  const adoptionFailed = throttled((folder: string, failed: Adopted['failed']) =>
    log.error({ folder, ...listed(failed) }, 'scans of a node that no longer runs cannot be folded'),
  )
  return {
    writeFailed: throttled((error: unknown, lost: number) =>
      log.error({ err: error, lost }, 'scans cannot be recorded; visits are answered all the same'),
    ),
    lossUncounted: throttled((error: unknown) =>
      log.error({ err: error }, 'the number of scans that were not recorded is not stored: it ends with this process'),
    ),
    callbackFailed: throttled((error: unknown) => log.error({ err: error }, 'a recorded visit could not be answered')),
    foldFailed: throttled((error: unknown) =>
      log.error({ err: error }, 'the fold of scans failed and will be retried'),
    ),
    faultsFound({ damaged, failed, lost }) {
      if (failed.length > 0) filesFailed(failed)
      // A fold reports each damaged file once.
      if (damaged.length === 0) return
      log.error(
        { ...listed(damaged), lost_ever: lost },
        'damaged files were found: journal files are renamed to *.damaged, visitor keys are recreated',
      )
    },
    adopted(nodes) {
      for (const { folder, scans, failed } of nodes) {
        if (scans > 0) log.warn({ folder, scans }, 'the scans of a node that no longer runs are in the statistics now')
        if (failed.length > 0) adoptionFailed(folder, failed)
      }
    },
    pruned: createPrunedLog(log, monotonic),
    scansMissing: () => log.warn({}, 'scans.db is missing: the statistics start from zero'),
    unknownLinks: (count) =>
      log.warn({ count }, 'links that links.db does not know have scans, which are not deleted: see "quirl adopt"'),
  }
}

function listed<File>(files: File[]): { count: number; files: File[] } {
  return { count: files.length, files: files.slice(0, MAX_NAMED) }
}

/** Logs what is removed for its age: the first time, then once a day, all of the day together. */
function createPrunedLog(log: Log, monotonic: () => number): RecorderLog['pruned'] {
  let total = 0
  let nextAt = Number.NEGATIVE_INFINITY
  return (scans, before) => {
    total += scans
    if (monotonic() < nextAt) return
    nextAt = monotonic() + DAY_MS
    log.warn(
      { scans: total, before: new Date(before).toISOString() },
      'raw scans older than SCAN_RETENTION were removed',
    )
    total = 0
  }
}
