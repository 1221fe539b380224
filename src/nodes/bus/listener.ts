import type { EventEmitter } from 'node:events'
import { BoundedClient } from '../database/client.ts'
import { connectionOptions, usualTimes } from '../database/pool.ts'

const CHANNEL = 'quirl'
const NOTIFY = 'select pg_notify($1, payload) from unnest($2::text[]) as payload'

/** A connection that listens. */
export interface Listener {
  /** Notifies every other listener; rejects when that failed. */
  send: (payloads: string[]) => Promise<void>
  /** Resolves once, to the reason, when the connection was lost, or the signal has come. */
  lost: Promise<unknown>
  /** Resolves after `lost`, when the connection is closed. */
  ended: Promise<void>
}

/** What a connection to PostgreSQL has that a listener uses. */
export interface ListeningClient extends Pick<EventEmitter, 'on'> {
  connect: () => Promise<unknown>
  query: (text: string, values?: unknown[]) => Promise<unknown>
  /** Closes it within a moment, in whatever state it is. */
  end: () => Promise<void>
}

interface ListenerOptions {
  onMessage: (payload: string) => void
  /** How often it is tried whether the connection still answers, in milliseconds. */
  heartbeatMs: number
  /** Closes the connection. */
  signal: AbortSignal
}

export function createListeningClient(url: string, times = usualTimes): ListeningClient {
  return new BoundedClient({ ...connectionOptions(url, false, times), application_name: 'quirl listener' })
}

/**
 * Has a new connection listen; rejects when it cannot be opened, and has closed it then. The events of a connection may come
 * in any order, also while it is opened: the first one that tells of its end is its end.
 */
export async function listen(
  client: ListeningClient,
  { onMessage, heartbeatMs, signal }: ListenerOptions,
): Promise<Listener> {
  const { promise: lost, resolve: lose } = Promise.withResolvers<unknown>()
  client.on('error', lose)
  client.on('end', () => lose(new Error('the connection was closed')))
  client.on('notification', ({ payload = '' }) => onMessage(payload))
  const onAbort = () => lose(signal.reason)
  signal.addEventListener('abort', onAbort)
  if (signal.aborted) onAbort()
  let heartbeat: NodeJS.Timeout | undefined
  const ended = lost.then(async () => {
    clearInterval(heartbeat)
    signal.removeEventListener('abort', onAbort)
    await client.end().catch(() => {})
  })
  try {
    const opening = client.connect().then(() => client.query(`listen ${CHANNEL}`))
    await Promise.race([opening, lost.then((error) => Promise.reject(error))])
  } catch (error) {
    lose(error)
    await ended
    throw error
  }
  const query = oneAfterTheOther(client, lose)
  // Notices a connection that is cut without a word, which the client would wait on for ever.
  heartbeat = setInterval(() => void query('select 1', []).catch(() => {}), heartbeatMs).unref()
  return { send: (payloads) => query(NOTIFY, [CHANNEL, payloads]), lost, ended }
}

/** Runs one query after the other, as the client wants it; the connection is lost when one fails. */
function oneAfterTheOther(client: ListeningClient, lose: (error: unknown) => void) {
  let last: Promise<unknown> = Promise.resolve()
  return async (text: string, values: unknown[]): Promise<void> => {
    const mine = last.then(() => client.query(text, values))
    last = mine.catch(lose)
    await mine
  }
}
