import { accessSync, constants } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { Kysely, sql, SqliteDialect, type SqliteDatabase, type SqliteStatement } from 'kysely'
import { StartError } from '../lib/start-error.ts'
import type { Database } from './database.ts'
import { migrate } from './migrate.ts'
import type { MigrationDialect } from './migrations/migration.ts'
import { createPatience } from './patience.ts'
import type { Tables } from './schema.ts'

/** How long changes wait for another process that holds the write lock (a backup, say). */
const BUSY_TIMEOUT_MS = 5000
const RETRY_MS = 20

/** Prepared statements that are kept for each connection; the program has fewer different ones. */
const MAX_STATEMENTS = 200

/**
 * Opens the embedded database: a connection that writes and one that only reads, which with write-ahead logging never
 * waits for the first. `synchronous=FULL`: a commit is on the disk before it is answered, so that it survives power loss.
 * @throws {StartError} when the file cannot be used
 */
export async function openSqlite(file: string, now: () => number): Promise<Database> {
  const opened: DatabaseSync[] = []
  try {
    const writer = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true })
    opened.push(writer)
    // SQLite falls back to reading alone, and would only say so at the first change.
    accessSync(file, constants.W_OK)
    const write = kysely(writer)
    await migrate(write, sqliteMigrations, file, now)
    await startLogging(writer)
    writer.exec('pragma synchronous = full')
    // From now on others wait for this thread: it waits between tries, and not in SQLite.
    writer.exec('pragma busy_timeout = 0')
    const reader = new DatabaseSync(file, { timeout: 0, readOnly: true })
    opened.push(reader)
    const read = kysely(reader)
    return {
      read,
      write,
      transaction: inOrder((work) => write.transaction().execute(work)),
      async close() {
        try {
          await read.destroy()
        } finally {
          await write.destroy()
          // Kysely leaves open what was never used.
          for (const connection of opened) if (connection.isOpen) connection.close()
        }
      },
    }
  } catch (error) {
    for (const connection of opened) connection.close()
    throw explain(error, file)
  }
}

/** Switches to write-ahead logging. A file that others are opening too has to be asked again: SQLite does not wait here. */
async function startLogging(writer: DatabaseSync): Promise<void> {
  for (let waited = 0; ; waited += RETRY_MS) {
    try {
      return writer.exec('pragma journal_mode = wal')
    } catch (error) {
      if (resultCode(error) !== SQLITE_BUSY || waited >= BUSY_TIMEOUT_MS) throw error
      await sleep(RETRY_MS)
    }
  }
}

/** Kysely wakes all that wait for the one connection, and any of them may get it; under load some would wait for long. */
function inOrder(run: Database['transaction']): Database['transaction'] {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const mine = last.then(() => run(work))
    last = mine.catch(() => undefined)
    return mine
  }
}

function kysely(connection: DatabaseSync): Kysely<Tables> {
  const insist = createPatience({
    ms: BUSY_TIMEOUT_MS,
    everyMs: RETRY_MS,
    isBusy: (error) => resultCode(error) === SQLITE_BUSY,
  })
  const dialect = new SqliteDialect({
    database: adapt(connection),
    async onCreateConnection(statements) {
      const execute = statements.executeQuery.bind(statements)
      statements.executeQuery = (query) => insist(() => execute(query))
    },
  })
  return new Kysely({ dialect })
}

/** Gives `node:sqlite` the shape that Kysely's dialect expects. */
function adapt(connection: DatabaseSync): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>()
  return {
    close: () => connection.close(),
    prepare(sql) {
      // A commit that failed for want of space has already rolled back; a second one would hide the first error.
      if (sql === 'rollback' && !connection.isTransaction) return nothing
      let statement = statements.get(sql)
      if (statement === undefined) {
        if (statements.size >= MAX_STATEMENTS) statements.clear()
        // "immediate": who means to write takes the lock before reading, so that no upgrade can fail half-way.
        statement = prepare(connection, sql === 'begin' ? 'begin immediate' : sql)
        statements.set(sql, statement)
      }
      return statement
    },
  }
}

function prepare(connection: DatabaseSync, sql: string): SqliteStatement {
  const statement = connection.prepare(sql)
  type Values = Parameters<typeof statement.all>
  return {
    reader: statement.columns().length > 0,
    all: (values) => statement.all(...(values as Values)),
    run: (values) => statement.run(...(values as Values)),
    iterate: (values) => connection.prepare(sql).iterate(...(values as Values)),
  }
}

const nothing: SqliteStatement = {
  reader: false,
  all: () => [],
  run: () => ({ changes: 0, lastInsertRowid: 0 }),
  iterate: () => [].values(),
}

const sqliteMigrations: MigrationDialect = {
  addIdColumn: (table, column) => table.addColumn(column, 'integer', (id) => id.primaryKey().autoIncrement()),
  async makeAppendOnly(transaction, table) {
    for (const change of ['update', 'delete']) {
      const trigger = `create trigger ${table}_no_${change} before ${change} on ${table}`
      await sql.raw(`${trigger} begin select raise(abort, '${table} is append-only'); end`).execute(transaction)
    }
  },
  // "begin immediate" has taken the write lock already.
  lock: async () => {},
}

// Primary result codes of https://sqlite.org/rescode.html
const SQLITE_BUSY = 5
const SQLITE_READONLY = 8
const SQLITE_IOERR = 10
const SQLITE_CORRUPT = 11
const SQLITE_FULL = 13
const SQLITE_CANTOPEN = 14
const SQLITE_NOTADB = 26

function resultCode(error: unknown): number | undefined {
  const extended = error instanceof Error && 'errcode' in error ? error.errcode : undefined
  return typeof extended === 'number' ? extended & 0xff : undefined
}

/** Whether the error means that the disk or the file is away for now, and not that the program is wrong. */
export function isSqliteUnavailable(error: unknown): boolean {
  const code = resultCode(error) ?? 0
  return [SQLITE_BUSY, SQLITE_READONLY, SQLITE_IOERR, SQLITE_FULL, SQLITE_CANTOPEN].includes(code)
}

/** Whether the error means that the file is damaged, or was never a database. */
export function isSqliteDamaged(error: unknown): boolean {
  const code = resultCode(error)
  return code === SQLITE_NOTADB || code === SQLITE_CORRUPT
}

function explain(error: unknown, file: string): unknown {
  const reason = error instanceof Error ? error.message : String(error)
  if (isSqliteDamaged(error)) {
    return new StartError(`${file} is damaged or not a quirl database (${reason}): put a backup in its place`)
  }
  if (isSqliteUnavailable(error) || (error instanceof Error && 'syscall' in error)) {
    return new StartError(`${file} cannot be written (${reason}): check its owner, its permissions and the free space`)
  }
  return error
}
