import type { Socket } from 'node:net'

/**
 * Closes a connection whose requests nobody waits for. For each of them Node makes an error, whose stack would be most of the work of
 * a flood of connections with hundreds of requests.
 */
export function closeAtOnce(socket: Socket): void {
  let limit = 0
  // Node's own listener, which makes them, runs between these.
  socket.prependOnceListener('close', () => {
    limit = Error.stackTraceLimit
    Error.stackTraceLimit = 0
  })
  socket.once('close', () => (Error.stackTraceLimit = limit))
  socket.destroy()
}
