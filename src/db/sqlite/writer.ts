import type { DatabaseSync } from 'node:sqlite'
import type { DatabaseConnection } from '#kysely'
import type { Writer } from './group-commit.ts'
import type { DiskSpace } from './disk-space.ts'
import { createLockRetry } from './lock-retry.ts'
import { connect, type Statements } from './connection.ts'
import { resultCode, SQLITE_BUSY, SQLITE_IOERR } from './errors.ts'
import { StoreUnavailable } from '../unavailable.ts'

/** How long statements wait for another process that holds the write lock (a backup, for example). */
export const BUSY_TIMEOUT_MS = 5000
const RETRY_MS = 20

/** A creation changes one row and logs some three pages; SQLite checkpoints after 1,000 pages. */
const CHECKPOINT_ROWS = 1000
/** While the disk is full, the log takes from the reserve. */
const FULL_CHECKPOINT_ROWS = 20

/** Retries while another process holds the lock. */
export const createBusyRetry = () =>
  createLockRetry({
    ms: BUSY_TIMEOUT_MS,
    everyMs: RETRY_MS,
    isBusy: (error) => resultCode(error) === SQLITE_BUSY,
  })

/** The connection on which changes are made in groups. */
export interface WriteConnection {
  writer: Writer
  connection: DatabaseConnection
  change: Statements['change']
  /** Writes the log back into the database once it is long. */
  checkpoint: () => void
}

/** @param onFault called when a file cannot be read, written or synced */
export function createWriteConnection(
  db: DatabaseSync,
  onFault: (error: unknown) => void,
  space: DiskSpace,
): WriteConnection {
  const changes = { hasChanged: false, rowsInLog: 0 }
  const onChange = (rows: number) => {
    changes.hasChanged = true
    changes.rowsInLog += rows
  }
  const statements = connect(db, { onChange, onFault, onFull: space.release })
  const requireGroup = () => {
    // SQLite has rolled back, for lack of space for example; a statement outside of the group must not be committed.
    if (db.isOpen && !db.isTransaction) throw new StoreUnavailable('the changes of a group were lost')
  }
  return {
    writer: createWriter(db, statements, changes),
    connection: {
      ...statements,
      async executeQuery(query) {
        requireGroup()
        return statements.executeQuery(query)
      },
    },
    change(sql, values) {
      requireGroup()
      return statements.change(sql, values)
    },
    checkpoint() {
      const most = space.isFull() ? FULL_CHECKPOINT_ROWS : CHECKPOINT_ROWS
      if (changes.rowsInLog < most || !db.isOpen) return
      changes.rowsInLog = 0
      checkpoint(db, onFault)
    },
  }
}

function createWriter(db: DatabaseSync, { exec }: Statements, changes: { hasChanged: boolean }): Writer {
  const retryBusy = createBusyRetry()
  return {
    begin: () => retryBusy(async () => exec('begin immediate')),
    tryBegin() {
      try {
        exec('begin immediate')
        return true
      } catch (error) {
        if (resultCode(error) === SQLITE_BUSY) return false
        throw error
      }
    },
    exec,
    isOpen: () => db.isOpen,
    isTransaction: () => db.isTransaction,
    takeChanged() {
      const { hasChanged } = changes
      changes.hasChanged = false
      return hasChanged
    },
  }
}

function checkpoint(db: DatabaseSync, onFault: (error: unknown) => void): void {
  try {
    db.exec('pragma wal_checkpoint(passive)')
  } catch (error) {
    // Without disk space the log grows until there is some.
    if (resultCode(error) === SQLITE_IOERR) onFault(error)
  }
}
