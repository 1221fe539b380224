import type { Server, Socket } from 'node:net'
import { closeAtOnce, isUnread } from './close-at-once.ts'
import { watchConnections } from './watch-connections.ts'

/** Time-outs in milliseconds. */
export interface StallTimeouts {
  /** Since the last write to a connection. */
  idleMs: number
  /** The same while its client has not read all of it: a large response counts as written at once. */
  unreadMs: number
  /** The interval of the checks. */
  everyMs: number
}

/**
 * Closes connections without writes for a while. Node's own time-outs restart with each byte that arrives, and a client
 * may send empty lines before a request for ever (RFC 9112, 2.2).
 * @returns the open connections
 */
export function closeStalledConnections(
  server: Server,
  { idleMs, unreadMs, everyMs }: StallTimeouts,
): () => Iterable<Socket> {
  const open = new Set<Socket>()
  watchConnections(server, { onOpen: (socket) => open.add(socket), onClose: (socket) => open.delete(socket) })
  /** Of connections that a sweep has seen: most end before. */
  const seen = new WeakMap<Socket, { written: number; sweeps: number }>()
  const sweep = () => {
    for (const socket of open) {
      const { bytesWritten } = socket
      // The first sweep cannot know for how long nothing was written.
      const last = seen.get(socket)
      const state = { written: bytesWritten, sweeps: bytesWritten === last?.written ? last.sweeps + 1 : 0 }
      seen.set(socket, state)
      const timeout = isUnread(socket) ? unreadMs : idleMs
      if (state.sweeps * everyMs >= timeout) closeAtOnce(socket)
    }
  }
  const timer = setInterval(sweep, everyMs).unref()
  server.once('close', () => clearInterval(timer))
  return () => open
}
