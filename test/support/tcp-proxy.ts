import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { undoLater, type Ending } from './cleanup.ts'

/** A proxy in front of a server on a Unix socket. */
export interface TcpProxy {
  port: number
  /** From now on passes nothing on, in connections that stay open: as if the network were cut. */
  cut: () => void
  /** Passes new connections on again; those that were cut stay so. */
  restore: () => void
}

export async function startProxy(t: Ending, path: string): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((incoming) => {
    sockets.add(incoming)
    incoming.on('error', () => {})
    if (isCut) return
    const outgoing = connect(path)
    sockets.add(outgoing)
    outgoing.on('error', () => incoming.destroy())
    incoming.pipe(outgoing).pipe(incoming)
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
  }
}
