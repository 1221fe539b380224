import type pg from 'pg'
import { copyRows } from './copy.ts'
import { isConflict } from './errors.ts'
import { createPool, type PostgresConnection, type PoolOptions } from './pool.ts'
import { retryConflicts } from './retry-conflicts.ts'

/** Runs a statement and returns its rows. */
export type Query = <Row = Record<string, unknown>>(sql: string, values?: readonly unknown[]) => Promise<Row[]>

/** Adds rows to columns of a table, given as `table (column, …)`: lines of values that are separated by tabs. */
export type Copy = (columns: string, rows: string) => Promise<void>

/** Connections to PostgreSQL for statements that a query builder does not express. */
export interface PostgresSession {
  query: Query
  /** Runs `work` atomically, and again when it was rolled back because of another transaction. */
  transaction: <T>(work: (query: Query, copy: Copy) => Promise<T>) => Promise<T>
  close: () => Promise<void>
}

export function openPostgresSession(options: PoolOptions): PostgresSession {
  const pool = createPool(options)
  return sessionOf(
    () => pool.connect(),
    () => pool.end(),
  )
}

/** A session on a connection that is open, for one caller at a time, who closes it. */
export function sessionOn(client: pg.Client): PostgresSession {
  const query = (sql: string, parameters: readonly unknown[]) => client.query(sql, [...parameters])
  const copy = (sql: string, rows: string) => copyRows(client, sql, rows)
  const connected = { query: query as unknown as PostgresConnection['query'], copy, release: () => {} }
  return sessionOf(
    async () => connected,
    async () => {},
  )
}

function sessionOf(connect: () => Promise<PostgresConnection>, close: () => Promise<void>): PostgresSession {
  async function use<T>(work: (query: Query, copy: Copy) => Promise<T>): Promise<T> {
    const client = await connect()
    try {
      return await work(queryOf(client), (columns, rows) => client.copy(`copy ${columns} from stdin`, rows))
    } finally {
      client.release()
    }
  }

  const runOnce = <T>(work: (query: Query, copy: Copy) => Promise<T>) =>
    use(async (query, copy) => {
      await query('begin')
      try {
        const result = await work(query, copy)
        await query('commit')
        return result
      } catch (error) {
        // Fails on a connection that is lost, which has rolled back by itself.
        await query('rollback').catch(() => {})
        throw error
      }
    })

  return {
    query: (sql, values) => use((query) => query(sql, values)),
    transaction: (work) => retryConflicts(() => runOnce(work), isConflict),
    close,
  }
}

function queryOf(client: PostgresConnection): Query {
  return async <Row>(sql: string, values: readonly unknown[] = []) =>
    (await client.query<Row>(sql, values as unknown[])).rows
}

/** Takes an advisory lock, which ends with the transaction. */
export async function lockTransaction(query: Query, name: string): Promise<void> {
  await query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`quirl ${name}`])
}

/** The SQLSTATE of an error that is the statement's own. */
export function stateOf(error: unknown): string | undefined {
  return error instanceof Error && 'severity' in error && 'code' in error ? String(error.code) : undefined
}
