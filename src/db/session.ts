import { accessSync, close, constants, fdatasync, fsyncSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import type { DatabaseConnection } from '#kysely'
import { syncPath } from '../lib/sync-path.ts'
import { createDurable, type Durable } from './durable.ts'
import { createGroups, type Groups } from './group-commit.ts'
import { createLooks, type Looks } from './looks.ts'
import { connect } from './sqlite-connection.ts'
import { createTransactions } from './sqlite-dialect.ts'
import { BUSY_TIMEOUT_MS, createInsist, createWriter } from './writer.ts'

/** Codes and hashes are random, so that each creation changes other pages of their indexes; SQLite would keep 2 MiB. */
const CACHE_KIB = 16 * 1024
/** Holds the inner pages of 10 million links (docs/adr/0023). */
const LOOK_UP_CACHE_KIB = 8192

/** Brings what was written to a file to the disk. */
export type Sync = (fd: number) => Promise<void>

/** Without the loop: in libuv's pool. */
export const syncData: Sync = promisify(fdatasync)

/** The open files of a store. When one of them fails, all are closed and opened again. */
export interface Session {
  reader: DatabaseConnection
  looks: Looks
  settled: Durable['settled']
  /** Who has a turn may use `writer`. */
  groups: Groups
  /** Runs a change of one statement in a group; see `Groups.run`. Resolves with the number of rows. */
  change: (sql: string, values: readonly unknown[]) => Promise<number>
  writer: DatabaseConnection
  newTransaction: ReturnType<typeof createTransactions>
  /** Nothing is promised any more. Writes the log back into the database, and resolves when no sync is under way. */
  close: () => Promise<void>
  /** The same after a fault: the log stays as it is. */
  abandon: () => Promise<void>
}

/**
 * Opens a connection that writes and one that only reads, which with write-ahead logging never waits for the first.
 * @param onFault called when what was written may not reach the disk
 */
export async function openSession(file: string, sync: Sync, onFault: (error: unknown) => void): Promise<Session> {
  const opened: DatabaseSync[] = []
  try {
    // The thread waits for other processes between tries, and not in SQLite, so that visits need not wait.
    const writing = openWriter(file, 0)
    opened.push(writing)
    const insist = createInsist()
    await insist(async () => writing.exec('pragma journal_mode = wal'))
    writing.exec('pragma synchronous = normal')
    // SQLite hides the faults of the checkpoints that it makes by itself.
    writing.exec('pragma wal_autocheckpoint = 0')
    // What a savepoint may have to bring back is kept in memory: a file for it would be made for most groups.
    writing.exec('pragma temp_store = memory')
    writing.exec(`pragma cache_size = -${CACHE_KIB}`)
    const reading = new DatabaseSync(file, { timeout: 0, readOnly: true })
    opened.push(reading)
    const looking = new DatabaseSync(file, { timeout: 0, readOnly: true })
    opened.push(looking)
    // The first look opens the log, or makes it.
    for (const connection of opened) await insist(async () => connection.exec('select 1 from sqlite_schema'))
    looking.exec(`pragma cache_size = -${LOOK_UP_CACHE_KIB}`)
    return startSession({ writing, reading, looking, log: openLog(file) }, sync, onFault)
  } catch (error) {
    for (const connection of opened) connection.close()
    throw error
  }
}

/** A connection that may write. SQLite falls back to reading alone, and would only say so at the first change. */
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
  const insist = createInsist()
  return { ...connection, executeQuery: (query) => insist(() => connection.executeQuery(query)) }
}

/** Opens the log, which stays the same file while a connection is open, and syncs what a process before has left in it. */
function openLog(file: string): number {
  const log = openSync(`${file}-wal`, 'r+')
  fsyncSync(log)
  syncPath(dirname(file))
  return log
}

function startSession(
  { writing, reading, looking, log }: Record<'writing' | 'reading' | 'looking', DatabaseSync> & { log: number },
  sync: Sync,
  onFault: (error: unknown) => void,
): Session {
  const durable = createDurable(() => sync(log), onFault)
  const { writer, connection, change, checkpoint } = createWriter(writing, onFault)
  const looks = createLooks(looking, onFault)
  const groups = createGroups(writer, durable, () => {
    looks.letGo()
    checkpoint()
  })
  const closeAll = async (connections: DatabaseSync[]) => {
    groups.end()
    const idle = durable.end()
    const faults: unknown[] = []
    for (const each of connections) {
      try {
        if (each.isOpen) each.close()
      } catch (error) {
        faults.push(error)
      }
    }
    await idle
    await promisify(close)(log)
    if (faults.length > 0) throw faults[0]
  }
  return {
    looks,
    settled: durable.settled,
    groups,
    change: (sql, values) => groups.run(() => change(sql, values)),
    writer: connection,
    newTransaction: createTransactions(connection),
    reader: patient(connect(reading, { onChange: () => {}, onFault: () => {} })),
    // SQLite writes back what the last connection leaves, when that one can write.
    async close() {
      groups.flush()
      await durable.settled().catch(() => {})
      await closeAll([looking, reading, writing])
    },
    abandon: () => closeAll([writing, looking, reading]),
  }
}
