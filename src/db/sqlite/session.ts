import { accessSync, close, constants, fdatasync, fsyncSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import type { DatabaseConnection } from '#kysely'
import { syncPath } from '../../lib/sync-path.ts'
import { createDurable, type Durable } from './durable.ts'
import { createGroups, type Groups } from './group-commit.ts'
import { createLookups, type Lookups } from './lookups.ts'
import { connect } from './connection.ts'
import { createTransactions } from './dialect.ts'
import { BUSY_TIMEOUT_MS, createBusyRetry, createWriteConnection } from './writer.ts'

/** Codes and hashes are random, so that each creation changes other pages of their indexes; SQLite's default is 2 MiB. */
const CACHE_KIB = 16 * 1024
/** Holds the inner pages of 10 million links (docs/adr/0023). */
const LOOKUP_CACHE_KIB = 8192

/** Makes everything that was written to a file durable. */
export type Sync = (fd: number) => Promise<void>

/** Syncs in libuv's thread pool. */
export const syncData: Sync = promisify(fdatasync)

/** The open files of a store. When one of them fails, all are closed and reopened. */
export interface Session {
  reader: DatabaseConnection
  lookups: Lookups
  settled: Durable['settled']
  /** The holder of the write lock may use `writer`. */
  groups: Groups
  /** Runs a change of one statement in a group; see `Groups.run`. Resolves with the number of rows. */
  change: (sql: string, values: readonly unknown[]) => Promise<number>
  writer: DatabaseConnection
  newTransaction: ReturnType<typeof createTransactions>
  /** Writes the log back into the database, and resolves when no sync is running. */
  close: () => Promise<void>
  /** Closes after a fault, without writing the log back. */
  abandon: () => Promise<void>
}

/**
 * Opens a connection that writes, and two that only read, which with write-ahead logging never wait for the first.
 * @param onFault called when a change may not become durable
 */
export async function openSession(file: string, sync: Sync, onFault: (error: unknown) => void): Promise<Session> {
  const opened: DatabaseSync[] = []
  try {
    // `retryBusy` waits for other processes instead of SQLite, which would block the event loop.
    const writing = openWriter(file, 0)
    opened.push(writing)
    const retryBusy = createBusyRetry()
    await retryBusy(async () => writing.exec('pragma journal_mode = wal'))
    writing.exec('pragma synchronous = normal')
    // SQLite hides the errors of its automatic checkpoints.
    writing.exec('pragma wal_autocheckpoint = 0')
    // The journals of savepoints stay in memory: most groups would create a file for them.
    writing.exec('pragma temp_store = memory')
    writing.exec(`pragma cache_size = -${CACHE_KIB}`)
    const reading = new DatabaseSync(file, { timeout: 0, readOnly: true })
    opened.push(reading)
    const lookup = new DatabaseSync(file, { timeout: 0, readOnly: true })
    opened.push(lookup)
    // The first read opens or creates the log.
    for (const connection of opened) await retryBusy(async () => connection.exec('select 1 from sqlite_schema'))
    lookup.exec(`pragma cache_size = -${LOOKUP_CACHE_KIB}`)
    return startSession({ writing, reading, lookup, log: openLog(file) }, sync, onFault)
  } catch (error) {
    for (const connection of opened) connection.close()
    throw error
  }
}

/** A connection that may write. Without permission SQLite opens it read-only, and reports that at the first change. */
export function openWriter(file: string, timeout = BUSY_TIMEOUT_MS): DatabaseSync {
  const connection = new DatabaseSync(file, { timeout, enableForeignKeyConstraints: true })
  try {
    accessSync(file, constants.W_OK)
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

function patient(connection: DatabaseConnection): DatabaseConnection {
  const retryBusy = createBusyRetry()
  return { ...connection, executeQuery: (query) => retryBusy(() => connection.executeQuery(query)) }
}

/** Opens the log, which stays the same file while a connection is open, and syncs what an earlier process wrote to it. */
function openLog(file: string): number {
  const log = openSync(`${file}-wal`, 'r+')
  fsyncSync(log)
  syncPath(dirname(file))
  return log
}

interface OpenFiles {
  writing: DatabaseSync
  reading: DatabaseSync
  lookup: DatabaseSync
  /** The descriptor of the log. */
  log: number
}

function startSession(
  { writing, reading, lookup, log }: OpenFiles,
  sync: Sync,
  onFault: (error: unknown) => void,
): Session {
  const durable = createDurable(() => sync(log), onFault)
  const { writer, connection, change, checkpoint } = createWriteConnection(writing, onFault)
  const lookups = createLookups(lookup, onFault)
  const groups = createGroups(writer, durable, () => {
    lookups.endTransaction()
    checkpoint()
  })
  const closeAll = async (connections: DatabaseSync[]) => {
    groups.end()
    const idle = durable.end()
    const [error] = closeConnections(connections)
    await idle
    await promisify(close)(log)
    if (error !== undefined) throw error
  }
  return {
    lookups,
    settled: durable.settled,
    groups,
    change: (sql, values) => groups.run(() => change(sql, values)),
    writer: connection,
    newTransaction: createTransactions(connection),
    reader: patient(connect(reading, { onChange: () => {}, onFault: () => {} })),
    // The last connection to be closed makes SQLite write the log back, if that connection can write.
    async close() {
      groups.flush()
      await durable.settled().catch(() => {})
      await closeAll([lookup, reading, writing])
    },
    abandon: () => closeAll([writing, lookup, reading]),
  }
}

/** Closes each connection, even if another fails. @returns the errors */
function closeConnections(connections: DatabaseSync[]): unknown[] {
  const errors: unknown[] = []
  for (const each of connections) {
    try {
      if (each.isOpen) each.close()
    } catch (error) {
      errors.push(error)
    }
  }
  return errors
}
