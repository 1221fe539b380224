import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { changedFiles, noteFiles, type Sums } from './kept-files.ts'
import { unreadTransactions } from './left-log.ts'

/** What is not as the last process has left it. */
export interface Left {
  /** Files that have changed since it ended by itself, or are gone, as they were then. */
  changed: Sums
  /** Databases whose logs cannot be read to their ends, and how many transactions stand there. */
  unread: { file: string; transactions: number }[]
}

const databases = ['links.db', 'scans.db']

/** Lists come again, and what was found damaged is the operator's to remove. */
const isKept = (name: string) =>
  databases.includes(name) || /^visitors\/[^/]+\.(?:salt|keys)$/.test(name) || /^journal\/[^/]+\.scans$/.test(name)

/** Looks at what is in a data folder, before anything of it is opened. */
export function lookOver(dataDir: string): Left {
  const changed = changedFiles(dataDir)
  const logs = databases.map((file) => ({ file, transactions: unreadTransactions(join(dataDir, file)) }))
  return { changed, unread: logs.filter(({ transactions }) => transactions > 0) }
}

/**
 * Notes how everything is, now that it is closed; but for what another process has open, and may write to.
 * @param untold what was found changed, where the next start must find it again
 */
export function noteLeft(dataDir: string, untold: Sums = {}): void {
  noteFiles(dataDir, (name) => isKept(name) && !existsSync(join(dataDir, `${name}-wal`)), untold)
}

/** Tells an operator what was found at the start. */
export function logLeft({ changed, unread }: Left, log: { error: (details: object, text: string) => void }): void {
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
      'a database has a damaged log, and what stands behind the damage is lost; after a power loss it may be nothing that was answered',
    )
  }
}
