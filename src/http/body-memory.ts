import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { createFairPool, slowestOf, type FairPool } from '../lib/fair-pool.ts'
import type { Holder } from '../lib/holder.ts'
import { ofMemory } from '../lib/memory-limit.ts'
import { createMemoryShare, type MemoryShare } from './memory-guard.ts'
import { Problem } from './problem.ts'

/** Limits on the memory of request bodies while they are read and processed. */
export interface BodyBounds {
  /** Bytes that all bodies take together; 16 of the largest, with little memory fewer. */
  maxBytes: number
  /** What of it is left while memory runs short; four of the largest, so that a stranger's few leave room for another one, or two. */
  leastBytes: number
  /** The first bytes that each body takes, which are not counted: the number of connections limits them. */
  uncounted: number
  /** What a chunk takes besides its bytes. */
  bytesOfChunk: number
  /** In steps of so many bytes bodies are counted, because a chunk may be of one. */
  step: number
  /** Chunks that every body may have. */
  freeChunks: number
  /** The average size that each further chunk must have, in bytes. */
  chunkBytes: number
}

/** The bytes of the largest body: a list of links. */
const LARGEST = 4 * 1024 * 1024

const defaults: BodyBounds = {
  maxBytes: ofMemory(16 * LARGEST, 4 * LARGEST),
  leastBytes: ofMemory(4 * LARGEST, 2 * LARGEST),
  uncounted: 16 * 1024,
  bytesOfChunk: 400,
  step: 16 * 1024,
  // A line of a table each, which programs that generate one send.
  freeChunks: 1024,
  chunkBytes: 512,
}

declare module 'node:http' {
  interface IncomingMessage {
    /** To be called when the work of a request begins: from then on its body gives way to no other. */
    onWork?: () => void
  }
}

export interface BodyMemory {
  /** To be called with each request before its body is read. */
  watch: (request: IncomingMessage, response: ServerResponse) => void
  bytes: () => number
  share: MemoryShare
}

export interface BodyNeeds {
  holderOf: (request: IncomingMessage) => Holder
  /** Responds to a request whose body must not be read further. */
  refuse: (problem: Problem, request: IncomingMessage) => void
  /** The same to a request that gives way, also if it was refused before: what was read of it must be out of memory soon. */
  giveWay: (problem: Problem, request: IncomingMessage) => void
}

/**
 * Limits the memory of request bodies: what all of them take, which is shared fairly, and the number of chunks of each,
 * because a chunk of one byte takes some 400 in memory, and a reader of the whole body keeps all chunks. Past the bytes, of the
 * bodies of the largest holder that are not being worked on, the one that has waited longest gives way: for a chunk, or for its
 * client to read the response.
 */
export function createBodyMemory(needs: BodyNeeds, bounds: BodyBounds = defaults): BodyMemory {
  const pool = createFairPool<Body>({ capacity: bounds.maxBytes, choose: slowestOf })
  const bodiesOf = createBodiesBySocket(pool)
  return {
    watch(request, response) {
      const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
      if (length === undefined && encoding === undefined) return
      watchBody(request, response, { pool, bodiesOf, bounds, ...needs })
    },
    bytes: pool.total,
    share: createMemoryShare({
      pool,
      kinds: ['process', 'heap'],
      most: bounds.maxBytes,
      least: bounds.leastBytes,
      leave: (body) => body.giveWay(),
    }),
  }
}

declare module 'node:net' {
  interface Socket {
    /** Those that are read from an HTTP connection; here, and not in a WeakMap, for the reason that `latestResponse` has. */
    requestBodies?: Set<Body>
  }
}

interface Body {
  chunks: number
  bytes: number
  /** What of it counts in the pool. */
  counted: number
  /** Nothing of it is read any more. */
  isDone: boolean
  giveWay: () => void
}

/** The bodies of each connection, which leave the pool with it: a response that waits behind another one does not close when their connection breaks. */
function createBodiesBySocket(pool: FairPool<Body>): (socket: Socket) => Set<Body> {
  return (socket) => {
    if (socket.requestBodies === undefined) {
      const opened = (socket.requestBodies = new Set())
      socket.once('close', () => opened.forEach(pool.remove))
    }
    return socket.requestBodies
  }
}

interface Watch extends BodyNeeds {
  pool: FairPool<Body>
  bodiesOf: (socket: Socket) => Set<Body>
  bounds: BodyBounds
}

function watchBody(request: IncomingMessage, response: ServerResponse, watch: Watch): void {
  const { pool, bounds, refuse } = watch
  const body: Body = {
    chunks: 0,
    bytes: 0,
    counted: 0,
    isDone: false,
    giveWay() {
      body.isDone = true
      watch.giveWay(tooMany(), request)
    },
  }
  request.onWork = () => pool.keep(body)
  const push = request.push.bind(request)
  request.push = (chunk: Buffer | null, encoding) => {
    if (chunk === null) return push(null)
    // Node parses what it has read to the end.
    if (body.isDone) return false
    body.chunks++
    body.bytes += chunk.length
    const problem = exceedsChunks(body, bounds) ?? count(body, request, watch)
    if (problem === undefined) return push(chunk, encoding)
    body.isDone = true
    refuse(problem, request)
    return false
  }
  onBegin(response, () => {
    // The work is done: the body stays in memory only for as long as the client takes to read, and gives way from now on.
    if (!body.isDone && pool.remove(body)) pool.put(body, watch.holderOf(request), body.counted)
  })
  response.once('close', () => {
    pool.remove(body)
    watch.bodiesOf(request.socket).delete(body)
    body.isDone = true
  })
}

/** Calls back when the headers of a response are sent. */
function onBegin(response: ServerResponse, begin: () => void): void {
  const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => ServerResponse
  response.writeHead = (...args: unknown[]) => {
    begin()
    return writeHead(...args)
  }
}

/** What of a body counts. */
function countedOf({ bytes, chunks }: Body, { bytesOfChunk, uncounted, step }: BodyBounds): number {
  return Math.ceil((bytes + chunks * bytesOfChunk - uncounted) / step) * step
}

function exceedsChunks({ chunks, bytes }: Body, { freeChunks, chunkBytes }: BodyBounds): Problem | undefined {
  if (chunks <= freeChunks + bytes / chunkBytes) return undefined
  return new Problem('body_too_large', `the body has more than ${freeChunks} chunks that are too small`)
}

/** Counts a body with its next chunk; a problem when there is no room for that. */
function count(body: Body, request: IncomingMessage, watch: Watch): Problem | undefined {
  const { pool, bounds, bodiesOf, holderOf } = watch
  const { socket } = request
  const [before, counted] = [body.counted, countedOf(body, bounds)]
  if (counted <= before || socket.destroyed) return undefined
  body.counted = counted
  bodiesOf(socket).add(body)
  const holder = holderOf(request)
  const leaving = pool.put(body, holder, counted)
  for (const each of leaving) if (each !== body) each.giveWay()
  if (!leaving.includes(body)) return undefined
  // What was read before stays in memory while the client reads the response, unless another has need of it.
  pool.put(body, holder, before)
  return tooMany()
}

function tooMany(): Problem {
  const headers = { 'retry-after': '1' }
  return new Problem('unavailable', 'too many large bodies are being read, try again in a moment', { headers })
}
