// What `quirl doctor` asks PostgreSQL and Redis, and what it says of their answers.
import { fault, ok, warning, type Check, type Result } from '../../doctor/finding.ts'
import type { Servers, ServerSettings } from '../../doctor/servers.ts'
import { reasonOf } from '../../lib/reason-of.ts'
import { encodingFault } from '../database/encoding.ts'
import { reasonOf as postgresReasonOf } from '../database/errors.ts'
import type { PostgresSession } from '../database/session.ts'

/** How long a server may take to connect, and to answer, in milliseconds. */
const ANSWER_MS = 2000
/** The oldest PostgreSQL that quirl works with (docs/scale.md). */
const MIN_MAJOR = 14
const SKEW_MS = 5000
/** The part of all connections that may be in use. */
const USED = 0.9

/** A server that could not be asked, and why. Never has its URL, which may hold a password. */
interface Unreachable {
  unreachable: string
}

/** The PostgreSQL of `DATABASE_URL`. */
interface PostgresState {
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
interface RedisState {
  name: string
  version: string
  role: string
}

/** What each server answered; null for one that is not configured. */
interface Answers {
  postgres: PostgresState | Unreachable | null
  redis: RedisState | Unreachable | null
}

/** PostgreSQL and Redis, asked by the service or, when none runs, from here. */
export const servers: Servers = {
  async ask(config): Promise<Answers> {
    const [postgres, redis] = await Promise.all([postgresOf(config), redisOf(config)])
    return { postgres, redis }
  },
  checks(config, { databasePool }, given): Check[] {
    const answers = given as Answers | undefined
    const postgres = async () => (answers === undefined ? postgresOf(config) : answers.postgres)
    const redis = async () => (answers === undefined ? redisOf(config) : answers.redis)
    return [
      { name: 'PostgreSQL', run: async () => checkPostgres(await postgres(), databasePool) },
      { name: 'Redis', run: async () => checkRedis(await redis()) },
    ]
  },
}

async function postgresOf({ databaseUrl: url }: ServerSettings): Promise<Answers['postgres']> {
  return url === undefined ? null : askPostgres(url)
}

async function redisOf({ redisUrl: address }: ServerSettings): Promise<Answers['redis']> {
  return address === undefined ? null : askRedis(address)
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
async function askPostgres(url: string): Promise<PostgresState | Unreachable> {
  // Loaded here, because most services do not need it.
  const { openPostgresSession } = await import('../database/session.ts')
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
    const { silentFolders } = await import('../scans/journal-positions.ts')
    const silent = hasFolds ? await silentFolders(session.query, SILENT_SECONDS) : []
    return { ...state, clockAheadMs, silentNodes: silent.length }
  } catch (error) {
    return { unreachable: postgresReasonOf(error as Error) }
  } finally {
    await session?.close().catch(() => {})
  }
}

/** Asks Redis or Valkey on a connection of its own. */
async function askRedis({
  tls,
  ...address
}: NonNullable<ServerSettings['redisUrl']>): Promise<RedisState | Unreachable> {
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

function checkPostgres(state: PostgresState | Unreachable | null, pool: number): Result[] {
  if (state === null) return []
  if ('unreachable' in state) return [fault(`cannot be used: ${state.unreachable}; see DATABASE_URL`)]
  const { version, connections, maxConnections } = state
  const encoding = encodingFault(state)
  const found = [
    ...(encoding === undefined ? [] : [fault(encoding)]),
    ...durabilityFaults(state),
    ...connectionFaults(state, pool),
    ...nodeWarnings(state),
  ]
  return found.length > 0 ? found : [ok(`${version}, ${connections} of ${maxConnections} connections in use`)]
}

function durabilityFaults({ version, major, isReadOnly, synchronousCommit }: PostgresState): Result[] {
  const lossy = 'synchronous_commit is off, so that acknowledged changes can be lost: turn it on for the role of quirl'
  return [
    ...(major < MIN_MAJOR ? [fault(`${version} is too old: use ${MIN_MAJOR} or newer`)] : []),
    ...(isReadOnly
      ? [fault('takes no changes, as a standby or read-only: DATABASE_URL must lead to one that does')]
      : []),
    ...(synchronousCommit === 'off' ? [fault(lossy)] : []),
  ]
}

/** Besides the pool, one connection listens for other nodes. */
function connectionFaults({ connections, maxConnections }: PostgresState, pool: number): Result[] {
  if (pool + 1 > maxConnections) {
    const text = `max_connections=${maxConnections} is too few for DATABASE_POOL=${pool}`
    return [fault(`${text} and the connection that listens: raise it, or lower the pool`)]
  }
  if (connections <= maxConnections * USED) return []
  return [warning(`${connections} of max_connections=${maxConnections} are in use: raise it, or lower DATABASE_POOL`)]
}

function nodeWarnings({ clockAheadMs, silentNodes }: PostgresState): Result[] {
  const found: Result[] = []
  if (Math.abs(clockAheadMs) > SKEW_MS) {
    const by = `${Math.abs(Math.round(clockAheadMs / 1000))} seconds ${clockAheadMs > 0 ? 'ahead' : 'behind'}`
    found.push(warning(`its clock is ${by} of this machine's: synchronize both by NTP`))
  }
  if (silentNodes > 0) {
    const text = `${silentNodes} node(s) have not counted their visits for a minute`
    found.push(warning(`${text}: start them, or run "quirl journal adopt <their DATA_DIR>"`))
  }
  return found
}

function checkRedis(state: RedisState | Unreachable | null): Result[] {
  if (state === null) return []
  if ('unreachable' in state) {
    return [fault(`cannot be used, so that each node counts by itself: ${state.unreachable}; see REDIS_URL`)]
  }
  const { name, version, role } = state
  if (role === 'master') return [ok(`${name} ${version}`)]
  return [fault(`${name} ${version} is a replica, which takes no counts: REDIS_URL must lead to the primary`)]
}
