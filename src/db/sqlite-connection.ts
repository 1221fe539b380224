import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import { resultCode, SQLITE_IOERR, StoreAway } from './sqlite-errors.ts'

/** Prepared statements that are kept for each connection; the program has fewer different ones. */
const MAX_STATEMENTS = 200

interface Prepared {
  statement: StatementSync
  /** Whether it answers rows. */
  reads: boolean
  /** Whether it leaves something to be made durable when no transaction is open after it. */
  changes: boolean
}

/** What a connection tells of its statements. */
export interface Watcher {
  /** A transaction, or a statement outside of one, was committed. */
  onCommit: () => void
  /** A statement has changed or answered that many rows. */
  onRows: (count: number) => void
  /** A file could not be read, written or synced. */
  onFault: (error: unknown) => void
}

/** Gives a connection of `node:sqlite` the shape that Kysely's drivers have. */
export function connect(db: DatabaseSync, { onCommit, onRows, onFault }: Watcher): DatabaseConnection {
  const statements = new Map<string, Prepared>()

  function prepare(sql: string): Prepared {
    let prepared = statements.get(sql)
    if (prepared === undefined) {
      if (statements.size >= MAX_STATEMENTS) statements.clear()
      const statement = db.prepare(sql)
      prepared = { statement, reads: statement.columns().length > 0, changes: !/^(select|rollback)\b/.test(sql) }
      statements.set(sql, prepared)
    }
    return prepared
  }

  function run<R>({ statement, reads, changes }: Prepared, parameters: readonly unknown[]): QueryResult<R> {
    const values = parameters as Parameters<typeof statement.all>
    let result: QueryResult<R> & { count: number }
    if (reads) {
      const rows = statement.all(...values) as R[]
      result = { rows, count: rows.length }
    } else {
      const { changes: count, lastInsertRowid } = statement.run(...values)
      result = { rows: [], count: Number(count), numAffectedRows: BigInt(count), insertId: BigInt(lastInsertRowid) }
    }
    if (changes) {
      onRows(result.count)
      if (!db.isTransaction) onCommit()
    }
    return result
  }

  return {
    async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
      // A commit that failed for want of space has already rolled back; a second one would hide the first error.
      if (sql === 'rollback' && !(db.isOpen && db.isTransaction)) return { rows: [] }
      if (!db.isOpen) throw new StoreAway('the store was closed while a change was made')
      try {
        return run<R>(prepare(sql), parameters)
      } catch (error) {
        if (resultCode(error) === SQLITE_IOERR) onFault(error)
        throw error
      }
    },
    streamQuery() {
      throw new Error('rows of the embedded store are not streamed')
    },
  }
}
