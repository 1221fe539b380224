import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { createBackOff } from '../database/back-off.ts'
import { toPostgresStartError } from '../database/errors.ts'
import { usualTimes, type PostgresTimes } from '../database/pool.ts'
import type { Metric } from '../../http/metric.ts'
import { throttle } from '../../lib/throttle.ts'
import type { Bus, Topic } from '../../bus/bus.ts'
import { createListeningClient, listen, type Listener, type ListeningClient } from './listener.ts'
import { createOutbox } from './outbox.ts'
import { decode } from './messages.ts'

/** How long a change of another process may stay unnoticed when its message is lost: what owners are promised. */
const LIFE_MS = 30_000

/** How long a connection lasts that is no longer taken for a failed attempt. */
const STEADY_MS = 1000
const LOG_MS = 60_000

const lostWarning =
  'the connection that listens for changes of other nodes was lost: until it is back, they are seen within 30 seconds'

/** What the bus needs of the rest of the program. */
export interface BusNeeds {
  monotonic: () => number
  log: Pick<FastifyBaseLogger, 'warn'>
  times?: PostgresTimes | undefined
}

export interface PostgresBusNeeds extends BusNeeds {
  /** Of the database itself: a pooler in between would lend the connection to others. */
  url: string
  /** Creates a connection that is not open yet. */
  createClient?: (url: string, times?: PostgresTimes) => ListeningClient
  /** Waits; returns earlier when the signal comes. */
  pause?: (ms: number, signal: AbortSignal) => Promise<void>
}

/**
 * Opens a bus by `LISTEN` and `NOTIFY` on a connection of its own. When that is lost, it is opened again until that
 * succeeds, and every handler of gaps is called.
 * @throws {StartError} when the first connection cannot be opened
 */
export async function openPostgresBus(needs: PostgresBusNeeds): Promise<Bus> {
  const node = randomUUID()
  const outbox = createOutbox(node)
  const { receive, gap, gaps, subscribe, onGap } = createHandlers(node)
  const closing = new AbortController()
  const listeners = createListeners(needs, receive, closing.signal)
  const first = await listeners.open().catch((error: unknown) => {
    throw toPostgresStartError(error)
  })
  let isConnected = false
  const use = (listener: Listener | undefined) => {
    isConnected = listener !== undefined
    outbox.connect(listener?.send)
  }

  /** Opens one connection after the other: whatever they emit, and when, there is never more than one. */
  async function run(): Promise<void> {
    use(first)
    for (let listener = first; ;) {
      await listeners.untilLost(listener, () => use(undefined))
      const next = await listeners.reopen()
      if (next === undefined) return
      listener = next
      use(listener)
      gap()
    }
  }

  const running = run()
  async function close(): Promise<void> {
    closing.abort(new Error('the bus is closed'))
    await running
  }
  const metrics = busMetrics(() => isConnected, gaps)
  return { lifeMs: LIFE_MS, publish: outbox.publish, subscribe, onGap, metrics, close }
}

/** Connections that listen, one at a time, and the pauses before each. */
function createListeners(needs: PostgresBusNeeds, onMessage: (payload: string) => void, signal: AbortSignal) {
  const { url, monotonic, log, times = usualTimes, createClient = createListeningClient, pause = pauseFor } = needs
  const warn = throttle(LOG_MS, monotonic, (err: unknown) => log.warn({ err }, lostWarning))
  const report = (error: unknown) => (signal.aborted ? undefined : warn(error))
  const backOff = createBackOff()
  let openedAt = 0

  async function open(): Promise<Listener> {
    const listener = await listen(createClient(url, times), { onMessage, heartbeatMs: times.statementMs, signal })
    openedAt = monotonic()
    return listener
  }

  return {
    open,
    /** @param onLost called at once; the connection may still have to be closed then */
    async untilLost({ lost, ended }: Listener, onLost: () => void): Promise<void> {
      const error = await lost
      onLost()
      report(error)
      if (monotonic() - openedAt >= STEADY_MS) backOff.reset()
      await ended
    },
    /** Resolves to undefined when the bus is closed. */
    async reopen(): Promise<Listener | undefined> {
      while (!signal.aborted) {
        await pause(backOff.next(), signal)
        if (signal.aborted) break
        const listener = await open().catch(report)
        if (listener !== undefined) return listener
      }
      return undefined
    },
  }
}

async function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal, ref: false }).catch(() => {})
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

/** The handlers of the messages of other nodes. */
interface Handlers extends Pick<Bus, 'subscribe' | 'onGap'> {
  /** Handles what a listener has received; ignores the messages of this node itself. */
  receive: (payload: string) => void
  /** Calls the handlers of gaps. */
  gap: () => void
  /** How often there was a gap. */
  gaps: () => number
}

function createHandlers(node: string): Handlers {
  const subscribed = new Map<Topic, ((keys: string[]) => void)[]>()
  const onGap: (() => void)[] = []
  let gaps = 0
  const gap = () => {
    gaps++
    for (const handler of onGap) handler()
  }
  return {
    gap,
    gaps: () => gaps,
    onGap: (handler) => void onGap.push(handler),
    subscribe: (topic, handler) => void subscribed.set(topic, [...(subscribed.get(topic) ?? []), handler]),
    receive(payload) {
      const message = decode(payload)
      if (message === undefined || message.node === node) return
      if (message.topic === 'gap') return gap()
      for (const handler of subscribed.get(message.topic) ?? []) handler(message.keys)
    },
  }
}
