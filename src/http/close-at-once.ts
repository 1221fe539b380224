import type { Socket } from 'node:net'

declare module 'node:net' {
  interface Socket {
    /** Node's: what was accepted, of a connection that is encrypted. */
    _parent?: Socket | null
    /** Bytes that its client has not acknowledged, as far as `tcp-queues.ts` has looked. */
    unreadBytes?: number
  }
}

/** Whether a client has not read all that was written to its connection, as far as that is known. */
export function isUnread({ writableLength, unreadBytes = 0 }: Socket): boolean {
  return writableLength > 0 || unreadBytes > 0
}

/**
 * Closes a connection whose requests nobody waits for, and by a reset where its client has not read all: the kernel would else hold
 * megabytes for it, for minutes after the close. For each request Node makes an error, whose stack would be most of the work of a flood
 * of connections with hundreds of them.
 */
export function closeAtOnce(socket: Socket): void {
  if (isUnread(socket)) return resetAtOnce(socket)
  makeNoStacks(socket)
  socket.destroy()
}

/** Closes a connection by a reset, after which the kernel holds nothing of it, whatever its client has read. */
export function resetAtOnce(socket: Socket): void {
  makeNoStacks(socket)
  const accepted = socket._parent ?? socket
  if (mayReset(socket) && mayReset(accepted)) accepted.resetAndDestroy()
  socket.destroy()
}

/** Nor has Node a reset for what is not TCP. */
export function mayReset(socket: Socket): boolean {
  return !socket.destroyed && socket.remoteAddress !== undefined && !isShuttingDown(socket)
}

/** libuv does not reset a connection while it is being shut down, and Node would not close it then. */
export function isShuttingDown({ connecting, writableEnded, writableFinished, writableLength }: Socket): boolean {
  return !connecting && writableEnded && !writableFinished && writableLength === 0
}

function makeNoStacks(socket: Socket): void {
  if (socket.destroyed) return
  let limit = 0
  // Node's own listener, which makes the errors, runs between these.
  socket.prependOnceListener('close', () => {
    limit = Error.stackTraceLimit
    Error.stackTraceLimit = 0
  })
  socket.once('close', () => (Error.stackTraceLimit = limit))
}
