import { encodingFault } from '../nodes/database/encoding.ts'
import { fault, ok, warning, type Check, type Result } from './finding.ts'
import type { PostgresState, RedisState, Unreachable } from './servers.ts'
import type { CheckedSettings } from './settings.ts'

/** The oldest PostgreSQL that quirl works with (docs/scale.md). */
const MIN_MAJOR = 14
const SKEW_MS = 5000
/** The part of all connections that may be in use. */
const USED = 0.9

/** What these checks look at: servers, asked by the service or, when none runs, from here; null where none is configured. */
export interface ServerSubject {
  settings: CheckedSettings
  postgres: () => Promise<PostgresState | Unreachable | null>
  redis: () => Promise<RedisState | Unreachable | null>
}

export function serverChecks({ settings, postgres, redis }: ServerSubject): Check[] {
  return [
    { name: 'PostgreSQL', run: async () => checkPostgres(await postgres(), settings.databasePool) },
    { name: 'Redis', run: async () => checkRedis(await redis()) },
  ]
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
