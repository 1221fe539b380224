import type { Socket } from 'node:net'
import { createFairPool, slowestOf } from '../lib/fair-pool.ts'
import { asHolder, type Holder } from '../lib/holder.ts'
import { ofMemory } from '../lib/memory-limit.ts'
import { clientOf } from './client-address.ts'
import { closeAtOnce } from './close-at-once.ts'
import { stopReading } from './stop-reading.ts'

/** After a longer iteration of the event loop (milliseconds), one connection is read in the next. */
const LONG_ITERATION_MS = 4
/** Connections that are paused with bytes that were read and not parsed; these keep all of one read in memory, up to 64 KiB. */
const MOST_UNPARSED = ofMemory(1024)
/** Of trusted proxies, whose connections are of many clients. */
const MOST_UNPARSED_OF_PROXIES = ofMemory(4096)
/** How long those are parsed in an iteration that have not waited for it, in milliseconds. */
const UNASKED_MS = 2

export interface PausedConnections {
  /** Pauses a connection; it is resumed in a turn of its network, after those of its client that were added before. */
  add: (socket: Socket) => void
  remove: (socket: Socket) => void
  /**
   * Whether what was read of a connection, and taken from its stream, may be parsed at once: it was resumed, or the iteration of the event
   * loop has time.
   */
  mayParse: (socket: Socket) => boolean
}

export interface PausedNeeds {
  /** Called for each connection that is closed, because more have unparsed bytes than memory is for. */
  onClosed?: () => void
  /** Whether a connection is a trusted proxy's: those are of many clients, and do not give way to others. */
  isProxied?: (socket: Socket) => boolean
  mostUnparsed?: number
}

/**
 * Resumes paused connections, as many in an iteration of the event loop as leave it short. Networks take turns: whoever keeps a thousand
 * connections full of requests would else let a visitor wait until each of them is read, and be refused as late by then.
 */
export function createPausedConnections(needs: PausedNeeds = {}): PausedConnections {
  const paused = createFairPool<Socket>({ capacity: Infinity })
  const unparsed = createUnparsed(needs)
  /** Those that were resumed last. */
  const resumed = new Set<Socket>()
  const hasTime = createIterationTime()
  const resumeLater = createTurns(paused.length, (count) => {
    resumed.clear()
    for (let remaining = count; remaining > 0; remaining--) {
      const socket = paused.take()
      if (socket === undefined) break
      resumed.add(socket)
      socket.resume()
    }
  })

  return {
    add(socket) {
      // Stops at once, even if the event loop has found the connection readable in this iteration.
      stopReading(socket)
      const holder = asHolder(clientOf(socket.remoteAddress ?? ''))
      paused.put(socket, holder)
      resumeLater()
      if (socket.readableLength > 0) unparsed.add(socket, holder)
    },
    remove(socket) {
      paused.remove(socket)
      unparsed.remove(socket)
      resumed.delete(socket)
    },
    mayParse(socket) {
      // Not before: of one that is resumed, nothing is parsed while its pipelined requests wait.
      if (socket.readableLength === 0) unparsed.remove(socket)
      const isInTime = hasTime()
      return resumed.delete(socket) || isInTime
    },
  }
}

/** Closes connections of the largest holders where more have unparsed bytes than memory is for. */
function createUnparsed({ onClosed, isProxied, mostUnparsed = MOST_UNPARSED }: PausedNeeds) {
  const direct = createFairPool<Socket>({ capacity: mostUnparsed, choose: slowestOf })
  const proxied = createFairPool<Socket>({ capacity: MOST_UNPARSED_OF_PROXIES })
  return {
    add(socket: Socket, holder: Holder): void {
      const pool = isProxied?.(socket) === true ? proxied : direct
      for (const leaving of pool.put(socket, holder)) {
        onClosed?.()
        closeAtOnce(leaving)
      }
    },
    remove: (socket: Socket) => void (direct.remove(socket) || proxied.remove(socket)),
  }
}

/**
 * @param length how many wait
 * @param resume resumes the first of them
 * @returns to be called when one begins to wait
 */
function createTurns(length: () => number, resume: (count: number) => void): () => void {
  let isScheduled = false
  let batch = 1
  let last = 0

  function resumeSome(): void {
    const now = performance.now()
    batch = now - last > LONG_ITERATION_MS ? 1 : batch + 1
    last = now
    resume(Math.min(batch, length()))
    isScheduled = length() > 0
    if (isScheduled) setImmediate(resumeSome)
  }

  return () => {
    if (isScheduled) return
    isScheduled = true
    last = performance.now()
    setImmediate(resumeSome)
  }
}

/** @returns whether the iteration of the event loop has time, which begins with the first call in it */
function createIterationTime(): () => boolean {
  let end = 0
  const reset = () => (end = 0)
  return () => {
    const now = performance.now()
    if (end === 0) {
      end = now + UNASKED_MS
      setImmediate(reset)
    }
    return now < end
  }
}
