import { StartError } from '../../lib/start-error.ts'
import { tlsHint } from './tls.ts'
import { ChangesHeld, StoreBusy, StoreUnavailable } from '../../db/unavailable.ts'

// SQLSTATE codes of https://www.postgresql.org/docs/current/errcodes-appendix.html
export const SERIALIZATION_FAILURE = '40001'
const DEADLOCK = '40P01'
const READ_ONLY = '25006'
const LOCK_TIMEOUT = '55P03'
/** Connections, resources, intervention of the operator (shut-down, time-outs), errors of the system. */
const UNAVAILABLE_CLASSES = new Set(['08', '53', '57', '58'])
/** The time of a statement ran out, as it does while others have locked what it needs. */
const CANCELLED = '57014'
/** What the pool says when all its connections are in use for too long: in contrast to one that cannot be opened in time. */
const NONE_FREE = 'timeout exceeded when trying to connect'
/** A transaction that was idle for too long. */
const IDLE_TRANSACTION = '25P03'
/** Begins the message of an error that only says so; its cause says why. */
const PREFIX = 'PostgreSQL: '
/** Our own: the store is being moved (src/moving). */
export const HELD_STATE = 'QU001'

/** The SQLSTATE of an error, if PostgreSQL has sent it. */
function sqlState(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && 'severity' in (error as object) ? code : undefined
}

/** Whether PostgreSQL has rolled a transaction back only because of another, so that it can be run again. */
export function isConflict(error: unknown): boolean {
  const cause = error instanceof StoreUnavailable ? error.cause : error
  return [SERIALIZATION_FAILURE, DEADLOCK].includes(sqlState(cause) ?? '')
}

/**
 * Turns an error that says nothing about the statement into `StoreUnavailable`. Errors without an SQLSTATE are those of the
 * connection: it was refused or lost, or a time ran out.
 */
export function toStoreError(error: unknown): unknown {
  if (error instanceof StoreUnavailable || error instanceof StartError || !(error instanceof Error)) return error
  const state = sqlState(error)
  if (state === HELD_STATE) return new ChangesHeld(error.message, { cause: error })
  if (state === CANCELLED || error.message === NONE_FREE)
    return new StoreBusy(`${PREFIX}${error.message}`, { cause: error })
  const isUnavailable =
    state === undefined ||
    UNAVAILABLE_CLASSES.has(state.slice(0, 2)) ||
    [READ_ONLY, LOCK_TIMEOUT, IDLE_TRANSACTION].includes(state) ||
    isConflict(error)
  return isUnavailable ? new StoreUnavailable(`${PREFIX}${error.message}`, { cause: error }) : error
}

/** Whether the connection of a failed statement can no longer be used. */
export function isConnectionLost(error: unknown): boolean {
  const state = sqlState(error)
  return (
    state === undefined ||
    state.startsWith('08') ||
    /^57P0[1-5]$/.test(state) ||
    [READ_ONLY, IDLE_TRANSACTION].includes(state)
  )
}

/** Whether a change was refused because the connection only reads. */
export function isReadOnly(error: unknown): boolean {
  return sqlState(error) === READ_ONLY
}

/** The error for the operator when the start fails. It never has the URL, which may hold a password. */
export function toPostgresStartError(error: unknown): unknown {
  if (error instanceof StartError || !(error instanceof Error)) return error
  return new StartError(`the PostgreSQL of DATABASE_URL cannot be used: ${reasonOf(error)}`, { cause: error })
}

/** Why something failed, in one line, and what to write in the URL. Of several addresses, the first counts. */
export function reasonOf(error: Error): string {
  const { cause } = error
  const own = error instanceof AggregateError && error.errors[0] instanceof Error ? error.errors[0] : error
  if (own.message.startsWith(PREFIX) && cause instanceof Error) return reasonOf(cause)
  const code = 'code' in own && typeof own.code === 'string' ? own.code : own.name
  const text = (own.message || code).replaceAll(/\s+/g, ' ')
  const hint = tlsHint(cause instanceof Error ? cause : own)
  // Node says what to pass to it, which would not help here.
  return hint === undefined ? text : `${text.split('; if the root CA')[0]}: ${hint}`
}
