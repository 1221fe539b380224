import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { connectionOptions, usualTimes } from '../db/postgres/pool.ts'

/** How long the connection may take to close. */
const END_MS = 1000

const CHANNEL = 'quirl'

/** A connection that listens. */
export interface Listener {
  /** Notifies every other listener; rejects when that failed. */
  send: (payloads: string[]) => Promise<void>
  close: () => Promise<void>
}

/** What a connection calls. */
export interface ListenerEvents {
  onMessage: (payload: string) => void
  /** Called once, when the connection was lost. */
  onLost: (error: unknown) => void
}

/** Opens a connection that listens; rejects when it cannot be opened. */
export async function listen(
  url: string,
  { onMessage, onLost }: ListenerEvents,
  times = usualTimes,
): Promise<Listener> {
  const client = new pg.Client({ ...connectionOptions(url, false, times), application_name: 'quirl listener' })
  let isOver = false
  let heartbeat: NodeJS.Timeout | undefined
  const end = async () => {
    isOver = true
    clearInterval(heartbeat)
    await Promise.race([client.end().catch(() => {}), sleep(END_MS, undefined, { ref: false })])
  }
  const lose = (error: unknown) => {
    if (isOver) return
    void end()
    onLost(error)
  }
  client.on('error', lose)
  client.on('end', () => lose(new Error('the connection was closed')))
  client.on('notification', ({ payload = '' }) => onMessage(payload))
  try {
    await client.connect()
    await client.query(`listen ${CHANNEL}`)
  } catch (error) {
    await end()
    throw error
  }
  // One after the other, as the client wants it.
  let last: Promise<unknown> = Promise.resolve()
  const query = async (text: string, values: unknown[]) => {
    const mine = last.then(() => client.query(text, values))
    last = mine.catch(lose)
    await mine
  }
  // Notices a connection that is cut without a word, which the client would wait on for ever.
  heartbeat = setInterval(() => void query('select 1', []).catch(() => {}), times.statementMs).unref()
  const notify = 'select pg_notify($1, payload) from unnest($2::text[]) as payload'
  return { send: (payloads) => query(notify, [CHANNEL, payloads]), close: end }
}
