import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { requestFault } from './conformance.ts'
import type { ConnectionState } from './connection-limit.ts'
import { createDrain, type Drain } from './drain.ts'
import { createBodyMemory, type BodyMemory } from './body-memory.ts'
import { createHeaderMemory, type HeaderMemory } from './header-memory.ts'
import type { MemoryShare } from './memory-guard.ts'
import type { Metric } from './metric.ts'
import { createPipelining } from './pipelining.ts'
import { Problem, type ProblemCode } from './problem.ts'
import { problemResponse, sendProblem } from './raw-problem.ts'
import { createPausedConnections } from './paused-connections.ts'
import { createSlicedReads } from './sliced-reads.ts'
import { markReceived } from './request-metrics.ts'
import { closeStalledConnections } from './stalled-connections.ts'
import { createRequestScheduler, type Priority } from './request-scheduler.ts'
import { createResponseMemory, type ResponseMemory } from './response-memory.ts'
import { asHolder, type Holder } from '../lib/holder.ts'
import { createSlices } from '../lib/in-slices.ts'
import { clientOf } from './client-address.ts'
import { stopReading } from './stop-reading.ts'
import { closeAtOnce } from './close-at-once.ts'
import { createUnreadConnections, type UnreadConnections } from './unread-connections.ts'

declare module 'node:http' {
  interface ServerResponse {
    /** Whether its connection is to end after it with a refusal. */
    isRefusedAfter?: boolean
  }
}

declare module 'node:net' {
  interface Socket {
    /**
     * The response to the last request of an HTTP connection. It refers to its connection: in a WeakMap, both would survive each
     * collection of V8's young generation, as all values of a table do that is old itself. A connection that rests has none: it
     * would keep the headers of the request, up to 16 KiB.
     */
    latestResponse?: ServerResponse | undefined
    /** When the last request had arrived of a connection that rests, by `performance.now()`. */
    restingSince?: number | undefined
  }
}

const latestOf = (socket: Duplex) => (socket as Socket).latestResponse

/** An error of Node's parser. */
type ParserError = Error & { code?: string | undefined; rawPacket?: unknown; bytesParsed?: number }

/** Time-outs of slow clients, in milliseconds. */
export interface Timeouts {
  headersMs: number
  /** For the whole request. */
  requestMs: number
  /** The interval of the checks for these two. */
  checkMs: number
  /** How long a refused client may read the response before its connection is closed. */
  refusedMs: number
  /** For a connection without any traffic, such as one whose client does not read. */
  silentMs: number
}

const defaults: Timeouts = { headersMs: 5_000, requestMs: 10_000, checkMs: 200, refusedMs: 2_000, silentMs: 30_000 }

const KEEP_ALIVE_TIMEOUT = 10_000
/** Header fields of a request: browsers behind several proxies send some 40. */
const MAX_FIELDS = 100
/** For reading one response: 1 MiB in this time is 3.5 KB a second. */
const RESPONSE_TIMEOUT = 300_000
const SWEEP_INTERVAL = 5_000
/** How long a client whose body gives way may read the response. */
const GIVE_WAY_MS = 100

/** What a connection answers in place of any route. */
export const connectionRefusals: readonly ProblemCode[] = [
  'invalid_request',
  'request_timeout',
  'body_too_large',
  'expectation_failed',
  'headers_too_large',
  'unavailable',
]

/** HTTP connections with limits on all resources that clients can use. */
export interface Connections {
  /** Creates the HTTP server. */
  serve: (handle: RequestListener, priorityOf?: (request: IncomingMessage) => Priority) => Server
  /** How a server of these ends. */
  drainOf: (server: Server) => Drain | undefined
  /** Responds to what Node's parser refuses, after the earlier responses of the connection, and closes the connection. */
  onParserError: (error: ParserError, socket: Duplex) => void
  responseMemory: ResponseMemory
  /** What gives way while memory runs short. */
  memoryShares: readonly MemoryShare[]
  /** How each connection is. */
  state: ConnectionState
  metrics: Metric[]
}

/** What the connections need of the rest of the program. */
export interface ConnectionNeeds {
  /** Creates ids for requests that reach no route. */
  nextRequestId: () => string
  /** Who a request counts for. */
  holderOf: (request: IncomingMessage) => Holder
  /** Whether a connection is a trusted proxy's. */
  isProxied: (socket: Socket) => boolean
  /** Connections that are to be decrypted. */
  undecrypted?: () => Iterable<Socket>
  /** Called when the body of a request has not arrived in time. */
  onBodyTimeout: (request: IncomingMessage) => void
}

/** @param changed time-outs that are not the usual ones */
export function createConnections(needs: ConnectionNeeds, changed: Partial<Timeouts> = {}): Connections {
  const { nextRequestId, holderOf, isProxied, undecrypted, onBodyTimeout } = needs
  const timeouts = { ...defaults, ...changed }
  let closed = 0
  const onClosed = () => closed++
  const responseMemory = createResponseMemory(holderOf, onClosed)
  const unread = createUnreadConnections({ onClosed, isProxied, undecrypted })
  const refuseIn = (socket: Duplex, problem: Problem) =>
    refuse(socket, latestOf(socket), () => end(socket, problem, nextRequestId(), timeouts.refusedMs))
  const refuseLate = (socket: Socket) =>
    refuseUnanswered(latestOf(socket), (problem) => end(socket, problem, nextRequestId(), timeouts.refusedMs))
  const drains = new WeakMap<Server, Drain>()
  const bodyMemory = createBodyMemory({
    holderOf,
    refuse: (problem, { socket }) => refuseIn(socket, problem),
    giveWay: (problem, request) => giveWay(request, () => end(request.socket, problem, nextRequestId(), GIVE_WAY_MS)),
  })
  const headerMemory = createHeaderMemory(holderOf, onClosed)
  const memoryShares = [bodyMemory.share, responseMemory.share, headerMemory.share, unread.share]
  const shared = { ...needs, onClosed, bodyMemory, headerMemory, unread, timeouts, refuseIn }
  return {
    serve(handle, priorityOf = () => 'other') {
      const { server, sockets, share } = serve(handle, { ...shared, priorityOf })
      memoryShares.push(share)
      const keepsOpen = (request: IncomingMessage) => priorityOf(request) === 'urgent'
      drains.set(server, createDrain({ server, sockets, latest: latestOf, keepsOpen, refuse: refuseLate }))
      return server
    },
    drainOf: (server) => drains.get(server),
    onParserError: createOnParserError(refuseIn, onBodyTimeout),
    responseMemory,
    memoryShares,
    state: {
      restingSince: (socket) => restingSince(latestOf(socket)) ?? socket.restingSince,
      isCrowded: unread.isCrowded,
    },
    metrics: metricsOf(bodyMemory, [responseMemory, unread], () => closed),
  }
}

function createOnParserError(
  refuse: (socket: Duplex, problem: Problem) => void,
  onBodyTimeout: ConnectionNeeds['onBodyTimeout'],
): Connections['onParserError'] {
  const inSlices = createSlices()
  return (error, socket) => {
    const refuseOrDestroy = () => {
      if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
      else refuse(socket, parserProblem(error))
    }
    if (error.code !== 'ERR_HTTP_REQUEST_TIMEOUT') return refuseOrDestroy()
    const last = latestOf(socket)
    if (last?.req.complete === false) onBodyTimeout(last.req)
    // Node finds all that are late at once: thousands of one client would keep everybody else waiting.
    stopReading(socket as Socket)
    inSlices(asHolder(clientOf((socket as Socket).remoteAddress ?? '')), refuseOrDestroy)
  }
}

function metricsOf(bodyMemory: BodyMemory, unread: { bytes: () => number }[], closed: () => number): Metric[] {
  return [
    {
      name: 'quirl_request_body_bytes',
      help: 'Request bodies in memory, except small ones',
      type: 'gauge',
      read: bodyMemory.bytes,
    },
    {
      name: 'quirl_unread_response_bytes',
      help: 'Responses that clients have not read yet, in memory or as far as the kernel was asked for its part',
      type: 'gauge',
      read: () => unread.reduce((sum, { bytes }) => sum + bytes(), 0),
    },
    {
      name: 'quirl_connections_closed_total',
      help: 'Connections closed because their clients did not read the responses, or sent more at once than there is memory for',
      type: 'counter',
      read: closed,
    },
  ]
}

function restingSince(last: ServerResponse | undefined): number | undefined {
  const isWorking = last !== undefined && last.req.complete && !last.writableFinished && !last.closed
  return isWorking ? Infinity : last?.receivedAt
}

interface Serving {
  server: Server
  sockets: () => Iterable<Socket>
  /** Of the memory of its pipelined requests. */
  share: MemoryShare
}

interface ServerNeeds extends Omit<ConnectionNeeds, 'onBodyTimeout'> {
  priorityOf: (request: IncomingMessage) => Priority
  onClosed: () => void
  bodyMemory: BodyMemory
  headerMemory: HeaderMemory
  unread: UnreadConnections
  timeouts: Timeouts
  /** Ends a connection with a problem, after earlier responses. */
  refuseIn: (socket: Duplex, problem: Problem) => void
}

function serve(handle: RequestListener, needs: ServerNeeds): Serving {
  const { priorityOf, nextRequestId, holderOf, isProxied, onClosed, bodyMemory, headerMemory, unread, timeouts } = needs
  const handleValid = (request: IncomingMessage, response: ServerResponse) => {
    const fault = requestFault(request)
    if (fault === undefined) handle(request, response)
    else sendProblem(response, fault, nextRequestId())
  }
  const scheduler = createRequestScheduler(handleValid, priorityOf, holderOf)
  const paused = createPausedConnections({ onClosed, isProxied })
  const onWaiting = () => slicedReads.count()
  const pipelining = createPipelining(scheduler, { holderOf, onClosed, onWaiting, resume: paused.add })
  const follow = createFollow(headerMemory)
  const listen = (request: IncomingMessage, response: ServerResponse) => {
    if (request.rawHeaders.length > 2 * MAX_FIELDS) {
      slicedReads.count()
      return refuseFields(request, needs)
    }
    markReceived(response)
    follow(request, response)
    bodyMemory.watch(request, response)
    slicedReads.watch(request)
    pipelining.listen(request, response)
  }
  const server = createServer(optionsOf(timeouts), listen)
  // What comes after these is not kept; the request is refused.
  server.maxHeadersCount = MAX_FIELDS + 1
  const slicedReads = createSlicedReads(server, paused)
  server.setTimeout(timeouts.silentMs)
  const isAwaited = (socket: Socket) => {
    const last = latestOf(socket)
    return last !== undefined && priorityOf(last.req) === 'visit'
  }
  allowHalfOpen(server, isAwaited)
  const stalls = { idleMs: timeouts.silentMs, unreadMs: RESPONSE_TIMEOUT, everyMs: SWEEP_INTERVAL }
  const sockets = closeStalledConnections(server, stalls)
  unread.watch(server, sockets, isAwaited)
  server.on('checkExpectation', listen)
  server.on('connect', (_request, socket: Duplex) => refuseConnect(socket, needs))
  return { server, sockets, share: pipelining.share }
}

/** @returns to be called with each request before it is handled: its connection knows it until it has been read and answered */
function createFollow(headerMemory: HeaderMemory): RequestListener {
  function onClose(this: ServerResponse): void {
    headerMemory.remove(this.req.socket)
    // What still comes of its body is dropped.
    if (this.req.complete) letGo(this)
    else this.req.once('close', () => letGo(this))
  }
  return (request, response) => {
    request.socket.latestResponse = response
    // Those behind others count as pipelined requests.
    if (response.socket !== null) headerMemory.add(request)
    response.on('close', onClose)
  }
}

/** Has the connection of a response rest, unless another request has followed. */
function letGo(response: ServerResponse): void {
  const { socket } = response.req
  if (socket.latestResponse !== response) return
  socket.restingSince = response.receivedAt
  socket.latestResponse = undefined
}

function refuseConnect(socket: Duplex, { nextRequestId, timeouts }: ServerNeeds): void {
  // Node removes its own listener, and an error that nobody listens to ends the process: the client may have reset the connection.
  socket.on('error', () => socket.destroy())
  const problem = new Problem('not_implemented', 'CONNECT is for proxies, and this is not a proxy')
  end(socket, problem, nextRequestId(), timeouts.refusedMs)
}

/** The connection ends: of a request that stays, each field takes 20 times as much memory as on the way. */
function refuseFields({ socket }: IncomingMessage, { refuseIn }: Pick<ServerNeeds, 'refuseIn'>): void {
  if (!socket.writable) return
  refuseIn(socket, new Problem('headers_too_large', `a request has at most ${MAX_FIELDS} header fields`))
}

function optionsOf({ headersMs, requestMs, checkMs }: Timeouts): ServerOptions {
  return {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
    connectionsCheckingInterval: checkMs,
    // `requestFault` refuses a request without a Host field, with a problem as its body.
    requireHostHeader: false,
  }
}

/**
 * A client may close its side of the connection after its last request (RFC 9112, 9.6). Node then closes the other side at
 * once, before pending responses are sent. That is wanted unless `isAllowed`: a client that disconnects does the same.
 * @param isAllowed whether a connection stays open for its pending responses
 */
function allowHalfOpen(server: Server, isAllowed: (socket: Socket) => boolean): void {
  // An undocumented option of Node.
  Object.assign(server, { httpAllowHalfOpen: true })
  function onEnd(this: Socket): void {
    if (!isAllowed(this)) this.end()
  }
  server.on('connection', (socket: Socket) => socket.on('end', onEnd))
}

/** Ends the connection once earlier responses have been sent. */
function refuse(socket: Duplex, before: ServerResponse | undefined, endNow: () => void): void {
  if (before === undefined || before.writableFinished) return endNow()
  // Node's parser refuses what is read in parts again and again.
  if (before.isRefusedAfter === true) return
  before.isRefusedAfter = true
  socket.pause()
  if (before.req.complete) return void before.once('close', endNow)
  // The body of this very request is refused: its response has not started, or can only be cut off.
  const refuseNow = () => (before.headersSent ? closeAtOnce(socket as Socket) : endNow())
  // A response without a socket waits for earlier responses.
  if (before.socket === null) before.once('socket', refuseNow)
  else refuseNow()
}

/** Refuses the body that is being read, and lets it wait for no earlier response: what was read of it takes memory. */
function giveWay({ socket, complete }: IncomingMessage, endNow: () => void): void {
  // One that was refused has had time to read that; one that is complete waits for its turn, and must not get that any more.
  const endsAtOnce = complete || !socket.writable
  const last = latestOf(socket)
  const isBegun = last === undefined || last.headersSent || last.socket === null
  if (!isBegun) endNow()
  if (isBegun || endsAtOnce) closeAtOnce(socket)
}

/** Refuses what a connection waits for when the time for it is over, unless its response has begun. */
function refuseUnanswered(last: ServerResponse | undefined, endNow: (problem: Problem) => void): void {
  const isOpen = last !== undefined && !last.closed
  if (isOpen && (last.headersSent || last.socket === null)) return
  const detail =
    isOpen && last.req.complete
      ? 'the service stops, and the request takes too long; a change may have been saved'
      : 'the service stops, and the request has not arrived in time'
  endNow(new Problem('unavailable', detail))
}

/** Nothing more is read from the connection, not even that its client has closed it: it is closed after a while. */
function end(socket: Duplex, problem: Problem, id: string, refusedMs: number): void {
  if (!socket.writable) return
  socket.end(problemResponse(problem, id))
  const timer = setTimeout(() => closeAtOnce(socket as Socket), refusedMs).unref()
  socket.once('close', () => clearTimeout(timer))
}

/** The problem that a client gets for what Node's parser refuses. */
function parserProblem(error: ParserError): Problem {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('request_timeout', 'the request was not sent in time')
    case 'HPE_HEADER_OVERFLOW':
      return new Problem('headers_too_large', 'the headers are larger than 16 KiB')
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new Problem('body_too_large', 'the extensions of the chunks are larger than 16 KiB')
    case 'HPE_INVALID_METHOD':
      if (isRequestLine(error)) return new Problem('not_implemented', 'no address supports this method')
  }
  return new Problem('invalid_request', 'the request is not valid HTTP')
}

/** Whether the parser failed at a request line with an unknown method. */
function isRequestLine({ rawPacket, bytesParsed = 0 }: ParserError): boolean {
  if (!Buffer.isBuffer(rawPacket)) return false
  const start = bytesParsed === 0 ? 0 : rawPacket.lastIndexOf('\n', bytesParsed - 1) + 1
  return /^[A-Z]{1,32} \//.test(rawPacket.toString('latin1', start, start + 40))
}
