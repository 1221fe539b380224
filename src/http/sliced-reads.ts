import type { Server, Socket } from 'node:net'
import { stopReading } from './stop-reading.ts'

/** Bytes of requests that are parsed at a stretch: some 100 small requests. */
const SLICE = 4 * 1024
/** After a turn of the event loop that was longer (milliseconds), one connection is read in the next. */
const LONG_TURN = 4

type Parse = (this: Socket, chunk: Buffer) => void

/**
 * Divides what is read among connections, from the moment on that one of them brings many requests at once. Node parses
 * all of what one read has brought, up to 64 KiB or 2,000 requests, and does so for each connection that has something to
 * read before it serves any other: twenty of them hold the event loop for half a second. Connections that are open at that
 * moment are parsed in slices from then on, and are read again a few at a time. Until then they cost nothing.
 * @returns to be called when a connection brings many requests at once
 */
export function createSlicedReads(server: Server): (socket: Socket) => void {
  /** Connections whose reads go to Node's parser whole. */
  const whole = new Set<Socket>()
  /** Connections to read from again. */
  const held = new Set<Socket>()
  let scheduled = false
  let atOnce = 1
  let lastTurn = 0

  function hold(socket: Socket): void {
    // Stops reading at once, also where the event loop has found the connection readable in this turn.
    stopReading(socket)
    held.add(socket)
    if (scheduled) return
    scheduled = true
    lastTurn = performance.now()
    setImmediate(turn)
  }

  function turn(): void {
    const now = performance.now()
    atOnce = now - lastTurn > LONG_TURN ? 1 : atOnce + 1
    lastTurn = now
    let left = atOnce
    for (const socket of held) {
      if (left-- === 0) break
      held.delete(socket)
      socket.resume()
    }
    scheduled = held.size > 0
    if (scheduled) setImmediate(turn)
  }

  server.on('connection', (socket: Socket) => {
    whole.add(socket)
    socket.once('close', () => whole.delete(socket) || held.delete(socket))
  })

  return (flooding) => {
    // Of one that is parsed in slices already, the others feel little.
    if (!whole.has(flooding)) return
    for (const socket of whole) hold(socket)
    // The one whose read is being parsed keeps its parser until that is done.
    const slice = [...whole]
    whole.clear()
    setImmediate(() => {
      for (const socket of slice) readInSlices(socket, hold)
    })
  }
}

/**
 * Node hands what it reads to its parser directly, unless somebody listens to the connection's data.
 * @param hold pauses a connection, and resumes it in its turn
 */
function readInSlices(socket: Socket, hold: (socket: Socket) => void): void {
  const [parse] = socket.listeners('data') as [Parse?]
  if (parse === undefined || socket.destroyed) return
  socket.off('data', parse)
  socket.on('data', (chunk: Buffer) => {
    parse.call(socket, chunk.subarray(0, SLICE))
    if (chunk.length <= SLICE || socket.destroyed) return
    hold(socket)
    socket.unshift(chunk.subarray(SLICE))
  })
  // The stream waits for a read that went to the parser instead: this ends it, so that the stream begins another.
  socket.push(Buffer.alloc(0))
}
