import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { createFairPool, slowestOf } from '../lib/fair-pool.ts'
import type { Holder } from '../lib/holder.ts'
import { ofMemory } from '../lib/memory-limit.ts'
import { resetAtOnce } from './close-at-once.ts'
import { createMemoryShare, type MemoryShare } from './memory-guard.ts'

/** Bytes of responses that clients have not read, on all connections. */
const MAX_UNREAD = ofMemory(64 * 1024 * 1024)
/** Smaller responses are not counted: the number of connections limits them, and pipelining counts this for each of its own in flight. */
export const SMALL_RESPONSE = 4 * 1024

/** The bytes of the largest response that is not streamed: the statistics of many links. */
const LARGEST = 3 * 1024 * 1024

export interface ResponseMemory {
  /** To be called with each response before it is sent, and the bytes of its body. */
  add: (response: ServerResponse, bytes: number) => void
  bytes: () => number
  share: MemoryShare
}

/**
 * Limits the memory of responses that clients have not read yet, which is shared fairly. Past the limit, it closes the
 * connection of the oldest response of the largest holder: its client has had the most time to read.
 * @param onClosed called for each connection that is closed
 */
export function createResponseMemory(
  holderOf: (request: IncomingMessage) => Holder,
  onClosed: () => void,
  maxBytes = MAX_UNREAD,
): ResponseMemory {
  const unread = createFairPool<ServerResponse>({ capacity: maxBytes, choose: slowestOf })
  const leave = ({ req }: ServerResponse) => {
    resetAtOnce(req.socket)
    onClosed()
  }
  return {
    add(response, bytes) {
      // Who has left reads nothing, and nothing says so again.
      if (response.req.socket.destroyed) return
      const holder = holderOf(response.req)
      // A stream may be long, whatever of it is in memory.
      response.req.socket.reader = holder
      if (bytes < SMALL_RESPONSE) return
      response.once('close', () => unread.remove(response))
      for (const leaving of unread.put(response, holder, bytes)) leave(leaving)
    },
    bytes: unread.total,
    share: createMemoryShare({
      pool: unread,
      kinds: ['process', 'heap'],
      most: maxBytes,
      least: Math.min(maxBytes, Math.max(LARGEST, maxBytes / 8)),
      leave,
    }),
  }
}

declare module 'fastify' {
  interface FastifyReply {
    /** Bytes that a stream keeps in memory until the client has read it. */
    streamBytes: number
  }
}

/**
 * Counts the responses of all routes of `app`, and forgets the body of each request: a stream is produced only as fast as its
 * client reads, and what was parsed takes up to forty times the bytes that were sent.
 */
export function countResponses(app: FastifyInstance, memory: ResponseMemory): void {
  app.decorateReply('streamBytes', 0)
  app.addHook('onSend', (request, reply, payload, done) => {
    request.body = undefined
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload)
    memory.add(reply.raw, isWhole ? payload.length : reply.streamBytes)
    done(null, payload)
  })
}
