import type { DatabaseSync, StatementResultingChanges, StatementSync } from 'node:sqlite'
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

type Values = Parameters<StatementSync['run']>

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
  /** Runs a change that answers no rows; returns how many it has changed. */
  change: (sql: string, parameters: readonly unknown[]) => number
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

  function use<T>(sql: string, run: (prepared: Prepared) => T): T {
    if (!db.isOpen) throw new StoreAway('the store was closed while a change was made')
    try {
      return run(prepare(sql))
    } catch (error) {
      if (resultCode(error) === SQLITE_IOERR) onFault(error)
      throw error
    }
  }

  function change({ statement, changes }: Prepared, parameters: readonly unknown[]): StatementResultingChanges {
    const done = statement.run(...(parameters as Values))
    if (changes) onChange(Number(done.changes))
    return done
  }

  function query<R>(prepared: Prepared, parameters: readonly unknown[]): QueryResult<R> {
    if (prepared.reads) {
      const rows = prepared.statement.all(...(parameters as Values)) as R[]
      if (prepared.changes) onChange(rows.length)
      return { rows }
    }
    const done = change(prepared, parameters)
    return { rows: [], numAffectedRows: BigInt(done.changes), insertId: BigInt(done.lastInsertRowid) }
  }

  return {
    exec: (sql) => void use(sql, (prepared) => change(prepared, [])),
    change: (sql, parameters) => use(sql, (prepared) => Number(change(prepared, parameters).changes)),
    async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
      // A commit that failed for want of space has already rolled back; a second one would hide the first error.
      if (sql === 'rollback' && !(db.isOpen && db.isTransaction)) return { rows: [] }
      return use(sql, (prepared) => query<R>(prepared, parameters))
    },
    streamQuery() {
      throw new Error('rows of the embedded store are not streamed')
    },
  }
}
