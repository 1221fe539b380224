import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { Transform } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { undoLater, type Ending } from './cleanup.ts'

/** A proxy in front of a server on a Unix socket: a network that fails. */
export interface TcpProxy {
  port: number
  /** From now on passes nothing on, in connections that stay open: as if the network were cut. */
  cut: () => void
  /** Passes new connections on again; those that were cut stay so. */
  restore: () => void
  /** Delays what is passed on, in each direction. */
  delay: (ms: number) => void
  /** Passes new connections on to another server, as the name of a server that moves does. */
  pointTo: (path: string) => void
  /** Breaks all connections, and has new ones fail in one way; undefined passes them on again. */
  fail: (how: ProxyFault | undefined) => void
  /** How many connections have been accepted. */
  accepted: () => number
}

/**
 * How a new connection fails: it is closed, or reset, once it is accepted; it hangs without an answer; it answers until it is
 * ready for statements, and no more (`half-open`), or that it lets nobody in (`fatal`).
 */
export type ProxyFault = 'close' | 'reset' | 'hang' | 'half-open' | 'fatal'

export const proxyFaults: ProxyFault[] = ['close', 'reset', 'hang', 'half-open', 'fatal']

/** ErrorResponse of PostgreSQL (https://www.postgresql.org/docs/current/protocol-message-formats.html). */
function fatalResponse(): Buffer {
  const fields = Buffer.from('SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0')
  const head = Buffer.alloc(5, 'E')
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}

/** The beginning of ReadyForQuery. */
const READY = Buffer.from('5a00000005', 'hex')

export async function startProxy(t: Ending, path: string): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  let target = path
  let isCut = false
  let delayMs = 0
  let fault: ProxyFault | undefined
  let accepted = 0
  const wire = () =>
    new Transform({
      transform(data, _encoding, pass) {
        if (delayMs === 0) pass(null, data)
        else void sleep(delayMs, undefined, { ref: false }).then(() => pass(null, data))
      },
    })
  /** Passes on what the server sends until the connection is ready, and no more. */
  const untilReady = () => {
    let isReady = false
    return new Transform({
      transform(data: Buffer, _encoding, pass) {
        if (isReady) return pass()
        isReady = data.includes(READY)
        pass(null, data)
      },
    })
  }
  const server = createServer((incoming) => {
    accepted++
    sockets.add(incoming)
    incoming.on('error', () => {}).on('close', () => sockets.delete(incoming))
    if (isCut || fault === 'hang') return
    if (fault === 'close') return void incoming.destroy()
    if (fault === 'reset') return void incoming.resetAndDestroy()
    if (fault === 'fatal') return void incoming.once('data', () => incoming.write(fatalResponse()))
    const outgoing = connect(target)
    sockets.add(outgoing)
    outgoing.on('error', () => incoming.destroy())
    const back = fault === 'half-open' ? untilReady() : wire()
    incoming.pipe(wire()).pipe(outgoing).pipe(back).pipe(incoming)
    incoming.on('close', () => outgoing.destroy())
    outgoing.on('close', () => {
      sockets.delete(outgoing)
      incoming.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  undoLater(t, () => {
    for (const each of sockets) each.destroy()
    server.close()
  })
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true
      for (const each of sockets) each.unpipe().pause()
    },
    restore: () => void (isCut = false),
    delay: (ms) => void (delayMs = ms),
    pointTo: (next) => void (target = next),
    fail(how) {
      fault = how
      for (const each of sockets) each.destroy()
    },
    accepted: () => accepted,
  }
}
