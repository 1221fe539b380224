import type { IncomingMessage } from 'node:http'
import type { Server, Socket } from 'node:net'
import type { PausedConnections } from './paused-connections.ts'
import { keepStopped, stopReading } from './stop-reading.ts'
import { watchConnections } from './watch-connections.ts'

/** Bytes that are parsed without a break: some 100 small requests, or 700 chunks of a byte. */
const SLICE = 4 * 1024
/** Waiting requests, and chunks of bodies, of all connections in one iteration of the event loop that make a flood. */
const MANY = 64
/** How long after that new connections are parsed in slices, in milliseconds. */
const CALM_MS = 10_000

type Parse = (this: Socket, chunk: Buffer) => void
type Listener = (this: Socket) => void

declare module 'node:net' {
  interface Socket {
    /** Node's parser of an HTTP connection; null once Node has taken it back, for another connection. */
    parser?: object | null
  }
}

export interface SlicedReads {
  /** To be called for each request that waits. */
  count: (this: void) => void
  /** To be called with each request before its body is read: counts chunks, and slices what is left of them. */
  watch: (request: IncomingMessage) => void
}

/**
 * Shares reading among connections, once they have sent much at once that costs far more than its bytes. Node parses all of one
 * read, up to 64 KiB, 2,000 requests or 10,000 chunks, for each readable connection before it serves any other: twenty of them
 * block the event loop for half a second. From then on, the connections that are open, and for a while those that open, are
 * parsed in slices, and read from again a few at a time. Until then they cost nothing.
 * @param paused those that are read from again
 */
export function createSlicedReads(server: Server, paused: PausedConnections): SlicedReads {
  /** Connections that Node's parser reads without slices. */
  const unsliced = new Set<Socket>()
  // The connections may be many, and the parser must finish the current read first.
  const sliceAll = (sockets: readonly Socket[]) => sockets.forEach((socket) => readInSlices(socket, paused))
  const flood = createFlood(() => {
    for (const socket of unsliced) paused.add(socket)
    setImmediate(sliceAll, [...unsliced])
    unsliced.clear()
  })

  function sliceIncomplete({ complete, socket }: IncomingMessage): void {
    if (!complete && unsliced.delete(socket)) readInSlices(socket, paused)
  }

  watchConnections(server, {
    onOpen: (socket) => unsliced.add(socket),
    onClose: (socket) => unsliced.delete(socket) || paused.remove(socket),
  })
  // Node's own listener came first, and nothing is read before the last: what a client encrypts may come with the end of its handshake.
  server.on('connection', (socket: Socket) => {
    if (flood.isOn() && unsliced.delete(socket)) readInSlices(socket, paused)
  })

  return {
    count: flood.count,
    watch(request) {
      if (request.headers['transfer-encoding'] === undefined) return
      countChunks(request, flood.count)
      setImmediate(sliceIncomplete, request)
    },
  }
}

/** Its client decides how much the bytes of a body in chunks cost; of one that nobody reads, nothing tells how many come. */
function countChunks(request: IncomingMessage, count: () => void): void {
  const push = request.push.bind(request)
  request.push = (chunk: Buffer | null, encoding) => {
    count()
    return push(chunk, encoding)
  }
}

interface Flood {
  isOn: () => boolean
  count: (this: void) => void
}

/** @param onMany called when much has come in an iteration of the event loop */
function createFlood(onMany: () => void): Flood {
  let counted = 0
  let calm: NodeJS.Timeout | undefined
  const endIteration = () => (counted = 0)
  const end = () => (calm = undefined)
  return {
    isOn: () => calm !== undefined,
    count() {
      if (counted === 0) setImmediate(endIteration)
      if (++counted !== MANY) return
      calm = calm?.refresh() ?? setTimeout(end, CALM_MS).unref()
      onMany()
    },
  }
}

/** Node passes what it reads to its parser directly, unless a listener wants the connection's data. */
function readInSlices(socket: Socket, paused: PausedConnections): void {
  const [parse] = socket.listeners('data') as [Parse?]
  if (parse === undefined || socket.destroyed) return
  const starting = listenersOf(socket)
  socket.off('data', parse)
  socket.on('data', (chunk: Buffer) => {
    const parsed = paused.mayParse(socket) ? SLICE : 0
    // Another connection may have the parser by now.
    if (!socket.parser) return
    if (parsed > 0) parse.call(socket, chunk.subarray(0, parsed))
    if (chunk.length <= parsed || socket.destroyed) return
    // Before the rest goes back, which a stream that flows would pass on at once.
    stopReading(socket)
    socket.unshift(chunk.subarray(parsed))
    keepStopped(socket)
    paused.add(socket)
  })
  keepListeners(socket, starting)
  // The stream waits for a read that went to the parser instead: an empty push ends it, so that the stream starts another.
  socket.push(Buffer.alloc(0))
  keepStopped(socket)
}

const STARTS = ['pause', 'resume'] as const

/** Those of Node, which stop reading from a paused connection, and keep one paused whose responses are not read. */
const listenersOf = (socket: Socket) => STARTS.map((event) => socket.listeners(event) as Listener[])

/** Adds those again that Node has removed: its stream would else read on into memory, and its parser not be ready. */
function keepListeners(socket: Socket, before: readonly Listener[][]): void {
  for (const [at, event] of STARTS.entries()) {
    const listeners = new Set(socket.listeners(event) as Listener[])
    for (const listener of before[at] ?? []) if (!listeners.has(listener)) socket.prependListener(event, listener)
  }
}
