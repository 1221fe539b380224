import type { Server, Socket } from 'node:net'

/** When a connection is closed, in milliseconds. */
export interface Stillness {
  /** Since something was written to it. */
  afterMs: number
  /** The same while its client has not taken all of that: a large response counts as written at once. */
  unreadMs: number
  /** How often connections are looked at. */
  everyMs: number
}

/**
 * Closes connections to which nothing has been written for a while. Node's own time-outs begin anew with each byte that
 * arrives, and a client may send line ends before a request for ever (RFC 9112, 2.2).
 */
export function closeStillConnections(server: Server, { afterMs, unreadMs, everyMs }: Stillness): void {
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
      const most = socket.writableLength > 0 ? unreadMs : afterMs
      if (state.sweeps * everyMs >= most) socket.destroy()
    }
  }
  const timer = setInterval(sweep, everyMs).unref()
  server.once('close', () => clearInterval(timer))
}
