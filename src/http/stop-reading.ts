import type { Socket } from 'node:net'

/** Stops reading from a connection, even if its stream is paused already and Node has resumed reading nevertheless. */
export function stopReading(socket: Socket): void {
  if (socket.isPaused()) socket.emit('pause')
  else socket.pause()
}
