import type { DatabaseSync, StatementResultingChanges, StatementSync } from 'node:sqlite'
import type { CompiledQuery, DatabaseConnection, QueryResult } from '#kysely'
import { isDiskFull, resultCode, SQLITE_IOERR } from './errors.ts'
import { StoreUnavailable } from '../unavailable.ts'

/** Prepared statements that each connection caches; the program has fewer. */
const MAX_STATEMENTS = 200

interface Prepared {
  statement: StatementSync
  returnsRows: boolean
  /** Whether it may write something that must become durable. */
  mayWrite: boolean
}

type Values = Parameters<StatementSync['run']>

/** Observes the statements of a connection. */
export interface Watcher {
  /** A statement has changed or returned this many rows. */
  onChange: (rows: number) => void
  /** A file could not be read, written or synced. */
  onFault: (error: unknown) => void
  /** The disk has no room for a change. */
  onFull?: () => void
}

/** A connection of `node:sqlite` that caches its prepared statements. */
export interface Statements extends DatabaseConnection {
  /** Runs a statement that returns nothing. */
  exec: (sql: string) => void
  /** Runs a change that returns no rows; returns how many it has changed. */
  change: (sql: string, parameters: readonly unknown[]) => number
}

/** Gives a connection of `node:sqlite` the interface of Kysely's drivers. */
export function connect(db: DatabaseSync, { onChange, onFault, onFull = () => {} }: Watcher): Statements {
  const prepare = createStatementCache(db)

  function use<T>(sql: string, run: (prepared: Prepared) => T): T {
    if (!db.isOpen) throw new StoreUnavailable('the store was closed during a change')
    try {
      return run(prepare(sql))
    } catch (error) {
      if (isDiskFull(error)) onFull()
      if (resultCode(error) === SQLITE_IOERR) onFault(error)
      throw error
    }
  }

  function change({ statement, mayWrite }: Prepared, parameters: readonly unknown[]): StatementResultingChanges {
    const result = statement.run(...(parameters as Values))
    if (mayWrite) onChange(Number(result.changes))
    return result
  }

  function query<R>(prepared: Prepared, parameters: readonly unknown[]): QueryResult<R> {
    if (prepared.returnsRows) {
      const rows = prepared.statement.all(...(parameters as Values)) as R[]
      if (prepared.mayWrite) onChange(rows.length)
      return { rows }
    }
    const { changes, lastInsertRowid } = change(prepared, parameters)
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }

  return {
    exec: (sql) => void use(sql, (prepared) => change(prepared, [])),
    change: (sql, parameters) => use(sql, (prepared) => Number(change(prepared, parameters).changes)),
    async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
      // A commit that failed for lack of space has rolled back; a second rollback would hide the first error.
      if (sql === 'rollback' && !(db.isOpen && db.isTransaction)) return { rows: [] }
      return use(sql, (prepared) => query<R>(prepared, parameters))
    },
    streamQuery() {
      throw new Error('SQLite does not stream rows')
    },
  }
}

/** Prepares each statement once. */
function createStatementCache(db: DatabaseSync): (sql: string) => Prepared {
  const statements = new Map<string, Prepared>()
  return (sql) => {
    let prepared = statements.get(sql)
    if (prepared === undefined) {
      if (statements.size >= MAX_STATEMENTS) statements.clear()
      const statement = db.prepare(sql)
      const mayWrite = !/^(?:select|begin|commit|rollback|savepoint|release)\b/.test(sql)
      prepared = { statement, returnsRows: statement.columns().length > 0, mayWrite }
      statements.set(sql, prepared)
    }
    return prepared
  }
}

/** Closes each connection, even if another fails. @returns the errors */
export function closeConnections(connections: DatabaseSync[]): unknown[] {
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
