import { DatabaseSync } from 'node:sqlite'
import type { DatabaseConnection } from '#kysely'
import { closeConnections, connect } from './connection.ts'
import { createBusyRetry } from './writer.ts'
import { StoreUnavailable } from '../unavailable.ts'

/** Holds the inner pages of 10 million links (docs/adr/0023). */
const LOOKUP_CACHE_KIB = 8192

/** Two connections that only read, which with write-ahead logging never wait for a change. */
export interface ReadingSession {
  reader: DatabaseConnection
  lookups: Lookups
  close: () => Promise<void>
  /** Closes after a fault. */
  abandon: () => Promise<void>
}

/**
 * Opens the connections. They need no permission to write, so that links are read where the disk takes nothing any more.
 * @param onFault called when the look-ups can no longer be used
 */
export async function openReading(file: string, onFault: (error: unknown) => void): Promise<ReadingSession> {
  const opened: DatabaseSync[] = []
  const retryBusy = createBusyRetry()
  const open = async () => {
    const connection = new DatabaseSync(file, { timeout: 0, readOnly: true })
    opened.push(connection)
    // The first read opens the log.
    await retryBusy(async () => connection.exec('select 1 from sqlite_schema'))
    return connection
  }
  try {
    const [reading, lookup] = [await open(), await open()]
    lookup.exec(`pragma cache_size = -${LOOKUP_CACHE_KIB}`)
    const close = async () => {
      const [error] = closeConnections(opened)
      if (error !== undefined) throw error
    }
    const reader = patient(connect(reading, { onChange: () => {}, onFault: () => {} }))
    return { reader, lookups: createLookups(lookup, onFault), close, abandon: close }
  } catch (error) {
    closeConnections(opened)
    throw error
  }
}

function patient(connection: DatabaseConnection): DatabaseConnection {
  const retryBusy = createBusyRetry()
  return { ...connection, executeQuery: (query) => retryBusy(() => connection.executeQuery(query)) }
}

/** Look-ups on a connection of their own. */
interface Lookups {
  /** Prepares a statement; the returned function returns the values of its first row. */
  prepare: (sql: string) => (parameters: string[]) => unknown[] | undefined
  /** Ends the read transaction, so that a checkpoint can write back all of the log. */
  endTransaction: () => void
}

/**
 * Runs all look-ups of one iteration of the event loop in one transaction: to lock and unlock the log for each costs as
 * much as the look-up. So they see what was committed before the first of them. A change is answered in a later iteration
 * than that of its commit, so that whoever reads after the answer sees it.
 * @param onFault called when the connection can no longer be used
 */
function createLookups(db: DatabaseSync, onFault: (error: unknown) => void): Lookups {
  const begin = db.prepare('begin')
  const commit = db.prepare('commit')
  const endTransaction = () => {
    if (!db.isOpen || !db.isTransaction) return
    try {
      commit.run()
    } catch (error) {
      // A file that cannot be read fails this as well. A transaction that stays open would see the same state for ever.
      rollBack(error)
    }
  }
  function rollBack(error: unknown): void {
    try {
      if (db.isTransaction) db.exec('rollback')
    } catch {
      onFault(error)
    }
  }
  return {
    prepare(sql) {
      const statement = db.prepare(sql)
      // Each object would get a shape of its own, and cost more than the look-up.
      statement.setReturnArrays(true)
      return (parameters) => {
        if (!db.isOpen) throw new StoreUnavailable('the store is closed')
        if (!db.isTransaction) {
          begin.run()
          setImmediate(endTransaction)
        }
        return statement.get(...parameters) as unknown[] | undefined
      }
    },
    endTransaction,
  }
}
