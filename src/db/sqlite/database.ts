import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql, type Kysely, type Transaction } from '#kysely'
import { createPrepareChange, createPrepareRead } from './prepared-statements.ts'
import type { Database, Urgency } from '../database.ts'
import { rewriteLog } from './durable.ts'
import { createFileWatch } from './file-watch.ts'
import { openReading, type ReadingSession } from './reading-session.ts'
import { openSessions, type Sessions } from './sessions.ts'
import { createLocalLeases } from '../lease.ts'
import { migrate } from '../migrate.ts'
import type { Tables } from '../schema.ts'
import { connect } from './connection.ts'
import type { DiskSpace } from './disk-space.ts'
import { createKysely, type Access } from './dialect.ts'
import { isDiskFull, isSqliteUnavailable, toFileError } from './errors.ts'
import { ChangesHeld, DiskFull, isHeld, StoreUnavailable } from '../unavailable.ts'
import { sqliteMigrations } from './migrations.ts'
import { BUSY_TIMEOUT_MS } from './writer.ts'
import { openWriter, openWriting, syncData, type Sync, type WritingSession } from './writing-session.ts'

/** A full disk refuses changes and no reads: requests that change something notice its end. */
const DOUBT_MS = 10_000

/** The store in SQLite, whose changes can be held. */
export interface SqliteDatabase extends Database {
  /** Refuses changes until the returned function is called; resolves when none is under way. */
  holdChanges: () => Promise<() => void>
}

/** Options of the store in SQLite. */
export interface SqliteOptions {
  /** Whether no other process can have the file open: its log is then written again, because it may not be durable. */
  alone?: boolean
  sync?: Sync | undefined
  /** Called when the store was reopened after a fault: a change that was never answered may be there, or not. */
  onReopened?: (() => void) | undefined
  /** Called about each second while a file of the store is not where it was opened. */
  onReplaced?: ((error: unknown) => void) | undefined
  space?: DiskSpace | undefined
}

const unlimited: DiskSpace = { isFull: () => false, isSpent: () => false, release() {} }

/**
 * Opens the store in SQLite. A change is answered after a sync that began after its commit, so that it survives power
 * loss; docs/adr/0022 explains why that is as durable as `synchronous=FULL`.
 * @throws {StartError} when the file cannot be used
 */
export async function openSqlite(
  file: string,
  now: () => number,
  {
    alone = false,
    sync = syncData,
    onReopened = () => {},
    onReplaced = () => {},
    space = unlimited,
  }: SqliteOptions = {},
): Promise<SqliteDatabase> {
  try {
    if (alone) rewriteLog(file)
    await migrateFile(file, now)
    const connections = await openConnections(file, { sync, onReopened, onReplaced, space })
    return createDatabase(connections, now, space)
  } catch (error) {
    throw toFileError(error, file)
  }
}

interface ConnectionsOptions {
  sync: Sync
  onReopened: () => void
  onReplaced: (error: unknown) => void
  space: DiskSpace
}

/** The connections of the store. Those that read outlive a fault of the one that writes. */
interface Connections {
  reading: Sessions<ReadingSession>
  writing: Sessions<WritingSession>
}

async function openConnections(
  file: string,
  { sync, onReopened, onReplaced, space }: ConnectionsOptions,
): Promise<Connections> {
  const { confirm, watch } = createFileWatch(file, onReplaced)
  let reading: Connections['reading'] | undefined
  // Look-ups of a later iteration see what was committed.
  const onCommit = () => reading?.last().lookups.endTransaction()
  const writing = await openSessions({
    async open(onFault, isReopening) {
      if (isReopening) {
        confirm()
        rewriteLog(file)
      }
      return openWriting(file, sync, { onFault, space, onCommit, confirm })
    },
    overlap: false,
    onReopened,
  })
  try {
    // The last connection to be closed would write the log back, which must not happen after a fault.
    reading = await openSessions({
      async open(onFault) {
        confirm()
        return openReading(file, onFault)
      },
      overlap: true,
    })
    return { reading, writing: watch(writing) }
  } catch (error) {
    await writing.close()
    throw error
  }
}

function createDatabase({ reading, writing }: Connections, now: () => number, space: DiskSpace): SqliteDatabase {
  const { changing, urgentBy, hold } = createAccesses(writing, space)
  const write = createKysely(writeAccess(changing))
  const read = createKysely(readAccess(reading, () => synced(writing)))
  const patient = createKysely(readAccess(reading, async () => {}))
  return {
    read,
    prepareRead: createPrepareRead(reading, patient),
    write,
    prepareChange: createPrepareChange(changing, write),
    transaction: (work) => transact(changing, work),
    urgent: (urgency, work) => withReserve(space, () => transact(urgentBy(urgency), work)),
    // There is one transaction at a time.
    lock: async () => {},
    leases: createLocalLeases((urgency) => void (urgency === undefined ? changing : urgentBy(urgency)).current()),
    holdChanges: () => holdChanges(writing, hold),
    time: () => sql<number>`cast(${now()} as bigint)`,
    async check() {
      writing.current()
      await read.selectFrom('migrations').select('number').limit(1).execute()
    },
    unlocked: (query) => query,
    kept: (query) => query,
    doubtMs: DOUBT_MS,
    async close() {
      for (const each of [patient, read, write]) await each.destroy()
      // The last one writes the log back.
      await reading.close()
      await writing.close()
    },
  }
}

/** Who may change the store: nobody while it is moved, and on a full disk only what is urgent. */
function createAccesses(writing: Connections['writing'], space: DiskSpace) {
  let isHeld = false
  const current = (reason: string | undefined) => {
    if (reason !== undefined) throw new DiskFull(reason)
    if (isHeld) throw new ChangesHeld('changes are refused while the store is moved')
    return writing.current()
  }
  return {
    changing: { current: () => current(space.isFull() ? 'changes are refused while the disk is full' : undefined) },
    urgentBy: (urgency: Urgency) => ({
      current: () => current(space.isSpent(urgency) ? 'the rest of the reserve is for what is more urgent' : undefined),
    }),
    hold: (held: boolean) => void (isHeld = held),
  }
}

async function holdChanges(writing: Connections['writing'], set: (isHeld: boolean) => void): Promise<() => void> {
  const end = () => set(false)
  set(true)
  try {
    // Changes have the connection in turn: those that came before have ended.
    await transact(writing, async () => {})
    return end
  } catch (error) {
    end()
    throw error
  }
}

/** Resolves when all that can have been read is durable. What was committed before a fault may not be until the log was written again. */
async function synced(writing: Connections['writing']): Promise<void> {
  if (writing.isOpen()) return writing.current().synced()
  if (!writing.last().isDurable()) throw new StoreUnavailable('changes that others see are not durable yet')
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
  sessions: Pick<Connections['writing'], 'current'>,
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

/** How often an urgent change is tried, and the pause in between: the store is reopened after some errors of a full disk. */
const [URGENT_TRIES, URGENT_PAUSE_MS] = [20, 100]

/** Tries again with the reserve what a full disk has refused, alone or as one of a group. */
async function withReserve<T>({ isFull, release }: DiskSpace, run: () => Promise<T>): Promise<T> {
  for (let left = URGENT_TRIES; ; left--) {
    try {
      return await run()
    } catch (error) {
      const isRefused = isDiskFull(error) || (isFull() && isSqliteUnavailable(error) && !isHeld(error))
      if (error instanceof DiskFull) throw error
      if (!isRefused || left === 1) throw error
      release()
      await sleep(URGENT_PAUSE_MS)
    }
  }
}

/** A single statement needs the write lock and no savepoint. */
function writeAccess(sessions: Pick<Connections['writing'], 'current'>): Access {
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

/** @param synced waits until results may be returned */
function readAccess(sessions: Connections['reading'], synced: () => Promise<void>): Access {
  return { acquire: async () => sessions.current().reader, release: synced }
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
