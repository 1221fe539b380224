import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { CompiledQuery, DatabaseConnection, QueryResult } from '#kysely'
import { resultCode, SQLITE_IOERR, StoreAway } from './sqlite-errors.ts'

/** Prepared statements that are kept for each connection; the program has fewer different ones. */
const MAX_STATEMENTS = 200

interface Prepared {
  statement: StatementSync
  /** Whether it answers rows. */
  reads: boolean
  /** Whether it may leave something to be made durable. */
  changes: boolean
}

/** What a connection tells of its statements. */
export interface Watcher {
  /** A statement has changed or answered that many rows. */
  onChange: (rows: number) => void
  /** A file could not be read, written or synced. */
  onFault: (error: unknown) => void
}

/** A connection of `node:sqlite` whose statements are kept prepared. */
export interface Statements extends DatabaseConnection {
  /** Runs a statement that answers nothing. */
  exec: (sql: string) => void
}

/** Gives a connection of `node:sqlite` the shape that Kysely's drivers have. */
export function connect(db: DatabaseSync, { onChange, onFault }: Watcher): Statements {
  const statements = new Map<string, Prepared>()

  function prepare(sql: string): Prepared {
    let prepared = statements.get(sql)
    if (prepared === undefined) {
      if (statements.size >= MAX_STATEMENTS) statements.clear()
      const statement = db.prepare(sql)
      const changes = !/^(?:select|begin|commit|rollback|savepoint|release)\b/.test(sql)
      prepared = { statement, reads: statement.columns().length > 0, changes }
      statements.set(sql, prepared)
    }
    return prepared
  }

  function run<R>(sql: string, parameters: readonly unknown[]): QueryResult<R> {
    if (!db.isOpen) throw new StoreAway('the store was closed while a change was made')
    try {
      const { statement, reads, changes } = prepare(sql)
      const values = parameters as Parameters<typeof statement.all>
      if (reads) {
        const rows = statement.all(...values) as R[]
        if (changes) onChange(rows.length)
        return { rows }
      }
      const done = statement.run(...values)
      if (changes) onChange(Number(done.changes))
      return { rows: [], numAffectedRows: BigInt(done.changes), insertId: BigInt(done.lastInsertRowid) }
    } catch (error) {
      if (resultCode(error) === SQLITE_IOERR) onFault(error)
      throw error
    }
  }

  return {
    exec: (sql) => void run(sql, []),
    async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
      // A commit that failed for want of space has already rolled back; a second one would hide the first error.
      if (sql === 'rollback' && !(db.isOpen && db.isTransaction)) return { rows: [] }
      return run<R>(sql, parameters)
    },
    streamQuery() {
      throw new Error('rows of the embedded store are not streamed')
    },
  }
}
