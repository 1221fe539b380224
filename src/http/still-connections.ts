import type { Server, Socket } from 'node:net'

/**
 * Closes connections to which nothing has been written for `afterMs` milliseconds. Node's own time-outs begin anew with
 * each byte that arrives, and a client may send line ends before a request for ever (RFC 9112, 2.2).
 */
export function closeStillConnections(
  server: Server,
  { afterMs, everyMs }: { afterMs: number; everyMs: number },
): void {
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
      if (state.sweeps * everyMs >= afterMs) socket.destroy()
    }
  }
  const timer = setInterval(sweep, everyMs).unref()
  server.once('close', () => clearInterval(timer))
}
