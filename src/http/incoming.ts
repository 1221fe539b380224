import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Problem } from './problem.ts'

/** What the bodies of requests may take while they are read and worked on. */
export interface IncomingBounds {
  /** Bytes of all bodies together; 16 of the largest. */
  maxBytes: number
  /** What is never counted of a body: it is bounded by the number of connections. */
  small: number
  /** Pieces that every body may come in. */
  pieces: number
  /** Bytes that each further piece must bring on average. */
  pieceBytes: number
}

const usual: IncomingBounds = { maxBytes: 64 * 1024 * 1024, small: 16 * 1024, pieces: 4096, pieceBytes: 64 }

export interface Incoming {
  /** To be called with each request before its body is read. */
  watch: (request: IncomingMessage, response: ServerResponse) => void
  bytes: () => number
}

/**
 * Bounds the memory of request bodies, by their bytes in all and by the pieces of each: a chunk of one byte takes some
 * 300 in memory, and whoever waits for the whole body keeps every piece. What is past a bound is no longer read.
 * @param refuse answers a request whose body is not to be read any further
 */
export function createIncoming(
  refuse: (problem: Problem, request: IncomingMessage) => void,
  { maxBytes, small, pieces: free, pieceBytes }: IncomingBounds = usual,
): Incoming {
  // A response that waits behind another one of its connection does not close when that breaks.
  const bySocket = new Map<Socket, number>()
  let total = 0

  function add(socket: Socket, change: number): void {
    if (change === 0 || socket.destroyed) return
    if (!bySocket.has(socket)) {
      socket.once('close', () => {
        total -= bySocket.get(socket) ?? 0
        bySocket.delete(socket)
      })
    }
    bySocket.set(socket, (bySocket.get(socket) ?? 0) + change)
    total += change
  }

  function watch(request: IncomingMessage, response: ServerResponse): void {
    if (request.headers['content-length'] === undefined && request.headers['transfer-encoding'] === undefined) return
    const { socket } = request
    let pieces = 0
    let bytes = 0
    let counted = 0
    let isOver = false

    function fault(): Problem | undefined {
      if (pieces > free + bytes / pieceBytes) {
        return new Problem('body_too_large', `the body comes in more than ${free} pieces that are too small`)
      }
      if (total <= maxBytes || counted === 0) return undefined
      const headers = { 'retry-after': '5' }
      return new Problem('unavailable', 'too many large bodies are being read, try again in a moment', { headers })
    }

    const push = request.push.bind(request)
    request.push = (piece: Buffer | null, encoding) => {
      if (piece === null) return push(null)
      // Node parses what it has read to the end.
      if (isOver) return false
      pieces++
      bytes += piece.length
      const large = Math.max(0, bytes - small)
      add(socket, large - counted)
      counted = large
      const problem = fault()
      if (problem === undefined) return push(piece, encoding)
      isOver = true
      refuse(problem, request)
      return false
    }
    response.once('close', () => {
      add(socket, -counted)
      counted = 0
      isOver = true
    })
  }

  return { watch, bytes: () => total }
}
