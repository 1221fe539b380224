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

/** What a slow client cannot stretch, in milliseconds. */
export interface Timeouts {
  headersMs: number
  /** For a whole request. */
  requestMs: number
  /** How often connections are looked at for these two. */
  checkMs: number
  /** For a client to read why it was refused and to close the connection, which then is closed. */
  refusedMs: number
}

const usual: Timeouts = { headersMs: 5_000, requestMs: 10_000, checkMs: 1_000, refusedMs: 2_000 }

const KEEP_ALIVE_TIMEOUT = 10_000
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
export function createConnections(nextRequestId: () => string, timeouts: Timeouts = usual): Connections {
  let closed = 0
  const onClosed = () => closed++
  const unread = createUnread(onClosed)
  const latest = new WeakMap<Duplex, ServerResponse>()
  const refuseIn = (socket: Duplex, problem: Problem) => {
    const endNow = () => end(socket, problem, nextRequestId(), timeouts.refusedMs)
    refuse(socket, latest.get(socket), endNow)
  }
  const incoming = createIncoming((problem, { socket }) => refuseIn(socket, problem))
  return {
    serve: (handle, rankOf = () => 'other') =>
      serve(handle, { rankOf, nextRequestId, onClosed, latest, incoming, timeouts }),
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
  timeouts: Timeouts
}

function serve(handle: RequestListener, needs: ServerNeeds): Server {
  const { rankOf, nextRequestId, onClosed, latest, incoming, timeouts } = needs
  const options = {
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
    connectionsCheckingInterval: timeouts.checkMs,
    // A request without a Host field is refused in our words.
    requireHostHeader: false,
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
  const server = createServer(options, listen)
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
    end(
      socket,
      new Problem('not_implemented', 'CONNECT is for proxies, and this is none'),
      nextRequestId(),
      timeouts.refusedMs,
    )
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

/** Ends the connection once the responses that come before are sent. */
function refuse(socket: Duplex, before: ServerResponse | undefined, endNow: () => void): void {
  if (before === undefined || before.writableFinished) return endNow()
  socket.pause()
  if (before.req.complete) return void before.once('close', endNow)
  // The request whose body is at fault: its response has not begun, or can no longer be saved.
  const refuseNow = () => (before.headersSent ? void socket.destroy() : endNow())
  // Without a socket, those before it are not sent yet.
  if (before.socket === null) before.once('socket', refuseNow)
  else refuseNow()
}

/** Nothing more is read from the connection, not even that its client has closed it: it is closed after a while. */
function end(socket: Duplex, problem: Problem, id: string, refusedMs: number): void {
  if (!socket.writable) return
  socket.end(problemResponse(problem, id))
  const timer = setTimeout(() => socket.destroy(), refusedMs).unref()
  socket.once('close', () => clearTimeout(timer))
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
