import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { stopReading } from './stop-reading.ts'
import { createFairPool, slowestOf, type FairPool } from '../lib/fair-pool.ts'
import type { Holder } from '../lib/holder.ts'

/** Limits on pipelined requests (RFC 9112, 9.3.2). */
export interface PipeliningBounds {
  /** Requests of one connection in progress, besides the one whose response is next. */
  maxInFlight: number
  /** Bytes of unread responses of one connection past which none of its requests starts. */
  maxUnsent: number
  /**
   * Parsed requests that wait, on all connections. One read of 64 KiB can hold 2,000 requests of some 4 KB in memory, and
   * Node parses what it has read to the end.
   */
  maxWaiting: number
  /** Waiting requests of one connection past which `onMany` is called. */
  many: number
  /** How long waiting requests are started in one iteration of the event loop, in milliseconds. */
  sliceMs: number
}

const defaults: PipeliningBounds = { maxInFlight: 8, maxUnsent: 64 * 1024, maxWaiting: 24_576, many: 64, sliceMs: 2 }

type Exchange = [request: IncomingMessage, response: ServerResponse]

/** The requests of a connection that has more than one in flight. */
interface Pipeline {
  socket: Socket
  holder: Holder
  inFlight: Set<ServerResponse>
  waiting: Exchange[]
  /** Drops the waiting requests. */
  close: () => void
}

export interface PipeliningNeeds {
  holderOf: (request: IncomingMessage) => Holder
  /** Called for each connection that is closed. */
  onClosed: () => void
  /** Called when a connection has sent many requests at once. */
  onMany: (socket: Socket) => void
}

interface Pipelines {
  open: Map<Socket, Pipeline>
  /** Weighed by their waiting requests. */
  pool: FairPool<Pipeline>
  /** Connections that may start another request. */
  ready: Set<Socket>
}

/**
 * Passes requests on in their order, and limits how many of one connection are in flight: past the limits it stops
 * reading from the connection until the client has read responses. Waiting requests are started for a short time in each
 * iteration of the event loop, so that other connections are served as well. When too many requests wait on all
 * connections together, it closes, of those of the largest holder, the connection that has waited longest.
 *
 * A connection without pipelined requests costs nothing here: Node gives a response its socket at once, unless an
 * earlier one of the same connection still has it.
 */
export function createPipelining(
  handle: RequestListener,
  { holderOf, onClosed, onMany }: PipeliningNeeds,
  bounds = defaults,
): RequestListener {
  const pool = createFairPool<Pipeline>({ capacity: bounds.maxWaiting, choose: slowestOf })
  const pipelines: Pipelines = { open: new Map(), pool, ready: new Set() }
  const onReady = createDrain(pipelines, bounds, start)

  function start(socket: Socket, pipeline: Pipeline, [request, response]: Exchange): void {
    pipeline.inFlight.add(response)
    response.once('close', () => {
      pipeline.inFlight.delete(response)
      if (!socket.destroyed) onReady(socket)
    })
    handle(request, response)
  }

  return (request, response) => {
    const { socket } = request
    // Node parses what it has read to the end.
    if (socket.destroyed) return
    const known = pipelines.open.get(socket)
    if (known === undefined && response.socket !== null) return handle(request, response)
    const pipeline = known ?? openPipeline(socket, holderOf(request), pipelines)
    const exchange: Exchange = [request, response]
    if (pipeline.waiting.length === 0 && mayStart(pipeline, bounds, exchange)) return start(socket, pipeline, exchange)
    const waiting = pipeline.waiting.push(exchange)
    if (mustWait(exchange)) response.once('socket', onReady)
    if (waiting === 1) stopReading(socket)
    if (waiting === bounds.many) onMany(socket)
    for (const leaving of pool.put(pipeline, pipeline.holder, waiting)) {
      onClosed()
      leaving.close()
      leaving.socket.destroy()
    }
  }
}

function openPipeline(socket: Socket, holder: Holder, pipelines: Pipelines): Pipeline {
  function close(): void {
    pipelines.pool.remove(pipeline)
    pipeline.waiting = []
    pipelines.open.delete(socket)
    pipelines.ready.delete(socket)
    socket.off('resume', stayPaused).off('close', close)
  }
  // Node resumes reading on its own, for the body of the next request.
  function stayPaused(): void {
    if (pipeline.waiting.length > 0) stopReading(socket)
  }
  const pipeline: Pipeline = { socket, holder, inFlight: new Set(), waiting: [], close }
  socket.on('resume', stayPaused).once('close', close)
  pipelines.open.set(socket, pipeline)
  return pipeline
}

type Start = (socket: Socket, pipeline: Pipeline, exchange: Exchange) => void

/** @returns to be called with each connection that may start another request */
function createDrain(pipelines: Pipelines, bounds: PipeliningBounds, start: Start): (socket: Socket) => void {
  const { open, ready, pool } = pipelines
  /** Connections without waiting requests, to be read from again. */
  const drained = new Set<Socket>()
  let isScheduled = false

  function drain(): void {
    isScheduled = false
    const end = performance.now() + bounds.sliceMs
    for (const socket of ready) {
      ready.delete(socket)
      const pipeline = open.get(socket)
      if (pipeline === undefined) continue
      startWaiting(socket, pipeline)
      if (performance.now() >= end) break
    }
    resumeOne(drained)
    schedule()
  }

  function startWaiting(socket: Socket, pipeline: Pipeline): void {
    for (;;) {
      const [next] = pipeline.waiting
      if (next === undefined || !mayStart(pipeline, bounds, next)) break
      pipeline.waiting.shift()
      start(socket, pipeline, next)
    }
    pool.remove(pipeline)
    if (pipeline.waiting.length > 0) return void pool.put(pipeline, pipeline.holder, pipeline.waiting.length)
    if (pipeline.inFlight.size === 0) pipeline.close()
    drained.add(socket)
  }

  function schedule(): void {
    if (isScheduled || ready.size + drained.size === 0) return
    isScheduled = true
    setImmediate(drain)
  }

  return (socket) => {
    ready.add(socket)
    schedule()
  }
}

/** Parsing one read takes many milliseconds, so that one connection is resumed in an iteration of the event loop. */
function resumeOne(sockets: Set<Socket>): void {
  for (const socket of sockets) {
    sockets.delete(socket)
    socket.resume()
    return
  }
}

/**
 * A body waits until all that was asked before is answered: behind a stream of events, which does not end, it would keep its part
 * of the memory of bodies, and nobody else could have that.
 */
const mustWait = ([{ headers }, response]: Exchange) =>
  response.socket === null && (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined)

function mayStart({ inFlight }: Pipeline, { maxInFlight, maxUnsent }: PipeliningBounds, next: Exchange): boolean {
  if (mustWait(next)) return false
  if (inFlight.size === 0) return true
  if (inFlight.size >= maxInFlight) return false
  let unsent = 0
  for (const response of inFlight) unsent += response.writableLength
  return unsent < maxUnsent
}
