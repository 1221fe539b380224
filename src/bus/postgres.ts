import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { toPostgresStartError } from '../db/postgres/errors.ts'
import type { PostgresTimes } from '../db/postgres/pool.ts'
import type { Metric } from '../http/metric.ts'
import { throttle } from '../lib/throttle.ts'
import type { Bus } from './bus.ts'
import { createHandlers } from './handlers.ts'
import { listen, type Listener } from './listener.ts'
import { createOutbox } from './outbox.ts'

/** How long a change of another process may stay unnoticed when its message is lost: what owners are promised. */
const LIFE_MS = 30_000

const [FIRST_PAUSE_MS, LAST_PAUSE_MS] = [100, 1000]
const LOG_MS = 60_000

const lostWarning =
  'the connection that listens for changes of other nodes was lost: until it is back, they are seen within 30 seconds'

/** What the bus needs of the rest of the program. */
export interface BusNeeds {
  monotonic: () => number
  log: Pick<FastifyBaseLogger, 'warn'>
  times?: PostgresTimes | undefined
}

interface PostgresBusNeeds extends BusNeeds {
  /** Of the database itself: a pooler in between would lend the connection to others. */
  url: string
}

/**
 * Opens a bus by `LISTEN` and `NOTIFY` on a connection of its own. When that is lost, it is opened again until that
 * succeeds, and every handler of gaps is called.
 * @throws {StartError} when the first connection cannot be opened
 */
export async function openPostgresBus({ url, monotonic, log, times }: PostgresBusNeeds): Promise<Bus> {
  const node = randomUUID()
  const outbox = createOutbox(node)
  const handlers = createHandlers(node)
  const report = throttle(LOG_MS, monotonic, (err: unknown) => log.warn({ err }, lostWarning))
  const closing = new AbortController()
  let listener: Listener | undefined
  let recovery = Promise.resolve()

  async function connect(): Promise<void> {
    listener = await listen(url, { onMessage: handlers.receive, onLost }, times)
    outbox.connect(listener.send)
  }

  function onLost(error: unknown): void {
    listener = undefined
    outbox.connect(undefined)
    report(error)
    recovery = recover()
  }

  async function recover(): Promise<void> {
    for (let pause = FIRST_PAUSE_MS; !closing.signal.aborted; pause = Math.min(2 * pause, LAST_PAUSE_MS)) {
      const isBack = await connect().then(() => true, report)
      if (isBack === true) return handlers.gap()
      await pauseFor(pause, closing.signal)
    }
  }

  await connect().catch((error: unknown) => {
    throw toPostgresStartError(error)
  })
  const { subscribe, onGap, gaps } = handlers
  const metrics = busMetrics(() => listener !== undefined, gaps)
  async function close(): Promise<void> {
    closing.abort()
    await recovery
    await listener?.close()
  }
  return { lifeMs: LIFE_MS, publish: outbox.publish, subscribe, onGap, metrics, close }
}

/** At random times, so that not all nodes come back at once. */
async function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms * (0.5 + Math.random() / 2), undefined, { signal, ref: false }).catch(() => {})
}

function busMetrics(isConnected: () => boolean, gaps: () => number): Metric[] {
  return [
    {
      name: 'quirl_bus_connected',
      help: 'Whether this node is notified of the changes of others at once',
      type: 'gauge',
      read: () => Number(isConnected()),
    },
    {
      name: 'quirl_bus_gaps_total',
      help: 'Times that changes of other nodes may have been missed, and the caches were cleared',
      type: 'counter',
      read: gaps,
    },
  ]
}
