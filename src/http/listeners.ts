import { createServer, type AddressInfo, type Server } from 'node:net'

/** Connections that wait at each socket for being accepted. */
const BACKLOG = 64

/** What is listened on; `port` 0 takes any. */
export interface Place {
  host: string
  port: number
}

/** How a server listens. */
export interface Listening extends Place {
  /** On how many sockets. */
  sockets: number
  /** Whether a client may end its side first, as Node's HTTP server lets it. */
  allowHalfOpen: boolean
  /** Called with each socket that accepts connections. */
  onSocket: (socket: Server) => void
}

/**
 * Makes a server listen on several sockets of the same port. libuv accepts one connection of each socket in a turn of the
 * event loop (its pull request 3696): with one socket, a thousand connections that open at once, and then keep each turn
 * long by what they ask for, keep every other client waiting for as many turns. Where the system cannot spread connections
 * over sockets (SO_REUSEPORT: Linux can), there is one.
 * @param listen makes `server` itself listen, as it is told
 * @returns the port, and what closes the other sockets: it resolves when the last connection of theirs has ended
 */
export async function listenOften(
  server: Server,
  { host, port, sockets, allowHalfOpen, onSocket }: Listening,
  listen: (options: { host: string; port: number; backlog?: number; reusePort?: boolean }) => Promise<unknown>,
): Promise<{ port: number; close: () => Promise<void> }> {
  onSocket(server)
  const portOf = (each: Server) => (each.address() as AddressInfo).port
  if (process.platform !== 'linux' || sockets === 1) {
    await listen({ host, port })
    return { port: portOf(server), close: async () => {} }
  }
  // Sockets that share a port say nothing of one that somebody else shares with them: this one does.
  if (port !== 0) await listenAlone(host, port)
  const shared = { host, backlog: BACKLOG, reusePort: true }
  await listen({ ...shared, port })
  const others: Server[] = []
  // A socket that is closed already is no error.
  const closeOne = (each: Server) => new Promise<void>((resolve) => void each.close(() => resolve()))
  const close = () => Promise.all(others.map(closeOne)).then(() => {})
  for (let count = 1; count < sockets; count++) {
    const other = createServer({ allowHalfOpen, noDelay: true }, (socket) => void server.emit('connection', socket))
    onSocket(other)
    others.push(other)
    await listening(other, { ...shared, port: portOf(server) }).catch(async (error: unknown) => {
      await close()
      throw error
    })
  }
  let closed: Promise<void> | undefined
  return { port: portOf(server), close: () => (closed ??= close()) }
}

async function listenAlone(host: string, port: number): Promise<void> {
  const probe = createServer()
  await listening(probe, { host, port })
  await new Promise((resolve) => probe.close(resolve))
}

function listening(server: Server, options: object): Promise<void> {
  return new Promise((resolve, reject) => server.once('error', reject).listen(options, resolve))
}
