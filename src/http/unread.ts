import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'

/** Bytes of responses that clients have not taken, on all connections. */
const MAX_UNREAD = 64 * 1024 * 1024
/** Smaller responses are bounded by the number of connections and of requests in flight on each. */
const SMALL = 4 * 1024

export interface Unread {
  /** To be called with each response before it is sent, and the bytes of its body. */
  add: (response: ServerResponse, bytes: number) => void
  bytes: () => number
}

/**
 * Bounds the memory of responses that have been made and not been read. Past the bound, the connection whose response has
 * been waiting longest is closed: its client had the most time to read.
 * @param onClosed called with each connection that is closed
 */
export function createUnread(onClosed: () => void, maxBytes = MAX_UNREAD): Unread {
  // The oldest comes first.
  const held = new Map<ServerResponse, () => void>()
  let total = 0

  function hold(response: ServerResponse, bytes: number): void {
    const release = () => {
      if (held.delete(response)) total -= bytes
    }
    response.once('close', release)
    held.set(response, release)
    total += bytes
  }

  return {
    add(response, bytes) {
      if (bytes < SMALL) return
      hold(response, bytes)
      for (const [oldest, release] of held) {
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
    /** What is held in memory until a stream has been read, in bytes; of one that reads as it goes, nothing. */
    held: number
  }
}

/** Counts what each route of `app` sends. A stream is read only as fast as its client reads. */
export function boundUnread(app: FastifyInstance, unread: Unread): void {
  app.decorateReply('held', 0)
  app.addHook('onSend', (_request, reply, payload, done) => {
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload)
    unread.add(reply.raw, isWhole ? payload.length : reply.held)
    done(null, payload)
  })
}
