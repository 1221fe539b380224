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
}

export async function startProxy(t: Ending, path: string): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  let target = path
  let isCut = false
  let delayMs = 0
  const wire = () =>
    new Transform({
      transform(data, _encoding, pass) {
        if (delayMs === 0) pass(null, data)
        else void sleep(delayMs, undefined, { ref: false }).then(() => pass(null, data))
      },
    })
  const server = createServer((incoming) => {
    sockets.add(incoming)
    incoming.on('error', () => {})
    if (isCut) return
    const outgoing = connect(target)
    sockets.add(outgoing)
    outgoing.on('error', () => incoming.destroy())
    incoming.pipe(wire()).pipe(outgoing).pipe(wire()).pipe(incoming)
    incoming.on('close', () => outgoing.destroy())
    outgoing.on('close', () => incoming.destroy())
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
  }
}
