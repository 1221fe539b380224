import type { Server, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Metric } from './metric.ts'
import { openFiles, openFilesLimit } from './open-files.ts'

/** Even where more files may be open: a connection takes some 10 KB. */
const MAX_CONNECTIONS = 16_384
/** File descriptors reserved for everything else: the journal, databases, threads, outgoing requests. */
const RESERVE = 64
/** Listening sockets of one server, where there are enough file descriptors. */
const SOCKETS = 64

/** Limits the connections of several servers together. */
export interface ConnectionLimit {
  /** The number of sockets that a server should listen on. */
  sockets: number
  /** Makes a listening socket close new connections unread while the limit is reached. */
  enforce: (socket: Server) => void
  /** Counts the connections of a server, whichever socket accepted them. */
  count: (server: Server) => void
  metrics: Metric[]
}

/** @param max connections that may be open; by default, what the limit of open files allows */
export function createConnectionLimit(max = defaultMax()): ConnectionLimit {
  const sockets = new Set<Server>()
  let open = 0
  let refused = 0

  function add(change: number): void {
    const wasFull = open >= max
    open += change
    const isFull = open >= max
    if (isFull === wasFull) return
    for (const socket of sockets) socket.maxConnections = isFull ? 0 : max
  }

  return {
    sockets: max > 10 * SOCKETS ? SOCKETS : 1,
    enforce(socket) {
      sockets.add(socket)
      socket.maxConnections = open >= max ? 0 : max
      socket.on('drop', () => refused++)
    },
    count(server) {
      server.prependListener('connection', (socket: Partial<TLSSocket> & Socket) => {
        // The TCP connection below it was counted.
        if (socket.encrypted === true) return
        add(1)
        socket.once('close', () => add(-1))
      })
    },
    metrics: [
      { name: 'quirl_connections', help: 'Open connections of clients', type: 'gauge', read: () => open },
      {
        name: 'quirl_connections_refused_total',
        help: 'Connections closed at once because too many were open',
        type: 'counter',
        read: () => refused,
      },
    ],
  }
}

/** What remains of the limit of open files without the reserve, or half of it where little remains. */
function defaultMax(): number {
  const available = openFilesLimit() - openFiles()
  return Math.max(1, Math.min(MAX_CONNECTIONS, available - Math.min(RESERVE, Math.ceil(available / 2))))
}
