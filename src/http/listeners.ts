import { createServer, type AddressInfo, type Server } from 'node:net'
import { boundReceiveBuffers } from './receive-buffers.ts'

/** Connections that wait at each socket until they are accepted. */
const BACKLOG = 64
/** Bytes of each connection that the kernel keeps for what quirl has not read yet: as many as it lets any program ask for (`net.core.rmem_max`). */
const RECEIVED = 212_992

/** The address that a server listens on; `port` 0 takes any free one. */
export interface ListenAddress {
  host: string
  port: number
}

export interface ListenOptions extends ListenAddress {
  /** The number of sockets. */
  sockets: number
  /** Whether a client may close its side first, as Node's HTTP server allows. */
  allowHalfOpen: boolean
  /** Whether other processes may listen on the same port. */
  reusePort: boolean
}

/**
 * Makes a server listen on several sockets of the same port. libuv accepts one connection per socket in an iteration of
 * the event loop (its pull request 3696). With one socket, a thousand connections that open at the same time, and whose
 * requests make every iteration long, delay every other client by as many iterations. Only Linux spreads connections over
 * sockets (SO_REUSEPORT); elsewhere there is one.
 * @param listen makes `server` itself listen with the given options
 * @returns the port, and `close` for the other sockets, which resolves when their last connection has ended
 */
export async function listenOnSockets(
  server: Server,
  { host, port, sockets, allowHalfOpen, reusePort }: ListenOptions,
  listen: (options: { host: string; port: number; backlog?: number; reusePort?: boolean }) => Promise<unknown>,
): Promise<{ port: number; close: () => Promise<void> }> {
  const portOf = (each: Server) => (each.address() as AddressInfo).port
  if (process.platform !== 'linux' || sockets === 1) {
    await listen({ host, port, ...(reusePort && { reusePort }) }).catch(explain)
    void boundReceiveBuffers([server], RECEIVED)
    return { port: portOf(server), close: async () => {} }
  }
  // A shared port never fails as taken, even when another process listens on it: an exclusive socket finds out.
  if (port !== 0 && !reusePort) await requireFreePort(host, port)
  const shared = { host, backlog: BACKLOG, reusePort: true }
  await listen({ ...shared, port }).catch(explain)
  const others: Server[] = []
  // A socket that is closed already is no error.
  const closeOne = (each: Server) => new Promise<void>((resolve) => void each.close(() => resolve()))
  const close = () => Promise.all(others.map(closeOne)).then(() => {})
  for (let count = 1; count < sockets; count++) {
    const other = createServer({ allowHalfOpen, noDelay: true }, (socket) => void server.emit('connection', socket))
    others.push(other)
    await listening(other, { ...shared, port: portOf(server) }).catch(async (error: unknown) => {
      await close()
      throw error
    })
  }
  void boundReceiveBuffers([server, ...others], RECEIVED)
  let closed: Promise<void> | undefined
  return { port: portOf(server), close: () => (closed ??= close()) }
}

function explain(error: NodeJS.ErrnoException): never {
  if (error.code !== 'ENOTSUP') throw error
  throw new Error('this system does not let processes share a port (SO_REUSEPORT)', { cause: error })
}

async function requireFreePort(host: string, port: number): Promise<void> {
  const probe = createServer()
  await listening(probe, { host, port })
  await new Promise((resolve) => probe.close(resolve))
}

function listening(server: Server, options: object): Promise<void> {
  return new Promise((resolve, reject) => server.once('error', reject).listen(options, resolve))
}
