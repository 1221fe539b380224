import { DatabaseSync } from 'node:sqlite'
import type { Kysely, Transaction } from '#kysely'
import { createPrepareChange, createReadAtOnce } from './at-once.ts'
import type { Database } from './database.ts'
import { rewriteLog } from './durable.ts'
import { keepOpen, type Kept } from './keep-open.ts'
import { migrate } from './migrate.ts'
import type { Tables } from './schema.ts'
import { connect } from './sqlite-connection.ts'
import { createKysely, type Access } from './sqlite-dialect.ts'
import { explain, StoreAway } from './sqlite-errors.ts'
import { sqliteMigrations } from './sqlite-migrations.ts'
import { openSession, openWriter, syncData, type Sync } from './session.ts'
import { BUSY_TIMEOUT_MS } from './writer.ts'

/** What surrounds the embedded store. */
export interface SqliteOptions {
  /** Whether no other process can have the file open: what was left in its log is then not trusted to be on the disk. */
  alone?: boolean
  sync?: Sync | undefined
  /** Called after a fault, when the store is open again: what was changed but never answered may be there, or not. */
  onReopened?: (() => void) | undefined
}

/**
 * Opens the embedded database. A change is answered after a sync that began after its commit, so that it survives power
 * loss; docs/adr/0022 says why that is as good as `synchronous=FULL`.
 * @throws {StartError} when the file cannot be used
 */
export async function openSqlite(
  file: string,
  now: () => number,
  { alone = false, sync = syncData, onReopened = () => {} }: SqliteOptions = {},
): Promise<Database> {
  try {
    if (alone) rewriteLog(file)
    await migrateFile(file, now)
    const kept = await keepOpen(async (onFault, again) => {
      if (again) rewriteLog(file)
      return openSession(file, sync, onFault)
    }, onReopened)
    return createDatabase(kept)
  } catch (error) {
    throw explain(error, file)
  }
}

function createDatabase(kept: Kept): Database {
  const write = createKysely(writing(kept))
  const read = createKysely(reading(kept, true))
  const patient = createKysely(reading(kept, false))
  return {
    read,
    readAtOnce: createReadAtOnce(kept, patient),
    write,
    prepareChange: createPrepareChange(kept, write),
    transaction: (work) => transact(kept, work),
    async close() {
      for (const each of [patient, read, write]) await each.destroy()
      await kept.close()
    },
  }
}

/** Opens a file, or a copy of one, only to read it: nothing is changed or brought up to date. */
export function readSqlite(file: string): Pick<Database, 'read' | 'close'> {
  const opened = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, readOnly: true })
  const read = alone(opened)
  return {
    read,
    async close() {
      await read.destroy()
      opened.close()
    },
  }
}

/** A connection that nobody else uses. */
function alone(opened: DatabaseSync): Kysely<Tables> {
  const ignore = () => {}
  const only = connect(opened, { onChange: ignore, onFault: ignore })
  return createKysely({ acquire: async () => only, release: async () => {} })
}

/** Runs `work` in a turn of its own; it is answered when its group is durable, also when it fails. */
async function transact<T>(kept: Kept, work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T> {
  const { groups, newTransaction } = kept.session()
  const turn = await groups.enter()
  const { transaction, end } = newTransaction()
  try {
    return await turn.part(() => work(transaction))
  } finally {
    end()
    await turn.leave()
  }
}

/** A statement of its own needs no more than a turn. */
function writing(kept: Kept): Access {
  let leave = async () => {}
  return {
    async acquire() {
      const { groups, writer } = kept.session()
      ;({ leave } = await groups.enter())
      return writer
    },
    release: () => leave(),
  }
}

function reading(kept: Kept, durable: boolean): Access {
  return {
    acquire: async () => kept.session().reader,
    release: async (connection) => {
      if (!durable) return
      const session = kept.session()
      if (session.reader !== connection) throw new StoreAway('the store was opened again meanwhile')
      await session.settled()
    },
  }
}

async function migrateFile(file: string, now: () => number): Promise<void> {
  const connection = openWriter(file)
  try {
    // A table that is made anew is dropped, which would delete what refers to it.
    connection.exec('pragma foreign_keys = off')
    await migrate(alone(connection), sqliteMigrations, file, now)
  } finally {
    connection.close()
  }
}
