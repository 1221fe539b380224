import type { PostgresPool, PostgresPoolClient } from '#kysely'
import pg from 'pg'
import { createAttempts } from './attempts.ts'
import { pooledClient, type ClientOptions } from './client.ts'
import { copyRows } from './copy.ts'
import { isConnectionLost, isReadOnly, toStoreError } from './errors.ts'
import { createLosses, StatementAbandoned, type Losses } from './losses.ts'
import { createUnanswered, type Unanswered } from './unanswered.ts'
import { readUrl } from '../../config/postgres-url.ts'
import { StoreUnavailable } from '../../db/unavailable.ts'

/** How long the program waits for a statement: longer than it may run, so that only a connection that is cut ends this way. */
const RESPONSE_FACTOR = 1.2
/** How long a transaction may be idle, which holds locks: the program waits for nothing else in one. */
const IDLE_TRANSACTION_MS = 10_000
/** How long a connection stays open without use. */
const IDLE_MS = 60_000

/** Times in milliseconds. */
export interface PostgresTimes {
  /** How long it may take to get a connection, a new one or one of the pool. */
  connectMs: number
  /** How long a statement may run in the server. */
  statementMs: number
}

export const usualTimes: PostgresTimes = { connectMs: 3000, statementMs: 5000 }

/** Options of the connections to PostgreSQL. */
export interface PoolOptions {
  /** As libpq reads it: with the options of TLS. */
  url: string
  /** How many connections may be open at the same time. */
  max: number
  /** Whether statements have no time limit. */
  isPatient?: boolean
  /** When they are not the usual ones. */
  times?: PostgresTimes | undefined
  /**
   * Shared by pools of one server: a connection that one of them loses makes all open new ones, and give up statements that
   * are not answered soon. By default, those that run go on.
   */
  losses?: Losses
  /** A clock that never goes back. */
  monotonic?: () => number
}

/** A connection that Kysely may use, and that copies rows. */
export interface PostgresConnection extends PostgresPoolClient {
  /** Runs `COPY … FROM STDIN` with lines of columns that are separated by tabs. */
  copy: (sql: string, rows: string) => Promise<void>
}

/** A pool that Kysely may use. */
export interface Pool extends PostgresPool {
  connect: () => Promise<PostgresConnection>
}

/** Counts and milliseconds since 1970 are far below 2^53; by default pg returns 64-bit integers as strings. */
const INT8: number = pg.types.builtins.INT8
const types = { getTypeParser: (id: number) => (id === INT8 ? Number : pg.types.getTypeParser(id)) }

/** The options of each connection. @throws {StartError} when the URL asks for what cannot be done */
export function connectionOptions(url: string, isPatient = false, times = usualTimes): ClientOptions {
  const limits = {
    statement_timeout: times.statementMs,
    query_timeout: times.statementMs * RESPONSE_FACTOR,
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
  }
  const common = { target: readUrl(url), types, keepAlive: true }
  // What takes long, as a migration or a move, is not ended for what comes first (`precedence.ts`), which looks at the name.
  const name = { application_name: isPatient ? 'quirl patient' : 'quirl' }
  return { ...common, ...name, connectionTimeoutMillis: times.connectMs, ...(isPatient ? {} : limits) }
}

/**
 * A pool of connections for Kysely, whose errors say whether the server is unavailable. A connection that failed is not
 * used again, nor are those that were opened before: one that is cut without a word would be noticed only after seconds. While
 * as many statements as it has connections go on in the server that were given up, new connections are read-only.
 */
export function createPool(options: PoolOptions): Pool {
  const { url, max, isPatient, times, losses = createLosses(), monotonic = () => performance.now() } = options
  // Its options pass a constructor on to those of the connections.
  const Client = pooledClient(createAttempts(monotonic)) as unknown as NonNullable<pg.PoolConfig['Client']>
  const unanswered = createUnanswered(max, monotonic)
  const each = { ...connectionOptions(url, isPatient, times), unanswered }
  const pool = new pg.Pool({ ...each, Client, max, idleTimeoutMillis: IDLE_MS })
  // The statement that runs fails with the same error; an idle connection is replaced.
  pool.on('error', () => {})
  const opened = new WeakMap<object, Connection>()
  pool.on('connect', (client) =>
    opened.set(client, { losses: losses.count(), client: wrap(client, losses, unanswered) }),
  )

  async function connect(): Promise<PostgresConnection> {
    for (;;) {
      const client = await pool.connect()
      const connection = opened.get(client)
      if (connection?.losses === losses.count()) return connection.client
      client.release(true)
    }
  }

  return {
    connect: () =>
      connect().catch((error: unknown) => {
        throw toStoreError(error)
      }),
    end: () => pool.end(),
  }
}

interface Connection {
  /** How many connections had been lost when it was opened. */
  losses: number
  client: PostgresConnection
}

function wrap(client: pg.PoolClient, losses: Losses, unanswered: Unanswered): PostgresConnection {
  let lost: unknown
  const run = async <T>(statement: () => Promise<T>): Promise<T> => {
    if (lost !== undefined) throw new StoreUnavailable('PostgreSQL: the connection was lost', { cause: lost })
    try {
      return await losses.guard(statement())
    } catch (error) {
      if (isConnectionLost(error) && !(isReadOnly(error) && unanswered.isKept(client))) {
        lost = error
        if (!(error instanceof StatementAbandoned)) losses.record()
      }
      throw toStoreError(error)
    }
  }
  const query = (sql: string, parameters: readonly unknown[]) => run(() => client.query(sql, [...parameters]))
  return {
    // Kysely calls it with a cursor only to stream rows.
    query: query as unknown as PostgresPoolClient['query'],
    copy: (sql, rows) => run(() => copyRows(client, sql, rows)),
    release: (discard) => client.release(discard === true || lost !== undefined),
  }
}
