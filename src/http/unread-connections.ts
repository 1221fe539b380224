import { Socket, type Server } from 'node:net'
import { totalmem } from 'node:os'
import { createFairPool, slowestOf } from '../lib/fair-pool.ts'
import { asHolder, type Holder } from '../lib/holder.ts'
import { ofMemory } from '../lib/memory-limit.ts'
import { yieldEvery } from '../lib/yield-every.ts'
import { clientOf } from './client-address.ts'
import { closeAtOnce, isUnread, resetAtOnce } from './close-at-once.ts'
import { createMemoryShare, type MemoryShare } from './memory-guard.ts'
import { createQueueReader } from './socket-diagnostics.ts'
import { stopReading } from './stop-reading.ts'
import { queueName, tcpMemory, tcpPressure, type OnQueue, type Queue, type ReadQueues } from './tcp-queues.ts'
import { watchConnections } from './watch-connections.ts'

declare module 'node:net' {
  interface Socket {
    /** Whom the last response counts for. */
    reader?: Holder
    /** What the kernel's tables call it. */
    queueName?: string | undefined
    /** What the kernel has of it, in bytes. */
    queuedBytes?: number
    /** In which look that was another number than before. */
    queuedSince?: number
  }
}

/** Bytes that the kernel has of all connections, which clients have not read, or quirl has not. */
const MAX_QUEUED = ofMemory(64 * 1024 * 1024)
/** From which part of what connections may take on a small machine on the kernel is asked whose it is. */
const PART_OF_CALM = 1 / 2
/** A trusted proxy's connection to which less was written ends as ever: the redirect of a visit is half as long. */
const LEAST_WRITTEN = 1024
/** Connections that wait until their clients have a smaller last response; past that, one of the largest holder waits no longer. */
const MOST_WAITING = 1024
const LOOK_MS = 1_000
/** How many times as often it is looked at while they take much: a stranger can have the kernel keep 100 MB a second. */
const QUICKER = 5
/** How old what a connection that ends goes by may be: the kernel keeps for minutes what strangers send meanwhile, 100 MB a second. */
const FRESH_MS = 50
/**
 * A look takes a twentieth of the time at most, unless it would be put off by more than five intervals, where there are many connections.
 * What else the event loop does meanwhile puts off none: strangers keep it busy.
 */
const MOST_OF_TIME = 0.05
const MOST_INTERVALS = 5
/** Milliseconds of the event loop that it takes for each connection: three to six were measured for a thousand lines of `ss`. */
const MS_OF_ONE = 0.004
/**
 * A connection that has ended with less than that is reset when its client has acknowledged nothing in so many looks, fifteen seconds or
 * more: a client's kernel does at once, however slowly it is read there.
 */
const MOST_LOOKS = 15 * QUICKER
/** How long an iteration of the event loop finds out what connections are called, in milliseconds. */
const SLICE_MS = 2

/** What a test sets, and what it replaces. */
export interface UnreadBounds {
  maxBytes: number
  /** The memory of all connections of the machine below which the kernel is not asked whose they are. */
  calmBytes: number
  lookMs: number
  /** How many connections wait until their clients have a small last response. */
  mostWaiting: number
  memory: () => number
  readQueues: ReadQueues
}

function defaults(): UnreadBounds {
  const pressure = tcpPressure()
  // Where it is not said, what the kernel chooses.
  const most = Number.isFinite(pressure) ? pressure : totalmem() / 16
  const maxBytes = Math.min(MAX_QUEUED, most)
  return {
    maxBytes,
    calmBytes: Math.min(MAX_QUEUED, PART_OF_CALM * most),
    lookMs: LOOK_MS,
    mostWaiting: MOST_WAITING,
    memory: tcpMemory,
    readQueues: createQueueReader(),
  }
}

export interface UnreadNeeds {
  /** Called for each connection that is reset. */
  onClosed: (this: void) => void
  /** Whether a connection is a trusted proxy's: what comes next on it may be another client's than what came last. */
  isProxied?: (this: void, socket: Socket) => boolean
  /** Connections that will be a server's once they are decrypted. */
  undecrypted?: ((this: void) => Iterable<Socket>) | undefined
}

export interface UnreadConnections {
  /**
   * @param sockets the open connections of the server
   * @param isAwaited whether a response is sent although its client has closed its side of the connection
   */
  watch: (server: Server, sockets: () => Iterable<Socket>, isAwaited?: (socket: Socket) => boolean) => void
  /** Whether the connections of the machine take so much memory that one that is closed is to leave nothing. */
  isCrowded: () => boolean
  bytes: () => number
  share: MemoryShare
}

/**
 * Limits what the kernel holds of connections, and has counted for the memory of a service (MemoryMax): of responses that clients do not
 * read, up to 4 MB of each connection (tcp_wmem), and of requests that quirl does not read while earlier ones are in progress, up to 6 MB
 * (tcp_rmem). It is shared fairly. Past the limit, a connection of the largest holder is reset: the one of which nothing was read for
 * longest.
 *
 * Costs nothing until the connections of the machine take more than the limit together. Then none ends while its client still reads,
 * since the kernel would hold those bytes where nobody counts them any more, for minutes.
 */
export function createUnreadConnections(needs: UnreadNeeds, changed: Partial<UnreadBounds> = {}): UnreadConnections {
  const { onClosed, isProxied = () => false, undecrypted = () => [] } = needs
  const bounds = { ...defaults(), ...changed }
  const reset = (socket: Socket) => (onClosed(), resetAtOnce(socket))
  const { pool, note, forget, begin, isStalled } = createNotes(bounds.maxBytes, isProxied, reset)
  const crowd = createCrowd(bounds)

  return {
    watch(server, opened, isAwaited = () => false) {
      const sockets = () => [...opened(), ...undecrypted()]
      const ends = createEnds({ isAwaited, isProxied, isCrowded: crowd.is, reset, ...bounds })
      watchConnections(server, {
        onOpen: ends.add,
        onClose(socket) {
          pool.remove(socket)
          ends.remove(socket)
        },
      })
      server.on('timeout', onTimeout)
      repeat(server, bounds, crowd.is, async (signal) => {
        begin()
        const ended = ends.all()
        const read: ReadAll = (onQueue, ports) => bounds.readQueues(onQueue, { ports, signal })
        let count = 0
        if (crowd.look()) {
          const seen = await look(sockets(), note, read)
          forget(seen.lookedAt)
          count = seen.count
        } else for (const socket of pool.entries()) note(socket, NOTHING)
        // Of those that end during a look, it knows nothing.
        await closeEnded(ended, (socket) => isUnread(socket) && !isStalled(socket))
        return count
      })
    },
    isCrowded: crowd.is,
    bytes: pool.total,
    share: createMemoryShare({ pool, kinds: ['process'], most: bounds.maxBytes, leave: reset }),
  }
}

/** Whether the connections of the machine take so much that what one has counts. */
function createCrowd({ memory, calmBytes }: Pick<UnreadBounds, 'memory' | 'calmBytes'>) {
  let [isCrowded, at] = [false, -Infinity]
  const look = () => {
    at = performance.now()
    return (isCrowded = memory() >= calmBytes)
  }
  return { look, is: () => (performance.now() - at < FRESH_MS ? isCrowded : look()) }
}

const NOTHING: Queue = { sent: 0, received: 0 }

const holderOf = ({ reader, remoteAddress = '' }: Socket) => reader ?? asHolder(clientOf(remoteAddress))

/** Who has how much in the kernel, by the last look. */
function createNotes(
  capacity: number,
  isProxied: NonNullable<UnreadNeeds['isProxied']>,
  reset: (socket: Socket) => void,
) {
  const pool = createFairPool<Socket>({ capacity, choose: leastRead })
  let looks = 0

  function note(socket: Socket, { sent, received }: Queue): void {
    if (socket.destroyed) return void pool.remove(socket)
    const isOfProxy = sent + received > 0 && isProxied(socket)
    socket.unreadBytes = isOfProxy && socket.bytesWritten < LEAST_WRITTEN ? 0 : sent
    const bytes = isOfProxy ? sent : sent + received
    if (bytes === queuedOf(socket)) return
    socket.queuedBytes = bytes
    socket.queuedSince = looks
    if (bytes === 0) return void pool.remove(socket)
    for (const leaving of pool.put(socket, holderOf(socket), bytes)) reset(leaving)
  }

  const isStalled = ({ bytesWritten, queuedSince = looks }: Socket) =>
    bytesWritten < LEAST_WRITTEN && looks - queuedSince >= MOST_LOOKS
  /** Those that were not looked at are known by another name, since they are decrypted. */
  function forget(lookedAt: ReadonlySet<Socket>): void {
    for (const socket of pool.entries()) if (!lookedAt.has(socket)) pool.remove(socket)
  }

  return { pool, note, forget, begin: () => looks++, isStalled }
}

/**
 * The one of which nothing was read for longest; of several, as at the first look, one of which far less is to be read than of another
 * is none of which nothing is read.
 */
function leastRead(sockets: Iterable<Socket>): Socket | undefined {
  let least: Socket | undefined
  for (const socket of sockets) {
    if (least !== undefined && socket.queuedSince !== least.queuedSince) break
    if (least === undefined || queuedOf(socket) > 2 * queuedOf(least)) least = socket
  }
  return least
}

const queuedOf = ({ queuedBytes = 0 }: Socket) => queuedBytes

type ReadAll = (onQueue: OnQueue, ports: ReadonlySet<number>) => Promise<number>

/** Looks at what the kernel has of each connection. @returns those that were looked at, and of how many was read */
async function look(
  sockets: Iterable<Socket>,
  note: (socket: Socket, queue: Queue) => void,
  read: ReadAll,
): Promise<{ lookedAt: Set<Socket>; count: number }> {
  const { byName, ports } = await nameAll([...sockets])
  const lookedAt = new Set(byName.values())
  if (ports.size === 0) return { lookedAt, count: 0 }
  const queued = new Map<Socket, Queue>()
  const count = await read((name, queue) => {
    const socket = byName.get(name)
    if (socket !== undefined) queued.set(socket, queue)
  }, ports)
  const pause = yieldEvery(SLICE_MS)
  for (const socket of lookedAt) {
    note(socket, queued.get(socket) ?? NOTHING)
    await pause()
  }
  return { lookedAt, count }
}

/** By what the kernel's tables call them; in slices of time. */
async function nameAll(sockets: readonly Socket[]): Promise<{ byName: Map<string, Socket>; ports: Set<number> }> {
  const byName = new Map<string, Socket>()
  const ports = new Set<number>()
  const pause = yieldEvery(SLICE_MS)
  for (const socket of sockets) {
    if (socket.queueName === undefined) {
      socket.queueName = queueName(socket)
      await pause()
    }
    if (socket.queueName === undefined) continue
    byName.set(socket.queueName, socket)
    if (socket.localPort !== undefined) ports.add(socket.localPort)
  }
  return { byName, ports }
}

/**
 * Runs again and again until the server is closed, for a small part of the time.
 * @param run returns how many connections it has read of
 */
function repeat(
  server: Server,
  { lookMs: everyMs }: Pick<UnreadBounds, 'lookMs'>,
  isQuick: () => boolean,
  run: (signal: AbortSignal) => Promise<number>,
): void {
  let timer: NodeJS.Timeout | undefined
  const closing = new AbortController()
  const runAndWait = async () => {
    // Without the kernel's tables, as on other systems, there is nothing to see.
    const count = await run(closing.signal).catch(() => 0)
    if (closing.signal.aborted) return
    const calmMs = Math.min((count * MS_OF_ONE) / MOST_OF_TIME, MOST_INTERVALS * everyMs)
    timer = setTimeout(runAndWait, Math.max(isQuick() ? everyMs / QUICKER : everyMs, calmMs)).unref()
  }
  timer = setTimeout(runAndWait, everyMs).unref()
  server.once('close', () => {
    closing.abort()
    clearTimeout(timer)
  })
}

/** In place of Node, which closes any connection that is silent for so long, or waits for a further request. */
function onTimeout(socket: Socket): void {
  if (socket.writableLength === 0 && isUnread(socket)) socket.setTimeout(socket.timeout ?? 0)
  else closeAtOnce(socket)
}

/** Closes those of connections that have ended which wait for nothing; in slices of time. */
async function closeEnded(ended: readonly Socket[], waits: (socket: Socket) => boolean): Promise<void> {
  const pause = yieldEvery(SLICE_MS)
  for (const socket of ended) {
    if (waits(socket)) continue
    closeAtOnce(socket)
    await pause()
  }
}

interface EndNeeds extends Pick<UnreadBounds, 'mostWaiting'> {
  isAwaited: (socket: Socket) => boolean
  isProxied: (socket: Socket) => boolean
  /** Whether connections stay open until their clients have read all. */
  isCrowded: () => boolean
  reset: (socket: Socket) => void
}

/**
 * The ends of connections after a last response: the kernel may not have sent it all, and has what came besides what it lacks of a
 * request, up to megabytes that no table says (`net.ipv4.tcp_rmem`).
 */
function createEnds({ isAwaited, isProxied, isCrowded, reset, mostWaiting }: EndNeeds) {
  const ending = new Set<Socket>()
  const waiting = createFairPool<Socket>({ capacity: mostWaiting, choose: slowestOf })
  const hasMuch = ({ bytesWritten }: Socket) => isCrowded() && bytesWritten >= LEAST_WRITTEN

  /** Node calls it once the kernel has the last response, and a stop calls it again and again. */
  function destroySoon(this: Socket): void {
    const isKept = hasMuch(this) || (isCrowded() && !this.readableEnded && !isProxied(this))
    if (!isKept || ending.has(this)) return Socket.prototype.destroySoon.call(this)
    if (this.readableEnded) return resetAtOnce(this)
    ending.add(this)
    stopReading(this)
    this.end()
    if (!hasMuch(this)) waiting.put(this, holderOf(this)).forEach(reset)
  }

  /** Who says that no request will follow has left, unless a response is on its way; Node would close the connection. */
  function onEnd(this: Socket): void {
    const isAnswering = this.latestResponse?.closed === false && isAwaited(this)
    if (hasMuch(this) && !isAnswering) resetAtOnce(this)
  }

  return {
    add: (socket: Socket) => {
      socket.destroySoon = destroySoon
      socket.on('end', onEnd)
    },
    remove: (socket: Socket) => void (ending.delete(socket) && waiting.remove(socket)),
    all: () => [...ending],
  }
}
