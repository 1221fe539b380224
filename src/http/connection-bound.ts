import { readdirSync, readFileSync } from 'node:fs'
import type { Server, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Metric } from './metrics.ts'

/** However many files may be open: a connection takes some 10 KB. */
const MAX_CONNECTIONS = 16_384
/** Files that may still be opened when all connections are taken: the journal, databases, threads, requests to others. */
const RESERVE = 64
/** Of one server, where there are files enough. */
const SOCKETS = 64

/** Bounds the connections of several servers together. */
export interface ConnectionBound {
  /** On how many sockets a server should listen. */
  sockets: number
  /** Past the bound, a socket that listens closes new connections unread. */
  bound: (socket: Server) => void
  /** Counts the connections of a server, whichever socket accepted them. */
  count: (server: Server) => void
  metrics: Metric[]
}

/** @param max how many may be open; what the process may still open, when it is not given */
export function createConnectionBound(max = usualBound()): ConnectionBound {
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
    bound(socket) {
      sockets.add(socket)
      socket.maxConnections = open >= max ? 0 : max
      socket.on('drop', () => refused++)
    },
    count(server) {
      server.prependListener('connection', (socket: Partial<TLSSocket> & Socket) => {
        // Below it is a connection that was counted.
        if (socket.encrypted === true) return
        add(1)
        socket.once('close', () => add(-1))
      })
    },
    metrics: [
      { name: 'quirl_connections', help: 'Open connections of clients', type: 'gauge', read: () => open },
      {
        name: 'quirl_connections_refused_total',
        help: 'Connections closed at once because as many were open as may be',
        type: 'counter',
        read: () => refused,
      },
    ],
  }
}

/** Below the limit of open files; half of what is left of it, where that is little. */
function usualBound(): number {
  const left = openFilesLimit() - openFiles()
  return Math.max(1, Math.min(MAX_CONNECTIONS, left - Math.min(RESERVE, Math.ceil(left / 2))))
}

/** Node has raised the soft limit to the hard one. Without /proc nobody says. */
function openFilesLimit(): number {
  try {
    return Number(/^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? Infinity)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

function openFiles(): number {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return 0
  }
}
