import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { closeAtOnce } from './close-at-once.ts'
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
}

const defaults: PipeliningBounds = { maxInFlight: 8, maxUnsent: 64 * 1024, maxWaiting: 24_576 }

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
  /** Called for each request that waits. */
  onWaiting: () => void
  /** Called when a connection may be read from again. */
  resume: (socket: Socket) => void
}

interface Pipelines {
  open: Map<Socket, Pipeline>
  /** Weighed by their waiting requests. */
  pool: FairPool<Pipeline>
}

/**
 * Passes requests on in their order, and limits how many of one connection are in flight: past the limits it stops
 * reading from the connection until the client has read responses. When too many requests wait on all connections together,
 * it closes, of those of the largest holder, the connection that has waited longest.
 *
 * A connection without pipelined requests costs nothing here: Node gives a response its socket at once, unless an
 * earlier one of the same connection still has it.
 * @param handle keeps iterations of the event loop short, however many requests it gets
 */
export function createPipelining(handle: RequestListener, needs: PipeliningNeeds, bounds = defaults): RequestListener {
  const { holderOf, onClosed, onWaiting } = needs
  const pool = createFairPool<Pipeline>({ capacity: bounds.maxWaiting, choose: slowestOf })
  const pipelines: Pipelines = { open: new Map(), pool }
  const { start, startWaiting } = createStarts(handle, pipelines, needs, bounds)

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
    if (mustWait(exchange)) response.once('socket', startWaiting)
    if (waiting === 1) stopReading(socket)
    onWaiting()
    for (const leaving of pool.put(pipeline, pipeline.holder, waiting)) {
      onClosed()
      leaving.close()
      closeAtOnce(leaving.socket)
    }
  }
}

function createStarts(
  handle: RequestListener,
  { open, pool }: Pipelines,
  { resume }: PipeliningNeeds,
  bounds: PipeliningBounds,
) {
  function start(socket: Socket, pipeline: Pipeline, [request, response]: Exchange): void {
    pipeline.inFlight.add(response)
    response.once('close', () => {
      pipeline.inFlight.delete(response)
      if (!socket.destroyed) startWaiting(socket)
    })
    handle(request, response)
  }

  function startWaiting(socket: Socket): void {
    const pipeline = open.get(socket)
    if (pipeline === undefined) return
    for (;;) {
      const [next] = pipeline.waiting
      if (next === undefined || !mayStart(pipeline, bounds, next)) break
      pipeline.waiting.shift()
      start(socket, pipeline, next)
    }
    pool.remove(pipeline)
    if (pipeline.waiting.length > 0) return void pool.put(pipeline, pipeline.holder, pipeline.waiting.length)
    if (pipeline.inFlight.size === 0) pipeline.close()
    if (socket.isPaused()) resume(socket)
  }

  return { start, startWaiting }
}

/** Each request in flight may listen for the end of its connection, in its queue or while it waits for statistics; ten is for one. */
const MAX_LISTENERS = 32

function openPipeline(socket: Socket, holder: Holder, pipelines: Pipelines): Pipeline {
  function close(): void {
    pipelines.pool.remove(pipeline)
    pipeline.waiting = []
    pipelines.open.delete(socket)
    socket.off('resume', stayPaused).off('close', close)
  }
  // Node resumes reading on its own, for the body of the next request.
  function stayPaused(): void {
    if (pipeline.waiting.length > 0) stopReading(socket)
  }
  const pipeline: Pipeline = { socket, holder, inFlight: new Set(), waiting: [], close }
  socket.setMaxListeners(MAX_LISTENERS).on('resume', stayPaused).once('close', close)
  pipelines.open.set(socket, pipeline)
  return pipeline
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
