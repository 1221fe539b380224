import { Agent } from 'node:http'
import { connect, Socket, type LookupFunction } from 'node:net'
import { isShuttingDown } from '../http/close-at-once.ts'
import { boundReceiveBuffers } from '../http/receive-buffers.ts'

/** How long a receiver has to close its side after it was told that nothing follows; those that heed `Connection: close` have by then. */
const CLOSE_MS = 250
/** Bytes of a response that the kernel keeps before they are read. */
const RECEIVED = 32_768

declare module 'node:net' {
  interface Socket {
    /** Node's: whether its end is a reset. */
    resetAndClosing?: boolean
  }
}

export interface ConnectionTarget {
  host: string
  port: number
  lookup?: LookupFunction | undefined
}

/**
 * Opens a connection to a host that a stranger has chosen, of which nothing is left once it has ended: it ends by a reset, unless its
 * other end has closed its side, when all has come. The kernel would else keep for minutes what has come behind bytes that are missing,
 * up to 32 MB of a connection, and no process has it, while the other end acknowledges nothing.
 */
export function openConnection({ host, port, lookup }: ConnectionTarget): Socket {
  const socket = connect({ host, port, ...(lookup && { lookup }) })
  socket.destroy = destroyByReset
  socket.once('connect', () => void boundReceiveBuffers([socket], RECEIVED))
  return socket
}

function destroyByReset(this: Socket, error?: Error): Socket {
  if (this.destroyed || this.readableEnded) return Socket.prototype.destroy.call(this, error)
  // libuv does not reset it meanwhile, which takes it one iteration of the event loop.
  if (isShuttingDown(this)) return this.once('finish', () => this.destroy(error))
  // `resetAndDestroy` would wait for a connection that is being opened, and for what is still to be written.
  this.resetAndClosing = true
  return Socket.prototype.destroy.call(this, error)
}

/** After a whole response, has the receiver close its side, so that it sees no reset. To be called for what the request is written to. */
export function endInTurn(socket: Socket): void {
  socket.destroySoon = () => {
    socket.end()
    const timer = setTimeout(() => socket.destroy(), CLOSE_MS)
    socket.once('close', () => clearTimeout(timer))
  }
}

/** An agent for one request without TLS. */
export function plainAgent(): Agent {
  const agent = new Agent()
  agent.createConnection = (options) => {
    const socket = openConnection(options as ConnectionTarget)
    endInTurn(socket)
    return socket
  }
  return agent
}
