import type { Config } from '../config/config.ts'
import type { PostgresSession } from '../nodes/database/session.ts'
import { reasonOf as postgresReasonOf } from '../nodes/database/errors.ts'
import { reasonOf } from '../lib/reason-of.ts'

/** How long a server may take to connect, and to answer, in milliseconds. */
const ANSWER_MS = 2000

/** A server that could not be asked, and why. Never has its URL, which may hold a password. */
export interface Unreachable {
  unreachable: string
}

/** The PostgreSQL of `DATABASE_URL`. */
export interface PostgresState {
  version: string
  major: number
  maxConnections: number
  /** Connections of clients that are open now, of all databases. */
  connections: number
  synchronousCommit: string
  encoding: string
  isReadOnly: boolean
  /** By how many milliseconds its clock is ahead of this process. */
  clockAheadMs: number
  /** Nodes that have not folded their scans for a minute. */
  silentNodes: number
}

/** The Redis or Valkey of `REDIS_URL`. */
export interface RedisState {
  name: string
  version: string
  role: string
}

const SETTINGS = `select current_setting('server_version') as version,
  current_setting('server_version_num')::int / 10000 as major,
  current_setting('max_connections')::int as "maxConnections",
  (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as connections,
  current_setting('server_encoding') as encoding,
  current_setting('synchronous_commit') as "synchronousCommit",
  pg_is_in_recovery() or current_setting('default_transaction_read_only')::bool as "isReadOnly",
  (extract(epoch from clock_timestamp()) * 1000)::bigint as at,
  to_regclass('quirl_scans.folds') is not null as "hasFolds"`

/** Nodes of the store whose scans nobody has folded for a minute: a node that runs folds each second. */
const SILENT_SECONDS = 60

/** Asks PostgreSQL on a connection of its own. */
export async function askPostgres(url: string): Promise<PostgresState | Unreachable> {
  // Loaded here, because most services do not need it.
  const { openPostgresSession } = await import('../nodes/database/session.ts')
  const times = { connectMs: ANSWER_MS, statementMs: ANSWER_MS }
  let session: PostgresSession | undefined
  try {
    session = openPostgresSession({ url, max: 1, times })
    const asked = Date.now()
    type Row = Omit<PostgresState, 'clockAheadMs' | 'silentNodes'> & { at: number; hasFolds: boolean }
    const [row] = await session.query<Row>(SETTINGS)
    if (row === undefined) throw new Error('it answers nothing')
    const { at, hasFolds, ...state } = row
    const clockAheadMs = Math.round(at - (asked + Date.now()) / 2)
    const { silentFolders } = await import('../nodes/scans/journal-positions.ts')
    const silent = hasFolds ? await silentFolders(session.query, SILENT_SECONDS) : []
    return { ...state, clockAheadMs, silentNodes: silent.length }
  } catch (error) {
    return { unreachable: postgresReasonOf(error as Error) }
  } finally {
    await session?.close().catch(() => {})
  }
}

/** Asks Redis or Valkey on a connection of its own. */
export async function askRedis({
  tls,
  ...address
}: NonNullable<Config['redisUrl']>): Promise<RedisState | Unreachable> {
  const { Redis } = await import('ioredis')
  const times = { connectTimeout: ANSWER_MS, commandTimeout: ANSWER_MS }
  const never = { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 }
  const client = new Redis({ ...address, ...(tls && { tls: {} }), ...times, ...never })
  let reason: unknown
  client.on('error', (error) => (reason ??= error))
  try {
    await client.connect()
    const info = await client.info()
    const fields = fieldsOf(info)
    const valkey = fields.get('valkey_version')
    const name = valkey === undefined ? 'Redis' : 'Valkey'
    const version = valkey ?? fields.get('redis_version') ?? 'of unknown version'
    return { name, version, role: fields.get('role') ?? 'unknown' }
  } catch (error) {
    return { unreachable: reasonOf(reason ?? error) }
  } finally {
    client.disconnect()
  }
}

/** The fields of an answer to INFO, which has one `name:value` a line. */
function fieldsOf(info: string) {
  const lines = info.split(/\r?\n/)
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)] as const))
}
