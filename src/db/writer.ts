import type { DatabaseSync } from 'node:sqlite'
import type { DatabaseConnection } from '#kysely'
import type { Writer } from './group-commit.ts'
import { createPatience } from './patience.ts'
import { connect } from './sqlite-connection.ts'
import { resultCode, SQLITE_BUSY, SQLITE_IOERR, StoreAway } from './sqlite-errors.ts'

/** How long statements wait for another process that holds the write lock (a backup, say). */
export const BUSY_TIMEOUT_MS = 5000
const RETRY_MS = 20

/** A creation changes one row and logs some three pages; SQLite's own measure is 1,000 pages. */
const CHECKPOINT_ROWS = 1000

/** Waits between tries for another process. */
export const createInsist = () =>
  createPatience({
    ms: BUSY_TIMEOUT_MS,
    everyMs: RETRY_MS,
    isBusy: (error) => resultCode(error) === SQLITE_BUSY,
  })

/** The connection that changes are made on, in groups. */
export function createWriter(db: DatabaseSync, onFault: (error: unknown) => void) {
  let hasChanged = false
  let rows = 0
  const onChange = (count: number) => {
    hasChanged = true
    rows += count
  }
  const connection = connect(db, { onChange, onFault })
  const requireGroup = () => {
    // SQLite has rolled all back, for want of space say; what follows must not be kept alone.
    if (db.isOpen && !db.isTransaction) throw new StoreAway('the changes of a group were lost')
  }
  const inGroup: DatabaseConnection = {
    ...connection,
    async executeQuery(query) {
      requireGroup()
      return connection.executeQuery(query)
    },
  }
  const change = (sql: string, values: readonly unknown[]) => {
    requireGroup()
    return connection.change(sql, values)
  }
  const insist = createInsist()
  const writer: Writer = {
    begin: () => insist(async () => connection.exec('begin immediate')),
    tryBegin() {
      try {
        connection.exec('begin immediate')
        return true
      } catch (error) {
        if (resultCode(error) === SQLITE_BUSY) return false
        throw error
      }
    },
    exec: connection.exec,
    isOpen: () => db.isOpen,
    isTransaction: () => db.isTransaction,
    hasChanged() {
      const before = hasChanged
      hasChanged = false
      return before
    },
  }
  const checkpoint = () => {
    if (rows < CHECKPOINT_ROWS || !db.isOpen) return
    rows = 0
    try {
      db.exec('pragma wal_checkpoint(passive)')
    } catch (error) {
      // Without space the log grows for now.
      if (resultCode(error) === SQLITE_IOERR) onFault(error)
    }
  }
  return { writer, connection: inGroup, change, checkpoint }
}
