import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { stopReading } from './stop-reading.ts'

/** What pipelined requests (RFC 9112, 9.3.2) may take. */
export interface PipeliningBounds {
  /** Requests of one connection that are worked on at a time, behind the one whose response is next. */
  maxInFlight: number
  /** Bytes of responses that one connection has not taken, past which no further request of it is begun. */
  maxUnsent: number
  /**
   * Requests that have been parsed and wait, on all connections. One read of 64 KiB can hold 2,000 of them, each of which
   * takes some 4 KB, and Node parses what it has read to the end.
   */
  maxWaiting: number
  /** Requests of one connection that wait, past which `onMany` is called. */
  many: number
  /** For how long requests that waited are begun in one turn of the event loop, in milliseconds. */
  turnMs: number
}

const usual: PipeliningBounds = { maxInFlight: 8, maxUnsent: 64 * 1024, maxWaiting: 24_576, many: 64, turnMs: 2 }

type Exchange = [request: IncomingMessage, response: ServerResponse]

/** A connection with more than one request in flight. */
interface Line {
  inFlight: Set<ServerResponse>
  waiting: Exchange[]
  /** Forgets the requests that wait. */
  close: () => void
}

/** The connections with more than one request in flight. */
interface Lines {
  /** The one that was served last is at the end. */
  open: Map<Socket, Line>
  /** Requests that wait, of all of them. */
  waiting: number
  /** Those that have room for a further request. */
  ready: Set<Socket>
}

/**
 * Hands requests on in their order, and bounds what one connection may have in flight: past the bounds nothing more is
 * read from it until its client has taken responses. Requests that waited are begun in turns, for a short time in each
 * turn of the event loop, so that other connections are served as well. When too many requests wait on all connections
 * together, the connection that has been waiting longest for its client is closed.
 *
 * A connection without pipelined requests costs nothing here: Node gives a response its socket at once, unless an
 * earlier one of the same connection still has it.
 * @param onClosed called for each connection that is closed
 * @param onMany called when a connection has brought many requests at once
 */
export function createPipelining(
  handle: RequestListener,
  { onClosed, onMany }: { onClosed: () => void; onMany: (socket: Socket) => void },
  bounds = usual,
): RequestListener {
  const lines: Lines = { open: new Map(), waiting: 0, ready: new Set() }
  const onReady = createTurns(lines, bounds, begin)

  function begin(socket: Socket, line: Line, [request, response]: Exchange): void {
    line.inFlight.add(response)
    response.once('close', () => {
      line.inFlight.delete(response)
      if (!socket.destroyed) onReady(socket)
    })
    handle(request, response)
  }

  return (request, response) => {
    const { socket } = request
    // Node parses what it has read to the end.
    if (socket.destroyed) return
    const known = lines.open.get(socket)
    if (known === undefined && response.socket !== null) return handle(request, response)
    const line = known ?? openLine(socket, lines)
    if (line.waiting.length === 0 && hasRoom(line, bounds)) return begin(socket, line, [request, response])
    const waiting = line.waiting.push([request, response])
    if (waiting === 1) stopReading(socket)
    if (waiting === bounds.many) onMany(socket)
    lines.waiting++
    if (lines.waiting > bounds.maxWaiting) closeLongest(lines, onClosed)
  }
}

function openLine(socket: Socket, lines: Lines): Line {
  function close(): void {
    lines.waiting -= line.waiting.length
    line.waiting = []
    lines.open.delete(socket)
    lines.ready.delete(socket)
    socket.off('resume', stayPaused).off('close', close)
  }
  // Node goes on reading of its own accord, for the body of the next request.
  function stayPaused(): void {
    if (line.waiting.length > 0) stopReading(socket)
  }
  const line: Line = { inFlight: new Set(), waiting: [], close }
  socket.on('resume', stayPaused).once('close', close)
  lines.open.set(socket, line)
  return line
}

/** @returns to be called with each connection that has room for a further request */
function createTurns(
  lines: Lines,
  bounds: PipeliningBounds,
  begin: (socket: Socket, line: Line, exchange: Exchange) => void,
): (socket: Socket) => void {
  const { open, ready } = lines
  /** Connections to read from again. */
  const paused = new Set<Socket>()
  let scheduled = false

  /** Begins what one connection may have in flight. */
  function advance(socket: Socket, line: Line): void {
    while (line.waiting.length > 0 && hasRoom(line, bounds)) {
      lines.waiting--
      begin(socket, line, line.waiting.shift() as Exchange)
    }
    if (line.waiting.length > 0) return
    if (line.inFlight.size === 0) line.close()
    paused.add(socket)
  }

  function turn(): void {
    scheduled = false
    const end = performance.now() + bounds.turnMs
    for (const socket of ready) {
      ready.delete(socket)
      const line = open.get(socket)
      if (line === undefined) continue
      // Order tells who was served last.
      open.delete(socket)
      open.set(socket, line)
      advance(socket, line)
      if (performance.now() >= end) break
    }
    // What one read brings is parsed at a stretch, for many milliseconds: one connection a turn.
    for (const socket of paused) {
      paused.delete(socket)
      socket.resume()
      break
    }
    schedule()
  }

  function schedule(): void {
    if (scheduled || ready.size + paused.size === 0) return
    scheduled = true
    setImmediate(turn)
  }

  return (socket) => {
    ready.add(socket)
    schedule()
  }
}

function closeLongest({ open }: Lines, onClosed: () => void): void {
  for (const [socket, line] of open) {
    if (line.waiting.length === 0) continue
    onClosed()
    line.close()
    return void socket.destroy()
  }
}

function hasRoom({ inFlight }: Line, { maxInFlight, maxUnsent }: PipeliningBounds): boolean {
  if (inFlight.size === 0) return true
  if (inFlight.size >= maxInFlight) return false
  let unsent = 0
  for (const response of inFlight) unsent += response.writableLength
  return unsent < maxUnsent
}
