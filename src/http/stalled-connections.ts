import type { Server, Socket } from 'node:net'

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
  const seen = new Map<Socket, { written: number; sweeps: number }>()
  server.on('connection', (socket: Socket) => {
    seen.set(socket, { written: 0, sweeps: 0 })
    socket.once('close', () => seen.delete(socket))
  })
  const sweep = () => {
    for (const [socket, state] of seen) {
      const { bytesWritten } = socket
      state.sweeps = bytesWritten === state.written ? state.sweeps + 1 : 0
      state.written = bytesWritten
      const timeout = socket.writableLength > 0 ? unreadMs : idleMs
      if (state.sweeps * everyMs >= timeout) socket.destroy()
    }
  }
  const timer = setInterval(sweep, everyMs).unref()
  server.once('close', () => clearInterval(timer))
  return () => seen.keys()
}
