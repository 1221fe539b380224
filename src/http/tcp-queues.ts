import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import type { Socket } from 'node:net'
import { endianness } from 'node:os'
import ipaddr from 'ipaddr.js'
import { withoutZone } from '../lib/without-zone.ts'
import { yieldEvery } from '../lib/yield-every.ts'

/** The kernel's tables of TCP connections (proc(5)), and how many characters one address and port of each take. */
const TABLES = [
  { file: '/proc/self/net/tcp', width: '0100007F:1F90'.length },
  { file: '/proc/self/net/tcp6', width: '00000000000000000000000001000000:1F90'.length },
]
/** The kernel returns a page of them at a time. */
const READ_BYTES = 4096
/** How long an iteration of the event loop reads them, in milliseconds. */
const SLICE_MS = 2

/** Bytes that the kernel has of a connection. */
export interface Queue {
  /** Of responses, which the other end has not acknowledged. */
  sent: number
  /** Of requests, which quirl has not read. */
  received: number
}

/** @param name as by `queueName` */
export type OnQueue = (name: string, queue: Queue) => void

export interface QueuesWanted {
  /** The ports of the connections on this side, where only those are wanted. */
  ports: ReadonlySet<number>
  /** Ends it. */
  signal: AbortSignal
}

/**
 * Calls back for each connection of those that the kernel has bytes of, and may for others.
 * @returns how many it has read of in all
 */
export type ReadQueues = (onQueue: OnQueue, wanted: QueuesWanted) => Promise<number>

/** What all connections of the machine may take before the kernel takes from all of them (tcp(7), `tcp_mem`), in bytes. */
export function tcpPressure(): number {
  const [, pages] = readKernel('/proc/sys/net/ipv4/tcp_mem').split(/\s+/).map(Number)
  return pages === undefined ? Infinity : pageSize() * pages
}

/** Empty on other systems than Linux, and where a unit may not see it. */
export function readKernel(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

/** Bytes of memory that all TCP connections of the machine take in the kernel; 0 where it does not say. */
export function tcpMemory(): number {
  const [, pages = 0] = /^TCP: .* mem (\d+)$/m.exec(readKernel('/proc/self/net/sockstat')) ?? []
  return Number(pages) * pageSize()
}

/** The entry of the auxiliary vector with the size of a page (getauxval(3)). */
const AT_PAGESZ = 6n

let page: number | undefined

/** The bytes of a page, in which the kernel counts memory. */
function pageSize(): number {
  return (page ??= readPageSize())
}

function readPageSize(): number {
  const entries = new BigUint64Array(Uint8Array.from(readFileSync('/proc/self/auxv')).buffer)
  for (let at = 0; at + 1 < entries.length; at += 2) if (entries[at] === AT_PAGESZ) return Number(entries[at + 1])
  return 4096
}

/** Both ends of a connection. */
type Ends = Pick<Socket, 'localAddress' | 'localPort' | 'remoteAddress' | 'remotePort'>

/** What the kernel's tables call a connection. */
export function queueName({ localAddress, localPort, remoteAddress, remotePort }: Ends): string | undefined {
  if (localAddress === undefined || remoteAddress === undefined) return undefined
  return `${endName(localAddress, localPort)} ${endName(remoteAddress, remotePort)}`
}

function endName(address: string, port = 0): string {
  const bytes = Buffer.from(ipaddr.parse(withoutZone(address)).toByteArray())
  // The kernel writes each four bytes as a number of its own.
  if (endianness() === 'LE') bytes.swap32()
  return `${bytes.toString('hex')}:${port.toString(16).padStart(4, '0')}`.toUpperCase()
}

/**
 * Calls back for each connection of the machine that the kernel has bytes of, in slices of time.
 * @returns how many there are
 */
export async function readQueues(onQueue: OnQueue): Promise<number> {
  let count = 0
  for (const { file, width } of TABLES) {
    await readLines(file, (line) => {
      count++
      const start = line.indexOf(': ') + 2
      const end = start + 2 * width + 1
      // A space, the state, a space.
      const [sent, received] = [end + 4, end + 13].map((at) => Number.parseInt(line.slice(at, at + 8), 16))
      if (sent !== undefined && received !== undefined && sent + received > 0)
        onQueue(line.slice(start, end), { sent, received })
    })
  }
  return count
}

async function readLines(file: string, onLine: (line: string) => void): Promise<void> {
  const descriptor = openSync(file, 'r')
  const pause = yieldEvery(SLICE_MS)
  try {
    const buffer = Buffer.allocUnsafe(READ_BYTES)
    let rest = ''
    for (;;) {
      const length = readSync(descriptor, buffer, 0, READ_BYTES, null)
      if (length === 0) return
      const lines = (rest + buffer.toString('latin1', 0, length)).split('\n')
      rest = lines.pop() ?? ''
      lines.forEach(onLine)
      await pause()
    }
  } finally {
    closeSync(descriptor)
  }
}
