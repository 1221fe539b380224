import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Problem } from './problem.ts'

/** Limits on the memory of request bodies while they are read and processed. */
export interface BodyBounds {
  /** Bytes of all bodies together; 16 of the largest. */
  maxBytes: number
  /** The first bytes of each body, which are not counted: the number of connections limits them. */
  uncounted: number
  /** Chunks that every body may have. */
  freeChunks: number
  /** The average size that each further chunk must have, in bytes. */
  chunkBytes: number
}

const defaults: BodyBounds = { maxBytes: 64 * 1024 * 1024, uncounted: 16 * 1024, freeChunks: 4096, chunkBytes: 64 }

export interface BodyMemory {
  /** To be called with each request before its body is read. */
  watch: (request: IncomingMessage, response: ServerResponse) => void
  bytes: () => number
}

/**
 * Limits the memory of request bodies: the bytes of all of them, and the number of chunks of each, because a chunk of one
 * byte takes some 300 in memory, and a reader of the whole body keeps all chunks. Reading stops at a limit.
 * @param refuse responds to a request whose body must not be read further
 */
export function createBodyMemory(
  refuse: (problem: Problem, request: IncomingMessage) => void,
  bounds: BodyBounds = defaults,
): BodyMemory {
  const usage = createUsage()
  return {
    watch(request, response) {
      const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
      if (length !== undefined || encoding !== undefined) watchBody(request, response, { usage, bounds, refuse })
    },
    bytes: usage.total,
  }
}

interface Usage {
  add: (socket: Socket, change: number) => void
  total: () => number
}

/** Counts bytes by connection: a response that waits behind another one does not close when their connection breaks. */
function createUsage(): Usage {
  const bySocket = new Map<Socket, number>()
  let total = 0
  return {
    add(socket, change) {
      if (change === 0 || socket.destroyed) return
      if (!bySocket.has(socket)) {
        socket.once('close', () => {
          total -= bySocket.get(socket) ?? 0
          bySocket.delete(socket)
        })
      }
      bySocket.set(socket, (bySocket.get(socket) ?? 0) + change)
      total += change
    },
    total: () => total,
  }
}

interface Watch {
  usage: Usage
  bounds: BodyBounds
  refuse: (problem: Problem, request: IncomingMessage) => void
}

function watchBody(request: IncomingMessage, response: ServerResponse, { usage, bounds, refuse }: Watch): void {
  const { socket } = request
  const body = { chunks: 0, bytes: 0, counted: 0 }
  let isDone = false
  const push = request.push.bind(request)
  request.push = (chunk: Buffer | null, encoding) => {
    if (chunk === null) return push(null)
    // Node parses what it has read to the end.
    if (isDone) return false
    body.chunks++
    body.bytes += chunk.length
    const counted = Math.max(0, body.bytes - bounds.uncounted)
    usage.add(socket, counted - body.counted)
    body.counted = counted
    const problem = exceeded(body, usage, bounds)
    if (problem === undefined) return push(chunk, encoding)
    isDone = true
    refuse(problem, request)
    return false
  }
  response.once('close', () => {
    usage.add(socket, -body.counted)
    body.counted = 0
    isDone = true
  })
}

function exceeded(
  { chunks, bytes, counted }: { chunks: number; bytes: number; counted: number },
  usage: Usage,
  { freeChunks, chunkBytes, maxBytes }: BodyBounds,
): Problem | undefined {
  if (chunks > freeChunks + bytes / chunkBytes) {
    return new Problem('body_too_large', `the body has more than ${freeChunks} chunks that are too small`)
  }
  if (usage.total() <= maxBytes || counted === 0) return undefined
  return new Problem('unavailable', 'too many large bodies are being read, try again in a moment')
}
