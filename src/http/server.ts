import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { requestFault } from './conformance.ts'
import { createIncoming, type Incoming } from './incoming.ts'
import type { Metric } from './metrics.ts'
import { createPipelining } from './pipelining.ts'
import { Problem } from './problem.ts'
import { problemResponse, sendProblem } from './raw-problem.ts'
import { createSlicedReads } from './sliced-reads.ts'
import { closeStillConnections } from './still-connections.ts'
import { createTurns, type Rank } from './turns.ts'
import { createUnread, type Unread } from './unread.ts'

// What a slow client cannot stretch (milliseconds): the headers, a whole request, and a connection that is idle.
const HEADERS_TIMEOUT = 5_000
const REQUEST_TIMEOUT = 10_000
const KEEP_ALIVE_TIMEOUT = 10_000
const CHECK_INTERVAL = 1_000
/** A connection on which nothing moves: a reader that does not read. */
const SOCKET_TIMEOUT = 30_000
/** For one response: 1 MiB in this time is 3.5 KB a second. */
const RESPONSE_TIMEOUT = 300_000
const SWEEP_INTERVAL = 5_000

/** Connections that are bounded, whatever their clients do. */
export interface Connections {
  /** Makes the HTTP server. */
  serve: (handle: RequestListener, rankOf?: (request: IncomingMessage) => Rank) => Server
  /** Answers what Node's parser refuses, after the responses that come before it, and closes the connection. */
  onParserError: (error: ParserError, socket: Duplex) => void
  unread: Unread
  metrics: Metric[]
}

/** @param nextRequestId names the requests that no route sees */
export function createConnections(nextRequestId: () => string): Connections {
  let closed = 0
  const onClosed = () => closed++
  const unread = createUnread(onClosed)
  const latest = new WeakMap<Duplex, ServerResponse>()
  const refuseIn = (socket: Duplex, problem: Problem) => refuse(problem, socket, latest.get(socket), nextRequestId())
  const incoming = createIncoming((problem, { socket }) => refuseIn(socket, problem))
  return {
    serve: (handle, rankOf = () => 'other') => serve(handle, { rankOf, nextRequestId, onClosed, latest, incoming }),
    onParserError(error, socket) {
      if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
      else refuseIn(socket, parserProblem(error))
    },
    unread,
    metrics: [
      {
        name: 'quirl_request_body_bytes',
        help: 'Bodies of requests that are being read or worked on, the small ones aside',
        type: 'gauge',
        read: incoming.bytes,
      },
      {
        name: 'quirl_unread_response_bytes',
        help: 'Responses that clients have not taken yet',
        type: 'gauge',
        read: unread.bytes,
      },
      {
        name: 'quirl_connections_closed_total',
        help: 'Connections closed because their clients did not read what they had requested',
        type: 'counter',
        read: () => closed,
      },
    ],
  }
}

interface ServerNeeds {
  rankOf: (request: IncomingMessage) => Rank
  nextRequestId: () => string
  onClosed: () => void
  /** The last response of each connection. */
  latest: WeakMap<Duplex, ServerResponse>
  incoming: Incoming
}

function serve(handle: RequestListener, needs: ServerNeeds): Server {
  const { rankOf, nextRequestId, onClosed, latest, incoming } = needs
  const timeouts = {
    headersTimeout: HEADERS_TIMEOUT,
    requestTimeout: REQUEST_TIMEOUT,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
    connectionsCheckingInterval: CHECK_INTERVAL,
  }
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const fault = requestFault(request)
    if (fault === undefined) handle(request, response)
    else sendProblem(response, fault, nextRequestId())
  }
  const inTurn = createPipelining(createTurns(answer, rankOf), { onClosed, onMany: (socket) => sliceReads(socket) })
  const listen = (request: IncomingMessage, response: ServerResponse) => {
    latest.set(request.socket, response)
    incoming.watch(request, response)
    inTurn(request, response)
  }
  // A request without a Host field is refused in our words.
  const server = createServer({ ...timeouts, requireHostHeader: false }, listen)
  const sliceReads = createSlicedReads(server)
  server.setTimeout(SOCKET_TIMEOUT)
  answerHalfClosed(server, (socket) => {
    const last = latest.get(socket)
    return last !== undefined && rankOf(last.req) === 'visit'
  })
  closeStillConnections(server, {
    afterMs: SOCKET_TIMEOUT,
    unreadMs: RESPONSE_TIMEOUT,
    everyMs: SWEEP_INTERVAL,
  })
  server.on('checkExpectation', listen)
  server.on('connect', (_request, socket: Duplex) => {
    end(socket, new Problem('not_implemented', 'CONNECT is for proxies, and this is none'), nextRequestId())
  })
  return server
}

/**
 * A client that has sent all it will may close its side (RFC 9112, 9.6). Node ends the other side at once, which keeps the
 * responses from it that are not there yet: of other requests that is wanted, because whoever has gone does the same.
 * @param answers whether a connection is left open for the responses that are due
 */
function answerHalfClosed(server: Server, answers: (socket: Socket) => boolean): void {
  // Node knows the option, and does not document it.
  Object.assign(server, { httpAllowHalfOpen: true })
  function onEnd(this: Socket): void {
    if (!answers(this)) this.end()
  }
  server.on('connection', (socket: Socket) => socket.on('end', onEnd))
}

type ParserError = Error & { code?: string | undefined; rawPacket?: unknown; bytesParsed?: number }

function refuse(problem: Problem, socket: Duplex, before: ServerResponse | undefined, id: string): void {
  if (before === undefined || before.writableFinished) return end(socket, problem, id)
  socket.pause()
  if (before.req.complete) return void before.once('close', () => end(socket, problem, id))
  // The request whose body is at fault: its response has not begun, or can no longer be saved.
  const refuseNow = () => (before.headersSent ? void socket.destroy() : end(socket, problem, id))
  // Without a socket, those before it are not sent yet.
  if (before.socket === null) before.once('socket', refuseNow)
  else refuseNow()
}

function end(socket: Duplex, problem: Problem, id: string): void {
  if (socket.writable) socket.end(problemResponse(problem, id))
}

function parserProblem(error: ParserError): Problem {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('request_timeout', 'the request was not sent in time')
    case 'HPE_HEADER_OVERFLOW':
      return new Problem('headers_too_large', 'the headers are larger than 16 KiB')
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new Problem('body_too_large', 'the extensions of the chunks are larger than 16 KiB')
    case 'HPE_INVALID_METHOD':
      if (isRequestLine(error)) return new Problem('not_implemented', 'no address takes this method')
  }
  return new Problem('invalid_request', 'the request is not valid HTTP')
}

/** Whether what could not be parsed is a request with a method that the parser does not know. */
function isRequestLine({ rawPacket, bytesParsed = 0 }: ParserError): boolean {
  if (!Buffer.isBuffer(rawPacket)) return false
  const start = bytesParsed === 0 ? 0 : rawPacket.lastIndexOf('\n', bytesParsed - 1) + 1
  return /^[A-Z]{1,32} \//.test(rawPacket.toString('latin1', start, start + 40))
}
