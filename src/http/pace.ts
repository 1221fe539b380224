import type { Socket } from 'node:net'
import { stopReading } from './stop-reading.ts'

/** Requests of single connections that are begun in one turn of the event loop before the next ones rest. */
const PER_TURN = 64

/** Node resumes a connection when a response is done. */
function stayPaused(this: Socket): void {
  stopReading(this)
}

/** Told of each request that has begun, and its connection. */
export type Pace = (socket: Socket) => void

/**
 * Keeps turns of the event loop short however many connections ask again and again: past so many requests in a turn, the
 * connections that have just had one rest, and so many of them are read from again in each of the next turns. Nobody has to
 * wait for longer than without it, and new connections wait for short turns instead of long ones.
 */
export function createPace(perTurn = PER_TURN): Pace {
  const resting = new Set<Socket>()
  let begun = 0
  let isScheduled = false

  function turn(): void {
    isScheduled = false
    begun = 0
    let left = perTurn
    for (const socket of resting) {
      if (left-- === 0) break
      resting.delete(socket)
      socket.off('resume', stayPaused)
      socket.resume()
    }
    if (resting.size > 0) schedule()
  }

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(turn)
  }

  return (socket) => {
    schedule()
    if (++begun <= perTurn || socket.destroyed) return
    if (resting.has(socket)) return
    resting.add(socket)
    stopReading(socket)
    socket.on('resume', stayPaused)
  }
}
