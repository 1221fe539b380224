import { accessSync, close, closeSync, constants, fdatasync, fsyncSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import type { DatabaseConnection } from '#kysely'
import { syncPath } from '../../lib/sync-path.ts'
import { createDurable, type Durable } from './durable.ts'
import { createGroups, type Groups } from './group-commit.ts'
import { closeConnections } from './connection.ts'
import { createTransactions } from './dialect.ts'
import type { DiskSpace } from './disk-space.ts'
import { isDiskFull } from './errors.ts'
import { BUSY_TIMEOUT_MS, createBusyRetry, createWriteConnection } from './writer.ts'

/** Codes and hashes are random, so that each creation changes other pages of their indexes; SQLite's default is 2 MiB. */
const CACHE_KIB = 16 * 1024

/** Makes everything that was written to a file durable. */
export type Sync = (fd: number) => Promise<void>

/** Syncs in libuv's thread pool. */
export const syncData: Sync = promisify(fdatasync)

/** The connection that writes, and the log. When one of them fails, both are closed and reopened. */
export interface WritingSession {
  /** Resolves when everything that was committed is durable. */
  synced: Durable['synced']
  /** Whether everything that was committed is durable. */
  isDurable: Durable['isDurable']
  /** The holder of the write lock may use `writer`. */
  groups: Groups
  /** Runs a change of one statement in a group; see `Groups.run`. Resolves with the number of rows. */
  change: (sql: string, values: readonly unknown[]) => Promise<number>
  writer: DatabaseConnection
  newTransaction: ReturnType<typeof createTransactions>
  /** Ends the session unless the next process will find what was written. */
  confirm: () => void
  /** Writes the log back into the database, and resolves when no sync is running. No other connection may be open. */
  close: () => Promise<void>
  /** Closes after a fault, without writing the log back: another connection must be open. */
  abandon: () => Promise<void>
}

/** What a session calls. */
export interface WritingEvents {
  /** A change may not become durable: the session can no longer be used. */
  onFault: (error: unknown) => void
  /** The disk of the file. */
  space: DiskSpace
  /** Changes were committed. */
  onCommit: () => void
  /** Throws unless the next process will find what the connection has written. */
  confirm: (connection: DatabaseSync) => void
}

/** Opens a connection that writes. */
export async function openWriting(file: string, sync: Sync, events: WritingEvents): Promise<WritingSession> {
  // `retryBusy` waits for other processes instead of SQLite, which would block the event loop.
  const writing = openWriter(file, 0)
  try {
    const retryBusy = createBusyRetry()
    await retryBusy(async () => writing.exec('pragma journal_mode = wal'))
    writing.exec('pragma synchronous = normal')
    // SQLite hides the errors of its automatic checkpoints.
    writing.exec('pragma wal_autocheckpoint = 0')
    // The journals of savepoints stay in memory: most groups would create a file for them.
    writing.exec('pragma temp_store = memory')
    writing.exec(`pragma cache_size = -${CACHE_KIB}`)
    // The first read opens or creates the log.
    await retryBusy(async () => writing.exec('select 1 from sqlite_schema'))
    return startSession(writing, openLog(file), sync, events)
  } catch (error) {
    writing.close()
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

/** Opens the log, which stays the same file while a connection is open, and syncs what an earlier process wrote to it. */
function openLog(file: string): number {
  const log = openSync(`${file}-wal`, 'r+')
  try {
    fsyncSync(log)
    syncPath(dirname(file))
    return log
  } catch (error) {
    closeSync(log)
    throw error
  }
}

/** @param log the descriptor of the log */
function startSession(
  writing: DatabaseSync,
  log: number,
  sync: Sync,
  { onFault, space, onCommit, confirm }: WritingEvents,
): WritingSession {
  const syncNamed = async () => {
    await sync(log)
    confirm(writing)
  }
  const durable = createDurable(syncNamed, releasing(space, onFault))
  const { writer, connection, change, checkpoint } = createWriteConnection(writing, onFault, space)
  const groups = createGroups(writer, durable, () => {
    onCommit()
    checkpoint()
  })
  const closeAll = () => closeSession(writing, log, groups, durable)
  return {
    synced: durable.synced,
    isDurable: durable.isDurable,
    groups,
    change: (sql, values) => groups.run(() => change(sql, values)),
    writer: connection,
    newTransaction: createTransactions(connection),
    confirm() {
      try {
        confirm(writing)
      } catch (error) {
        onFault(error)
      }
    },
    // The last connection to be closed makes SQLite write the log back.
    async close() {
      groups.flush()
      await durable.synced().catch(() => {})
      await closeAll()
    },
    abandon: closeAll,
  }
}

/** Has a disk that refused a sync because it is full release its reserve. */
function releasing({ release }: DiskSpace, onFault: (error: unknown) => void): (error: unknown) => void {
  return (error) => {
    if (isDiskFull(error)) release()
    onFault(error)
  }
}

/** Fails what is not durable yet, and resolves when no sync is running. */
async function closeSession(writing: DatabaseSync, log: number, groups: Groups, durable: Durable): Promise<void> {
  groups.end()
  const idle = durable.end()
  const [error] = closeConnections([writing])
  await idle
  await promisify(close)(log)
  if (error !== undefined) throw error
}
