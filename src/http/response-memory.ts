import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'

/** Bytes of responses that clients have not read, on all connections. */
const MAX_UNREAD = 64 * 1024 * 1024
/** Smaller responses are not counted: the numbers of connections and of requests in flight limit them. */
const SMALL = 4 * 1024

export interface ResponseMemory {
  /** To be called with each response before it is sent, and the bytes of its body. */
  add: (response: ServerResponse, bytes: number) => void
  bytes: () => number
}

/**
 * Limits the memory of responses that clients have not read yet. Past the limit, it closes the connection of the oldest
 * response: its client has had the most time to read.
 * @param onClosed called for each connection that is closed
 */
export function createResponseMemory(onClosed: () => void, maxBytes = MAX_UNREAD): ResponseMemory {
  // The oldest comes first.
  const unread = new Map<ServerResponse, () => void>()
  let total = 0

  function count(response: ServerResponse, bytes: number): void {
    const release = () => {
      if (unread.delete(response)) total -= bytes
    }
    response.once('close', release)
    unread.set(response, release)
    total += bytes
  }

  return {
    add(response, bytes) {
      if (bytes < SMALL) return
      count(response, bytes)
      for (const [oldest, release] of unread) {
        if (total <= maxBytes) return
        release()
        oldest.req.socket.destroy()
        onClosed()
      }
    },
    bytes: () => total,
  }
}

declare module 'fastify' {
  interface FastifyReply {
    /** Bytes that a stream keeps in memory until the client has read it. */
    streamBytes: number
  }
}

/** Counts the responses of all routes of `app`. A stream is produced only as fast as its client reads. */
export function countResponses(app: FastifyInstance, memory: ResponseMemory): void {
  app.decorateReply('streamBytes', 0)
  app.addHook('onSend', (_request, reply, payload, done) => {
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload)
    memory.add(reply.raw, isWhole ? payload.length : reply.streamBytes)
    done(null, payload)
  })
}
