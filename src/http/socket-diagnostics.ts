import { createRepeatedProgram, type RunProgram } from '../lib/repeated-program.ts'
import { yieldEvery } from '../lib/yield-every.ts'
import { queueName, readQueues, type OnQueue, type ReadQueues } from './tcp-queues.ts'

/** A program of iproute2, which asks the kernel by a socket that Node does not have (sock_diag(7)). */
const PROGRAM = 'ss'
/** TCP, numbers in place of names, memory, no heading, a line for each connection. */
const OPTIONS = ['-t', '-n', '-m', '-H', '-O']
/** What it writes of 16,384 connections is 3 MB, and with as many as the kernel still closes for them 40 MB at most. */
const MOST_BYTES = 64 * 1024 * 1024
const MOST_MS = 10_000
/** How long it stays ready once connections take little again. */
const IDLE_MS = 60_000
/** After it has failed, as where it is missing, it is not asked for so long. */
const RETRY_MS = 60_000
/** How long an iteration of the event loop reads what it writes, in milliseconds. */
const SLICE_MS = 2
/** Before what the kernel has in memory of what has come of a connection, in bytes. */
const MEMORY = 'skmem:(r'

/**
 * Reads what the kernel has of connections as `ss` says it: of requests all that it has in memory, also what came behind bytes that are
 * missing, which the kernel's tables leave out. Where there is no such program, or it fails, the tables are read.
 * @param read for tests
 */
export function createQueueReader(read: ReadQueues = createDiagnostics()): ReadQueues {
  let retryAt = -Infinity
  return async (onQueue, wanted) => {
    if (performance.now() >= retryAt) {
      try {
        return await read(onQueue, wanted)
      } catch {
        wanted.signal.throwIfAborted()
        retryAt = performance.now() + RETRY_MS
      }
    }
    return readQueues(onQueue)
  }
}

function createDiagnostics(): ReadQueues {
  const programs = new Map<string, RunProgram>()
  return async (onQueue, { ports, signal }) => {
    const filter = filterOf(ports)
    const run =
      programs.get(filter) ?? createRepeatedProgram([PROGRAM, ...OPTIONS, filter], { runMs: MOST_MS, idleMs: IDLE_MS })
    programs.set(filter, run)
    const pause = yieldEvery(SLICE_MS)
    let [count, bytes] = [0, 0]
    const onLine = (line: string) => {
      count++
      bytes += line.length
      if (bytes > MOST_BYTES) throw new Error(`${PROGRAM} writes too much`)
      readLine(line, onQueue)
      return pause()
    }
    await run(onLine, signal)
    return count
  }
}

/** That none of other programs is read; the same for the same ports. */
function filterOf(ports: ReadonlySet<number>): string {
  return `( ${[...ports]
    .toSorted((a, b) => a - b)
    .map((port) => `sport = :${port}`)
    .join(' or ')} )`
}

/**
 * Calls back for the connection of a line, if the kernel has bytes of it.
 * @throws {Error} if it is none, as of another program of that name
 */
export function readLine(line: string, onQueue: OnQueue): void {
  const [, unread, unacknowledged, local = '', remote = '', ...details] = line.trim().split(/\s+/)
  const memory = details.find((detail) => detail.startsWith(MEMORY))
  // Of what remains of a connection that this side has closed, it says no memory.
  const [sent, received] = [Number(unacknowledged), Number.parseInt(memory?.slice(MEMORY.length) ?? unread ?? '', 10)]
  if (!(sent >= 0 && received >= 0)) throw new Error(`${PROGRAM} writes something else`)
  if (sent + received === 0) return
  const [localEnd, remoteEnd] = [endOf(local), endOf(remote)]
  const name = queueName({
    localAddress: localEnd.address,
    localPort: localEnd.port,
    remoteAddress: remoteEnd.address,
    remotePort: remoteEnd.port,
  })
  if (name !== undefined) onQueue(name, { sent, received })
}

/** `192.0.2.1:80`, `[2001:db8::1]:80`, `[fe80::1]%eth0:80` */
function endOf(end: string): { address: string; port: number } {
  const colon = end.lastIndexOf(':')
  const address = end.slice(0, colon)
  const bracket = address.indexOf(']')
  return {
    address: address.startsWith('[') && bracket !== -1 ? address.slice(1, bracket) : address,
    port: Number(end.slice(colon + 1)),
  }
}
