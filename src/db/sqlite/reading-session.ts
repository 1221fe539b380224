import { DatabaseSync } from 'node:sqlite'
import type { DatabaseConnection } from '#kysely'
import { closeConnections, connect } from './connection.ts'
import { createLookups, type Lookups } from './lookups.ts'
import { createBusyRetry } from './writer.ts'

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
