import type { Socket } from 'node:net'

/** Stops reading a connection, also where its stream is paused already and Node has begun to read all the same. */
export function stopReading(socket: Socket): void {
  if (socket.isPaused()) socket.emit('pause')
  else socket.pause()
}
