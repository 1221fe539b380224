import { DatabaseSync } from 'node:sqlite'
import { sql, type Kysely, type Transaction } from '#kysely'
import { createPrepareChange, createPrepareRead } from './prepared-statements.ts'
import type { Database } from '../database.ts'
import { rewriteLog } from './durable.ts'
import { openSessions, type Sessions } from './sessions.ts'
import { migrate } from '../migrate.ts'
import type { Tables } from '../schema.ts'
import { connect } from './connection.ts'
import { createKysely, type Access } from './dialect.ts'
import { toFileError } from './errors.ts'
import { ChangesHeld, StoreUnavailable } from '../unavailable.ts'
import { sqliteMigrations } from './migrations.ts'
import { openSession, openWriter, syncData, type Sync } from './session.ts'
import { BUSY_TIMEOUT_MS } from './writer.ts'

/** A full disk refuses changes and no reads: requests that change something notice its end. */
const DOUBT_MS = 10_000

/** The embedded store, whose changes can be held. */
export interface EmbeddedDatabase extends Database {
  /** Refuses changes until the returned function is called; resolves when none is under way. */
  holdChanges: () => Promise<() => void>
}

/** Options of the embedded store. */
export interface SqliteOptions {
  /** Whether no other process can have the file open: its log is then written again, because it may not be durable. */
  alone?: boolean
  sync?: Sync | undefined
  /** Called when the store was reopened after a fault: a change that was never answered may be there, or not. */
  onReopened?: (() => void) | undefined
}

/**
 * Opens the embedded database. A change is answered after a sync that began after its commit, so that it survives power
 * loss; docs/adr/0022 explains why that is as durable as `synchronous=FULL`.
 * @throws {StartError} when the file cannot be used
 */
export async function openSqlite(
  file: string,
  now: () => number,
  { alone = false, sync = syncData, onReopened = () => {} }: SqliteOptions = {},
): Promise<EmbeddedDatabase> {
  try {
    if (alone) rewriteLog(file)
    await migrateFile(file, now)
    const sessions = await openSessions(async (onFault, isReopening) => {
      if (isReopening) rewriteLog(file)
      return openSession(file, sync, onFault)
    }, onReopened)
    return createDatabase(sessions, now)
  } catch (error) {
    throw toFileError(error, file)
  }
}

function createDatabase(sessions: Sessions, now: () => number): EmbeddedDatabase {
  let isHeld = false
  const changing = {
    current() {
      if (isHeld) throw new ChangesHeld('changes are refused while the store is moved')
      return sessions.current()
    },
  }
  const write = createKysely(writeAccess(changing))
  const read = createKysely(readAccess(sessions, true))
  const patient = createKysely(readAccess(sessions, false))
  return {
    read,
    prepareRead: createPrepareRead(sessions, patient),
    write,
    prepareChange: createPrepareChange(changing, write),
    transaction: (work) => transact(changing, work),
    // There is one transaction at a time.
    lock: async () => {},
    async holdChanges() {
      isHeld = true
      const end = () => void (isHeld = false)
      try {
        // Changes have the connection in turn: those that came before have ended.
        await transact(sessions, async () => {})
        return end
      } catch (error) {
        end()
        throw error
      }
    },
    time: () => sql<number>`cast(${now()} as bigint)`,
    check: async () => void (await read.selectFrom('migrations').select('number').limit(1).execute()),
    doubtMs: DOUBT_MS,
    async close() {
      for (const each of [patient, read, write]) await each.destroy()
      await sessions.close()
    },
  }
}

/** Opens a file, or a copy of one, read-only; does not migrate it. */
export function readSqlite(file: string): Pick<Database, 'read' | 'close'> {
  const opened = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, readOnly: true })
  const read = singleConnection(opened)
  return {
    read,
    async close() {
      await read.destroy()
      opened.close()
    },
  }
}

/** Kysely on one connection, which only the caller uses. */
function singleConnection(opened: DatabaseSync): Kysely<Tables> {
  const ignore = () => {}
  const only = connect(opened, { onChange: ignore, onFault: ignore })
  return createKysely({ acquire: async () => only, release: async () => {} })
}

/** Runs `work` under the write lock; settles when its group is durable, also when it fails. */
async function transact<T>(
  sessions: Pick<Sessions, 'current'>,
  work: (transaction: Transaction<Tables>) => Promise<T>,
): Promise<T> {
  const { groups, newTransaction } = sessions.current()
  const lock = await groups.acquire()
  const { transaction, end } = newTransaction()
  try {
    return await lock.savepoint(() => work(transaction))
  } finally {
    end()
    await lock.release()
  }
}

/** A single statement needs the write lock and no savepoint. */
function writeAccess(sessions: Pick<Sessions, 'current'>): Access {
  let releaseLock = async () => {}
  return {
    async acquire() {
      const { groups, writer } = sessions.current()
      ;({ release: releaseLock } = await groups.acquire())
      return writer
    },
    release: () => releaseLock(),
  }
}

function readAccess(sessions: Sessions, isDurable: boolean): Access {
  return {
    acquire: async () => sessions.current().reader,
    release: async (connection) => {
      if (!isDurable) return
      const session = sessions.current()
      if (session.reader !== connection) throw new StoreUnavailable('the store was reopened in the meantime')
      await session.settled()
    },
  }
}

async function migrateFile(file: string, now: () => number): Promise<void> {
  const connection = openWriter(file)
  try {
    // A migration drops a table that it recreates, which would delete the rows that refer to it.
    connection.exec('pragma foreign_keys = off')
    await migrate(singleConnection(connection), sqliteMigrations, file, now)
  } finally {
    connection.close()
  }
}
