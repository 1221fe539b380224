import type { Server, Socket } from 'node:net'
import { createFairPool } from '../lib/fair-pool.ts'
import { asHolder } from '../lib/holder.ts'
import { clientOf } from './client-address.ts'
import { stopReading } from './stop-reading.ts'
import { watchConnections } from './watch-connections.ts'

/** Bytes that are parsed without a break: some 100 small requests. */
const SLICE = 4 * 1024
/** After a longer iteration of the event loop (milliseconds), one connection is read in the next. */
const LONG_ITERATION_MS = 4

type Parse = (this: Socket, chunk: Buffer) => void

/**
 * Shares reading among connections, once one of them has sent many requests at once. Node parses all of one read, up to
 * 64 KiB or 2,000 requests, for each readable connection before it serves any other: twenty of them block the event loop
 * for half a second. From then on, the connections that are open are parsed in slices, and read from again a few at a
 * time. Until then they cost nothing.
 * @param paused those that are read from again
 * @returns to be called when a connection sends many requests at once
 */
export function createSlicedReads(server: Server, paused: PausedConnections): (socket: Socket) => void {
  /** Connections that Node's parser reads without slices. */
  const unsliced = new Set<Socket>()

  watchConnections(server, {
    onOpen: (socket) => unsliced.add(socket),
    onClose: (socket) => unsliced.delete(socket) || paused.remove(socket),
  })

  return (flooding) => {
    // A connection that is parsed in slices already delays the others little.
    if (!unsliced.has(flooding)) return
    for (const socket of unsliced) paused.add(socket)
    // The parser must finish the current read first.
    const sockets = [...unsliced]
    unsliced.clear()
    setImmediate(() => {
      for (const socket of sockets) readInSlices(socket, paused.add)
    })
  }
}

export interface PausedConnections {
  /** Pauses a connection; it is resumed in a turn of its network, after those of its client that were added before. */
  add: (socket: Socket) => void
  remove: (socket: Socket) => void
}

/**
 * Resumes paused connections, as many in an iteration of the event loop as leave it short. Networks take turns: whoever keeps a thousand
 * connections full of requests would else let a visitor wait until each of them is read, and be refused as late by then.
 */
export function createPausedConnections(): PausedConnections {
  const paused = createFairPool<Socket>({ capacity: Infinity })
  let isScheduled = false
  let batch = 1
  let lastResume = 0

  function resumeSome(): void {
    const now = performance.now()
    batch = now - lastResume > LONG_ITERATION_MS ? 1 : batch + 1
    lastResume = now
    for (let remaining = Math.min(batch, paused.length()); remaining > 0; remaining--) paused.take()?.resume()
    isScheduled = paused.length() > 0
    if (isScheduled) setImmediate(resumeSome)
  }

  return {
    add(socket) {
      // Stops at once, even if the event loop has found the connection readable in this iteration.
      stopReading(socket)
      paused.put(socket, asHolder(clientOf(socket.remoteAddress ?? '')))
      if (isScheduled) return
      isScheduled = true
      lastResume = performance.now()
      setImmediate(resumeSome)
    },
    remove: (socket) => void paused.remove(socket),
  }
}

/**
 * Node passes what it reads to its parser directly, unless a listener wants the connection's data.
 * @param pause pauses a connection, and resumes it later
 */
function readInSlices(socket: Socket, pause: (socket: Socket) => void): void {
  const [parse] = socket.listeners('data') as [Parse?]
  if (parse === undefined || socket.destroyed) return
  socket.off('data', parse)
  socket.on('data', (chunk: Buffer) => {
    parse.call(socket, chunk.subarray(0, SLICE))
    if (chunk.length <= SLICE || socket.destroyed) return
    pause(socket)
    socket.unshift(chunk.subarray(SLICE))
  })
  // The stream waits for a read that went to the parser instead: an empty push ends it, so that the stream starts another.
  socket.push(Buffer.alloc(0))
}
