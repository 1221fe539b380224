import type { FastifyBaseLogger } from 'fastify'
import { Redis } from 'ioredis'
import type { Metric } from '../../http/metric.ts'
import { throttle } from '../../lib/throttle.ts'

/** How long a command may take by default: a request waits no longer for its count. */
const COMMAND_MS = 250
const CONNECT_MS = 1000
/** How long no command is sent after one has failed. */
const PAUSE_MS = 1000
const [FIRST_RETRY_MS, LAST_RETRY_MS] = [50, 1000]
const LOG_MS = 1000

const awayWarning = 'Redis cannot be reached: until it is back, each node counts the requests of clients by itself'

/** Where Redis is, and how to log in. */
export interface RedisAddress {
  host: string
  port: number
  username: string | undefined
  password: string | undefined
  db: number
  tls: boolean
}

/** A connection that opens itself again whenever it is lost. */
export interface RedisConnection {
  client: Redis
  /** Runs commands; resolves to undefined at once while Redis is away, and when one of them fails or takes too long. */
  run: <T>(commands: () => Promise<T>) => Promise<T | undefined>
  metrics: Metric[]
  close: () => Promise<void>
}

/** What the connection needs of the rest of the program. */
export interface RedisConnectionNeeds {
  address: RedisAddress
  monotonic: () => number
  log: Pick<FastifyBaseLogger, 'warn'>
  /** How long a command may take, in milliseconds, when it is not the usual time. */
  commandMs?: number | undefined
}

/** Connects, or gives up waiting after a moment: the service starts without Redis. */
export async function connectRedis(needs: RedisConnectionNeeds): Promise<RedisConnection> {
  const { address, monotonic, log, commandMs = COMMAND_MS } = needs
  const client = createClient(address)
  // Only the text: an error of a reply has the command, which may have the password.
  const report = throttle(LOG_MS, monotonic, (error: unknown) => log.warn({ reason: textOf(error) }, awayWarning))
  let isAway = false
  let resume: NodeJS.Timeout | undefined

  function onAway(error: unknown): void {
    if (!isAway) report(error)
    isAway = true
  }

  /** Closes the connection, which may be half-open, or to a server that has become a replica. */
  function pause(error: unknown): undefined {
    onAway(error)
    if (resume !== undefined) return
    resume = setTimeout(onResume, PAUSE_MS).unref()
    client.disconnect(true)
  }

  function onResume(): void {
    resume = undefined
    isAway = client.status !== 'ready'
  }

  client.on('ready', () => (isAway = resume !== undefined))
  client.on('error', onAway)
  client.on('close', () => onAway(new Error('the connection was closed')))
  // The reason is an event, and reported.
  await client.connect().catch(() => {})
  return {
    client,
    async run(commands) {
      if (isAway) return undefined
      return inTime(commands(), commandMs).catch(pause)
    },
    metrics: [sharedMetric(() => !isAway)],
    async close() {
      clearTimeout(resume)
      const isConnected = !isAway
      isAway = true
      // After the last refunds.
      if (isConnected) await client.quit().catch(() => {})
      client.disconnect()
    },
  }
}

/** No command waits for a connection: it would be answered when nobody needs it any more. */
function createClient({ tls, ...address }: RedisAddress): Redis {
  const client = new Redis({
    ...address,
    ...(tls && { tls: {} }),
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: CONNECT_MS,
    disconnectTimeout: COMMAND_MS,
    retryStrategy: (times) => Math.min(FIRST_RETRY_MS * 2 ** times, LAST_RETRY_MS) * (0.5 + Math.random() / 2),
  })
  boundHandshake(client)
  return client
}

/** Opens another connection instead of one that does not become ready: the client waits without end for what it asks before. */
function boundHandshake(client: Redis): void {
  let timer: NodeJS.Timeout | undefined
  client.on('connect', () => (timer = setTimeout(() => client.disconnect(true), CONNECT_MS)))
  for (const event of ['ready', 'close']) client.on(event, () => clearTimeout(timer))
}

/** @throws when `command` has no result in time; a result that arrived while this process was busy is in time */
function inTime<T>(command: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error('the command timed out'))
    // Sockets are read between timers and immediates.
    const timer = setTimeout(() => setImmediate(late), ms)
    command.finally(() => clearTimeout(timer)).then(resolve, reject)
  })
}

/** An error that stands for those of several addresses has a code only. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.message || ('code' in error ? String(error.code) : error.name)
}

function sharedMetric(isShared: () => boolean): Metric {
  return {
    name: 'quirl_limits_shared',
    help: 'Whether this node counts the requests of clients in Redis, together with the other nodes',
    type: 'gauge',
    read: () => Number(isShared()),
  }
}
