import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as Listener, type Socket } from 'node:net'

/** The interval of looks at the connections, in milliseconds. */
const LOOK_MS = 10
/** How long a client that never ceases to send counts as one that had begun to before the stop, in milliseconds. */
const READ_MS = 1_000

/** What a server still does once it is to stop. */
export interface Drain {
  /** Whether a request came after the stop had begun. */
  isLate: (request: IncomingMessage) => boolean
  /**
   * Begins the stop. New connections are accepted until `close`, and late requests are told from those that had begun.
   * @param withinMs after which what has not been answered is refused
   * @returns resolves when each request that had begun is answered, or refused
   */
  begin: (withinMs?: number) => Promise<void>
  /** Accepts no connection any more, and closes each once it is idle; resolves when the last one is closed. */
  close: () => Promise<void>
}

interface Drained {
  server: Server
  /** The open connections. */
  sockets: () => Iterable<Socket>
  /** The response to the last request of a connection. */
  latest: (socket: Socket) => ServerResponse | undefined
  /** Whether the connection stays open after the response to a late request. */
  keepsOpen: (request: IncomingMessage) => boolean
  /** Refuses the request that a connection waits for, and closes the connection. */
  refuse: (socket: Socket) => void
}

/** A connection of a server that stops. */
interface Connection {
  /** Bytes that were read until the last look. */
  bytes: number
  /** Whether all was read that the client had sent when the stop began. */
  isRead: boolean
  /** Whether a request had begun to arrive, and its headers have not all been read. */
  hasPart: boolean
  /** The response to the last request that had begun. */
  last: ServerResponse | undefined
  /** The response after which the connection is to be closed. */
  final: ServerResponse | undefined
}

/**
 * A request has begun when its first byte has arrived, perhaps in the buffers of the kernel, where a client may have written
 * many of them. Costs nothing until the stop begins.
 */
export function createDrain(drained: Drained): Drain {
  const late = new WeakSet<IncomingMessage>()
  return {
    isLate: (request) => late.has(request),
    begin: (withinMs = Number.POSITIVE_INFINITY) => answerBegun(drained, late, withinMs),
    close: () => closeWhenIdle(drained),
  }
}

/** Stops accepting connections. The method of HTTP servers would also cut responses that their clients are reading. */
export function stopListening(server: Server): void {
  // One that does not listen is no error.
  Listener.prototype.close.call(server, () => {})
}

async function answerBegun(drained: Drained, late: WeakSet<IncomingMessage>, withinMs: number): Promise<void> {
  const { server, sockets, latest, refuse } = drained
  const connections = new Map<Socket, Connection>()
  const add = (socket: Socket, isRead: boolean) => {
    const connection = { bytes: -1, isRead, hasPart: false, last: latest(socket), final: undefined }
    connections.set(socket, connection)
    return connection
  }
  for (const socket of sockets()) add(socket, false)
  let accepted = 0
  // The stop begins within an iteration, which does not count.
  let before = -1
  let isAccepting = true
  server.on('connection', (socket: Socket) => {
    accepted++
    add(socket, !isAccepting)
  })
  const onRequest = createOnRequest(drained, late, (socket) => connections.get(socket) ?? add(socket, false))
  for (const event of ['request', 'checkExpectation']) server.prependListener(event, onRequest)

  const began = performance.now()
  const waited = () => performance.now() - began
  for (;;) {
    const isUnread = isAccepting || [...connections.values()].some(({ isRead }) => !isRead)
    // In an iteration, the event loop accepts and reads what there is.
    await (isUnread && waited() < READ_MS ? nextIteration() : nextLook())
    isAccepting &&= accepted > before && waited() < READ_MS
    before = accepted
    look(server, connections, waited() >= READ_MS)
    const busy = [...connections].filter(([, connection]) => isBusy(connection))
    if (!isAccepting && busy.length === 0) return
    if (waited() >= withinMs) return busy.forEach(([socket]) => refuse(socket))
  }
}

/** @returns to be called with each request before it is handled */
function createOnRequest(
  { keepsOpen }: Drained,
  late: WeakSet<IncomingMessage>,
  connectionOf: (socket: Socket) => Connection,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    const connection = connectionOf(request.socket)
    if (!connection.isRead) return void (connection.last = response)
    if (connection.hasPart) {
      connection.hasPart = false
      connection.last = response
      return closeAfter(connection, response)
    }
    late.add(request)
    closeAfter(connection, keepsOpen(request) ? undefined : response)
  }
}

/** Announces that the connection is closed after a response, and after no earlier one. */
function closeAfter(connection: Connection, response: ServerResponse | undefined): void {
  if (connection.final?.headersSent === false) connection.final.removeHeader('connection')
  connection.final = response
  if (response?.headersSent === false) response.setHeader('connection', 'close')
}

/** Finds the connections of which all was read that they had sent when the stop began. */
function look(server: Server, connections: Map<Socket, Connection>, isOver: boolean): void {
  let waiting: Set<Socket> | undefined
  for (const [socket, connection] of connections) {
    if (socket.destroyed) {
      connections.delete(socket)
      continue
    }
    const { bytes, isRead, last } = connection
    connection.bytes = socket.bytesRead
    // The parser has refused the request, or its client has disconnected.
    if (!socket.readable) connection.hasPart = false
    if (isRead || !isReading(socket, last) || (bytes !== socket.bytesRead && !isOver)) continue
    connection.isRead = true
    connection.hasPart = last?.req.complete !== false && !isWaiting(socket, (waiting ??= waitingConnections(server)))
    if (!connection.hasPart) closeAfter(connection, last)
  }
}

/** Whether what arrives is read at once: pipelined requests wait, and a body may wait for the one who reads it. */
function isReading(socket: Socket, last: ServerResponse | undefined): boolean {
  return !socket.isPaused() && socket.readableLength === 0 && (last?.req.readableLength ?? 0) === 0
}

function isBusy({ isRead, hasPart, last }: Connection): boolean {
  return !isRead || hasPart || isPending(last)
}

function isPending(response: ServerResponse | undefined): boolean {
  return response !== undefined && !response.closed
}

/** Whether no request has begun to arrive. Node lists a connection only once it has had a request. */
function isWaiting(socket: Socket, waiting: Set<Socket>): boolean {
  return socket.bytesRead === 0 || waiting.has(socket)
}

interface Parser {
  socket: Socket
}

/**
 * The connections that wait for another request. Node uses this list to close idle connections, where it would also cut
 * responses that are not sent yet, and has no public name for it.
 */
function waitingConnections(server: Server): Set<Socket> {
  const name = Object.getOwnPropertySymbols(server).find(({ description }) => description === 'http.server.connections')
  const list = name === undefined ? undefined : (Reflect.get(server, name) as { idle: () => Parser[] })
  return new Set(list?.idle().map(({ socket }) => socket))
}

async function closeWhenIdle({ server, sockets, latest }: Drained): Promise<void> {
  stopListening(server)
  while (![...sockets()].every(({ destroyed }) => destroyed)) {
    const waiting = waitingConnections(server)
    for (const socket of sockets()) if (isWaiting(socket, waiting) && !isPending(latest(socket))) socket.destroySoon()
    await nextLook()
  }
}

const nextIteration = () => new Promise((resolve) => setImmediate(resolve))
const nextLook = () => new Promise((resolve) => setTimeout(resolve, LOOK_MS))
