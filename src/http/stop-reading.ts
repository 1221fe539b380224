import type { Socket } from 'node:net'

/** Stops reading from a connection, even if its stream is paused already and Node has resumed reading nevertheless. */
export function stopReading(socket: Socket): void {
  if (socket.isPaused()) socket.emit('pause')
  else socket.pause()
}

/**
 * Has a paused connection stay so. A stream that holds less than it may, as when something was pushed back, begins another read in the
 * next tick, also while it is paused: 64 KiB of each of thousands of connections.
 */
export function keepStopped(socket: Socket): void {
  process.nextTick(() => {
    if (socket.isPaused()) stopReading(socket)
  })
}
