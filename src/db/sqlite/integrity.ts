import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { changedFiles, recordSums, type Sums } from './file-sums.ts'
import { countUnreadTransactions } from './wal-check.ts'

/** Differences from what the last process left in a data folder. */
export interface IntegrityReport {
  /** Files that were changed or removed since it stopped, with their former sums. */
  changed: Sums
  /** Databases with damaged logs, and how many transactions SQLite will not read. */
  unread: { file: string; transactions: number }[]
}

const databases = ['links.db', 'scans.db']

/** The files of the service's own data: lists are fetched again, and damaged files that were set aside do not matter. */
const isChecked = (name: string) =>
  databases.includes(name) || /^visitors\/[^/]+\.(?:salt|keys)$/.test(name) || /^journal\/[^/]+\.scans$/.test(name)

/** Checks a data folder before anything in it is opened. */
export function checkIntegrity(dataDir: string): IntegrityReport {
  const changed = changedFiles(dataDir)
  const logs = databases.map((file) => ({ file, transactions: countUnreadTransactions(join(dataDir, file)) }))
  return { changed, unread: logs.filter(({ transactions }) => transactions > 0) }
}

/**
 * Records the sums of all files after they were closed, except those that another process has open.
 * @param unreported changed files that the next start must report again
 */
export function recordIntegrity(dataDir: string, unreported: Sums = {}): void {
  recordSums(dataDir, (name) => isChecked(name) && !existsSync(join(dataDir, `${name}-wal`)), unreported)
}

/** Reports to the operator what the start has found. */
export function logIntegrity(
  { changed, unread }: IntegrityReport,
  log: { error: (details: object, text: string) => void },
): void {
  const files = Object.keys(changed)
  if (files.length > 0) {
    log.error(
      { files },
      'files are not as they were when quirl stopped: another program has changed them, or the disk; compare them with a backup',
    )
  }
  if (unread.length > 0) {
    log.error(
      { logs: unread },
      'a database has a damaged log, and the changes after the damage are lost; after a power loss they may never have been answered',
    )
  }
}
