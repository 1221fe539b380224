import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { closeAtOnce } from './close-at-once.ts'
import { headerBytes } from './header-memory.ts'
import { createMemoryShare, type MemoryShare } from './memory-guard.ts'
import { SMALL_RESPONSE } from './response-memory.ts'
import { stopReading } from './stop-reading.ts'
import { createFairPool, slowestOf, type FairPool } from '../lib/fair-pool.ts'
import type { Holder } from '../lib/holder.ts'
import { ofMemory } from '../lib/memory-limit.ts'

/** Limits on pipelined requests (RFC 9112, 9.3.2). */
export interface PipeliningBounds {
  /** Requests of one connection in progress, besides the one whose response is next. */
  maxInFlight: number
  /** Bytes of unread responses of one connection past which none of its requests starts. */
  maxUnsent: number
  /**
   * What parsed requests take, on all connections, that wait or are in flight behind others. One read of 64 KiB can hold 2,000
   * requests of some 4 KB in memory, and Node parses what it has read to the end.
   */
  maxBytes: number
}

const defaults: PipeliningBounds = { maxInFlight: 8, maxUnsent: 64 * 1024, maxBytes: ofMemory(96 * 1024 * 1024) }
/** What a request and its response take besides the headers. */
const BYTES_OF_EXCHANGE = 4 * 1024

interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  /** What both take in memory, but for what is sent. */
  bytes: number
}

/** The requests of a connection that has more than one in flight. */
interface Pipeline {
  socket: Socket
  holder: Holder
  inFlight: Set<ServerResponse>
  waiting: Exchange[]
  /** What its requests take. */
  bytes: number
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

export interface Pipelining {
  listen: RequestListener
  share: MemoryShare
}

interface Pipelines {
  open: Map<Socket, Pipeline>
  /** Weighed by the bytes that their requests take. */
  pool: FairPool<Pipeline>
  /** To be called when what a pipeline takes has changed. */
  count: (pipeline: Pipeline) => void
}

/**
 * Passes requests on in their order, and limits how many of one connection are in flight: past the limits it stops
 * reading from the connection until the client has read responses. When those of all connections together take too much memory, also
 * in flight behind a response that its client does not read, it closes, of those of the largest holder, the connection that has waited longest.
 *
 * A connection without pipelined requests costs nothing here: Node gives a response its socket at once, unless an
 * earlier one of the same connection still has it.
 * @param handle keeps iterations of the event loop short, however many requests it gets
 */
export function createPipelining(handle: RequestListener, needs: PipeliningNeeds, bounds = defaults): Pipelining {
  const { onClosed } = needs
  const pool = createFairPool<Pipeline>({ capacity: bounds.maxBytes, choose: slowestOf })
  function leave({ socket, close }: Pipeline): void {
    onClosed()
    close()
    closeAtOnce(socket)
  }
  const pipelines: Pipelines = { open: new Map(), pool, count: createCount(pool, leave) }
  return {
    listen: createListen(handle, pipelines, needs, bounds),
    share: createMemoryShare({ pool, kinds: ['process', 'heap'], most: bounds.maxBytes, leave }),
  }
}

function createListen(
  handle: RequestListener,
  pipelines: Pipelines,
  needs: PipeliningNeeds,
  bounds: PipeliningBounds,
): RequestListener {
  const { holderOf, onWaiting } = needs
  const { start, startWaiting } = createStarts(handle, pipelines, needs, bounds)
  return (request, response) => {
    const { socket } = request
    // Node parses what it has read to the end.
    if (socket.destroyed) return
    const known = pipelines.open.get(socket)
    if (known === undefined && response.socket !== null) return handle(request, response)
    const pipeline = known ?? openPipeline(socket, holderOf(request), pipelines)
    const exchange = { request, response, bytes: BYTES_OF_EXCHANGE + headerBytes(request) }
    pipeline.bytes += exchange.bytes
    if (pipeline.waiting.length === 0 && mayStart(pipeline, bounds, exchange)) return start(pipeline, exchange)
    const waiting = pipeline.waiting.push(exchange)
    if (mustWait(exchange)) response.once('socket', startWaiting)
    if (waiting === 1) stopReading(socket)
    onWaiting()
    pipelines.count(pipeline)
  }
}

/** Counts what a pipeline takes anew, and closes the connections for which there is no memory then. */
function createCount(pool: FairPool<Pipeline>, leave: (pipeline: Pipeline) => void) {
  return (pipeline: Pipeline): void => pool.put(pipeline, pipeline.holder, pipeline.bytes).forEach(leave)
}

function createStarts(
  handle: RequestListener,
  { open, count }: Pipelines,
  { resume }: PipeliningNeeds,
  bounds: PipeliningBounds,
) {
  function start(pipeline: Pipeline, { request, response, bytes }: Exchange): void {
    const { socket, inFlight } = pipeline
    inFlight.add(response)
    pipeline.bytes += SMALL_RESPONSE
    response.once('close', () => {
      inFlight.delete(response)
      pipeline.bytes -= bytes + SMALL_RESPONSE
      if (!socket.destroyed) startWaiting(socket)
    })
    count(pipeline)
    if (!socket.destroyed) handle(request, response)
  }

  function startWaiting(socket: Socket): void {
    const pipeline = open.get(socket)
    if (pipeline === undefined) return
    for (;;) {
      const [next] = pipeline.waiting
      if (next === undefined || !mayStart(pipeline, bounds, next)) break
      pipeline.waiting.shift()
      start(pipeline, next)
    }
    if (pipeline.waiting.length > 0) return count(pipeline)
    if (pipeline.inFlight.size === 0) pipeline.close()
    else count(pipeline)
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
  const pipeline: Pipeline = { socket, holder, inFlight: new Set(), waiting: [], bytes: 0, close }
  socket.setMaxListeners(MAX_LISTENERS).on('resume', stayPaused).once('close', close)
  pipelines.open.set(socket, pipeline)
  return pipeline
}

/**
 * A body waits until all that was asked before is answered: behind a stream of events, which does not end, it would keep its part
 * of the memory of bodies, and nobody else could have that.
 */
const mustWait = ({ request: { headers }, response }: Exchange) =>
  response.socket === null && (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined)

function mayStart({ inFlight }: Pipeline, { maxInFlight, maxUnsent }: PipeliningBounds, next: Exchange): boolean {
  if (mustWait(next)) return false
  if (inFlight.size === 0) return true
  if (inFlight.size >= maxInFlight) return false
  let unsent = 0
  for (const response of inFlight) unsent += response.writableLength
  return unsent < maxUnsent
}
