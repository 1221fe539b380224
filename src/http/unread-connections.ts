import { Socket, type Server } from 'node:net'
import { createFairPool } from '../lib/fair-pool.ts'
import { asHolder, type Holder } from '../lib/holder.ts'
import { clientOf } from './client-address.ts'
import { closeAtOnce, isUnread, resetAtOnce } from './close-at-once.ts'
import { createMemoryShare, type MemoryShare } from './memory-guard.ts'
import { queueName, readSendQueues, tcpMemory } from './send-queues.ts'
import { stopReading } from './stop-reading.ts'
import { watchConnections } from './watch-connections.ts'

declare module 'node:net' {
  interface Socket {
    /** Whom the last response counts for. */
    reader?: Holder
    /** What the kernel's tables call it. */
    queueName?: string | undefined
    /** In which look what it had not read was another number than before. */
    unreadSince?: number
  }
}

/** Bytes that clients have not read and the kernel has taken, on all connections. */
const MAX_UNREAD = 64 * 1024 * 1024
/** The memory of all connections of the machine below which the kernel is not asked whose they are. */
const CALM_BYTES = 64 * 1024 * 1024
/** A connection to which less was written is not looked at: the redirect of a visit is half as long. */
const LEAST_WRITTEN = 1024
const LOOK_MS = 1_000
/** A look takes no more than this part of the time, unless it would be put off by more than five intervals: where there are many connections, or the machine is busy. */
const MOST_OF_TIME = 0.05
const MOST_INTERVALS = 5

/** What a test sets, and what it replaces. */
export interface UnreadBounds {
  maxBytes: number
  calmBytes: number
  lookMs: number
  memory: () => number
}

const defaults: UnreadBounds = { maxBytes: MAX_UNREAD, calmBytes: CALM_BYTES, lookMs: LOOK_MS, memory: tcpMemory }

export interface UnreadConnections {
  /**
   * @param sockets the open connections of the server
   * @param isAwaited whether a response is sent although its client has closed its side of the connection
   */
  watch: (server: Server, sockets: () => Iterable<Socket>, isAwaited?: (socket: Socket) => boolean) => void
  bytes: () => number
  share: MemoryShare
}

/**
 * Limits what the kernel holds of responses that clients do not read: up to 4 MB of each connection (tcp_wmem), which it has taken from
 * Node, and which counts for the memory of a service (MemoryMax). It is shared fairly. Past the limit, a connection of the largest
 * holder is reset: the one that has read nothing for longest.
 *
 * Costs nothing until the connections of the machine take more than the limit together. Then none ends while its client still reads,
 * since the kernel would hold those bytes where nobody counts them any more, for minutes.
 * @param onClosed called for each connection that is reset
 */
export function createUnreadConnections(onClosed: () => void, changed: Partial<UnreadBounds> = {}): UnreadConnections {
  const bounds = { ...defaults, ...changed }
  const pool = createFairPool<Socket>({ capacity: bounds.maxBytes, choose: leastRead })
  let looks = 0

  const reset = (socket: Socket) => (onClosed(), resetAtOnce(socket))

  function note(socket: Socket, bytes: number): void {
    if (socket.destroyed || bytes === unreadOf(socket)) return
    socket.unreadBytes = bytes
    socket.unreadSince = looks
    if (bytes === 0) return void pool.remove(socket)
    const holder = socket.reader ?? asHolder(clientOf(socket.remoteAddress ?? ''))
    for (const leaving of pool.put(socket, holder, bytes)) reset(leaving)
  }

  return {
    watch(server, sockets, isAwaited = () => false) {
      const ends = createEnds(isAwaited)
      watchConnections(server, {
        onOpen: ends.add,
        onClose(socket) {
          pool.remove(socket)
          ends.remove(socket)
        },
      })
      server.on('timeout', onTimeout)
      repeat(server, bounds.lookMs, async () => {
        looks++
        const isCalm = bounds.memory() < bounds.calmBytes
        ends.keepUnread(!isCalm)
        const ended = ends.all()
        if (isCalm) for (const socket of pool.entries()) note(socket, 0)
        else await look(sockets(), note)
        // Of those that end during a look, it knows nothing.
        for (const socket of ended) if (!isUnread(socket)) closeAtOnce(socket)
      })
    },
    bytes: pool.total,
    share: createMemoryShare(pool, bounds.maxBytes, reset),
  }
}

/**
 * The one that has read nothing for longest; of several, as at the first look, one that has far less to read than another is none that
 * reads nothing.
 */
function leastRead(sockets: Iterable<Socket>): Socket | undefined {
  let least: Socket | undefined
  for (const socket of sockets) {
    if (least !== undefined && socket.unreadSince !== least.unreadSince) break
    if (least === undefined || unreadOf(socket) > 2 * unreadOf(least)) least = socket
  }
  return least
}

const unreadOf = ({ unreadBytes = 0 }: Socket) => unreadBytes

/** Looks at what each connection has not read. */
async function look(sockets: Iterable<Socket>, note: (socket: Socket, bytes: number) => void): Promise<void> {
  const byName = new Map<string, Socket>()
  for (const socket of sockets) {
    if (socket.bytesWritten < LEAST_WRITTEN) continue
    const name = (socket.queueName ??= queueName(socket))
    if (name !== undefined) byName.set(name, socket)
  }
  const unread = new Map<Socket, number>()
  await readSendQueues((name, bytes) => {
    const socket = byName.get(name)
    if (socket !== undefined) unread.set(socket, bytes)
  })
  for (const socket of byName.values()) note(socket, unread.get(socket) ?? 0)
}

/** Runs again and again until the server is closed, for a small part of the time. */
function repeat(server: Server, everyMs: number, run: () => Promise<void>): void {
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  const runAndWait = async () => {
    const began = performance.now()
    // Without the kernel's tables, as on other systems, there is nothing to see.
    await run().catch(() => {})
    if (isClosed) return
    const calmMs = Math.min((performance.now() - began) / MOST_OF_TIME, MOST_INTERVALS * everyMs)
    timer = setTimeout(runAndWait, Math.max(everyMs, calmMs)).unref()
  }
  timer = setTimeout(runAndWait, everyMs).unref()
  server.once('close', () => {
    isClosed = true
    clearTimeout(timer)
  })
}

/** In place of Node, which closes any connection that is silent for so long, or waits for a further request. */
function onTimeout(socket: Socket): void {
  if (socket.writableLength === 0 && isUnread(socket)) socket.setTimeout(socket.timeout ?? 0)
  else closeAtOnce(socket)
}

/** The ends of connections after a last response: the kernel may not have sent it all. */
function createEnds(isAwaited: (socket: Socket) => boolean) {
  let keepsUnread = false
  const ending = new Set<Socket>()
  const isKept = ({ bytesWritten }: Socket) => keepsUnread && bytesWritten >= LEAST_WRITTEN

  /** Node calls it once the kernel has the last response, and a stop calls it again and again. */
  function destroySoon(this: Socket): void {
    if (!isKept(this) || ending.has(this)) return Socket.prototype.destroySoon.call(this)
    if (this.readableEnded) return resetAtOnce(this)
    ending.add(this)
    stopReading(this)
    this.end()
  }

  /** Who says that no request will follow has left, unless a response is on its way; Node would close the connection. */
  function onEnd(this: Socket): void {
    const isAnswering = this.latestResponse?.closed === false && isAwaited(this)
    if (isKept(this) && !isAnswering) resetAtOnce(this)
  }

  return {
    add: (socket: Socket) => {
      socket.destroySoon = destroySoon
      socket.on('end', onEnd)
    },
    remove: (socket: Socket) => ending.delete(socket),
    /** Sets whether connections stay open until their clients have read all. */
    keepUnread: (does: boolean) => (keepsUnread = does),
    all: () => [...ending],
  }
}
