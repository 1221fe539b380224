import { Server as HttpServer, type IncomingMessage } from 'node:http'
import { Socket, type Server } from 'node:net'
import { createFairPool, type FairPool } from '../lib/fair-pool.ts'
import { asHolder, type Holder } from '../lib/holder.ts'
import { ofMemory } from '../lib/memory-limit.ts'
import type { ClientAddress } from './client-address.ts'
import { mayReset, resetAtOnce } from './close-at-once.ts'
import type { Metric } from './metric.ts'
import { createMemoryShare, type MemoryShare } from './memory-guard.ts'
import { openFiles, openFilesLimit } from './open-files.ts'
import { watchConnections } from './watch-connections.ts'

/** Even where more files may be open: a connection takes some 15 KiB, and 20 more while headers, or the first of a body, arrive. */
const MAX_CONNECTIONS = ofMemory(16_384)
/** From which part of the memory on they give way, before all else: it is their clients who lose least. */
const GIVE_WAY_FROM = 0.6
/**
 * How many there may be at least while what the kernel has for them is short. It keeps what has come behind bytes that are missing, up to
 * 32 MiB of a connection (`net.ipv4.tcp_rmem`), and no table says of which; where `ss` does
 * (`socket-diagnostics.ts`), those give way long before.
 */
const LEAST_FOR_SOCKETS = 8
/** For how many others an encrypted connection counts, which takes some 60 KiB, and 20 more before its handshake is over. */
const ENCRYPTED_WEIGHT = 3
/** File descriptors reserved for everything else: the journal, databases, threads, outgoing requests. */
const RESERVE = 64
/** Listening sockets of one server, where there are enough file descriptors. */
const SOCKETS = 64
/** Connections of which the idlest is chosen, those that opened first: a flood of them must not make each one cost more. */
const CANDIDATES = 64

declare module 'node:net' {
  interface Socket {
    /** Whether it has been reset in place of being closed. */
    isReset?: boolean
  }
}

/** Limits the connections of several servers together. */
export interface ConnectionLimit {
  /** The number of sockets that a server should listen on. */
  sockets: number
  /**
   * Counts the connections of a server, whichever socket accepted them, and closes the idlest one of the largest holder for each
   * that there are too many.
   */
  count: (server: Server) => void
  /** Those that are to be decrypted. */
  undecrypted: () => Iterable<Socket>
  /** Sets what tells how the connections are. */
  observe: (given: Partial<ConnectionState>) => void
  shares: readonly MemoryShare[]
  metrics: Metric[]
}

export interface ConnectionState {
  /**
   * Since when a connection has no request in progress, by `performance.now()`; infinite while it has one, and undefined for one that
   * has sent no request yet.
   */
  restingSince: RestingSince
  /** Whether the connections of the machine take so much memory that one that is closed is to leave nothing. */
  isCrowded: () => boolean
}

export type RestingSince = (socket: Socket) => number | undefined

export interface ConnectionLimitNeeds {
  client: ClientAddress
  /** Connections that may be open at most; by default, what the limit of open files allows. */
  max?: number
  /** How late, in milliseconds, a timer must be for connections to be looked at that send too much for what it says. */
  lateMs?: number
  /** How many of them there is memory for, of which an encrypted one takes that of several. */
  memory?: number
}

interface Connection {
  /** What was accepted, which has the file descriptor. */
  accepted: Socket
  /** The same, or what decrypts it. */
  socket: Socket
  since: number
  /** The address and port of the client, where the connection is to be decrypted. */
  peer: string | undefined
  weight: number
}

export function createConnectionLimit(needs: ConnectionLimitNeeds): ConnectionLimit {
  const { client, max = defaultMax(), memory = MAX_CONNECTIONS, lateMs = LATE_MS } = needs
  let state: ConnectionState = { restingSince: () => undefined, isCrowded: () => false }
  const idleSince = ({ socket, since }: Connection) => state.restingSince(socket) ?? since
  const destroyed = createDestroy(() => state.isCrowded())
  const pool = createFairPool({ capacity: memory, entries: max, choose: idlestBy(idleSince) })
  const room = createRoom(pool, memory)
  const holderOf = createHolders(client)
  const connections = createOpenConnections()
  let refused = 0

  const refuse = (connection: Connection) => (refused++, destroy(connection))

  function add(accepted: Socket, isEncrypted: boolean): void {
    if (hasLeft(accepted)) return void accepted.destroy()
    const connection = connections.add(accepted, isEncrypted)
    const { holder, isProxy } = holderOf(accepted)
    if (isProxy) room.keep(connection).forEach(refuse)
    else accepted.destroy = destroyed
    pool.put(connection, holder, connection.weight).forEach(refuse)
    if (isProxy) pool.keep(connection)
  }

  function remove(accepted: Socket): void {
    const connection = connections.remove(accepted)
    if (connection === undefined) return
    pool.remove(connection)
    room.leave(connection)
  }

  return {
    sockets: max > 10 * SOCKETS ? SOCKETS : 1,
    count(server) {
      const isEncrypted = !(server instanceof HttpServer)
      const open = (socket: Socket) => ('encrypted' in socket ? connections.decrypt(socket) : add(socket, isEncrypted))
      watchConnections(server, { onOpen: open, onClose: remove }, true)
      if (isEncrypted) closeHollow(server, connections.all, lateMs)
    },
    undecrypted: connections.undecrypted,
    observe: (given) => (state = { ...state, ...given }),
    shares: sharesOf(room, memory, refuse),
    metrics: metricsOf(pool.length, () => refused),
  }
}

/** The memory for connections, of which less may be for those that give way; a trusted proxy's do not, and are of many clients. */
function createRoom(pool: Pick<FairPool<Connection>, 'resize' | 'total'>, most: number) {
  const kept = new Set<Connection>()
  const limits: { forOthers: number }[] = []
  let ofKept = 0
  const apply = () => pool.resize(Math.min(most, ...limits.map(({ forOthers }) => forOthers + ofKept)))
  return {
    /** Each limit holds, whatever the others are. */
    limited() {
      const limit = { forOthers: most }
      limits.push(limit)
      return {
        total: () => pool.total() - ofKept,
        resize(to: number): readonly Connection[] {
          limit.forOthers = to
          return apply()
        },
      }
    },
    /** To be called before a connection is put that will be kept. */
    keep(connection: Connection): readonly Connection[] {
      kept.add(connection)
      ofKept += connection.weight
      return apply()
    },
    /** To be called after one was removed. */
    leave(connection: Connection): void {
      if (!kept.delete(connection)) return
      ofKept -= connection.weight
      apply()
    },
  }
}

type Room = ReturnType<typeof createRoom>

function sharesOf(room: Room, most: number, leave: (connection: Connection) => void): MemoryShare[] {
  const shared = () => ({ pool: room.limited(), from: GIVE_WAY_FROM, most, leave })
  return [
    createMemoryShare({ ...shared(), kinds: ['process', 'heap', 'tcp'] }),
    createMemoryShare({ ...shared(), kinds: ['sockets'], isAlone: true, least: LEAST_FOR_SOCKETS }),
  ]
}

function destroy({ accepted, socket }: Pick<Connection, 'accepted' | 'socket'>): void {
  resetAtOnce(socket)
  accepted.destroy()
}

/**
 * Once a connection is closed, the kernel keeps for minutes what has come of a request besides what it lacks of it, megabytes that no
 * table says (`net.ipv4.tcp_rmem`), while its client acknowledges nothing; after a reset, or once a client has closed its side, it does
 * not.
 * @returns a method of a connection
 */
function createDestroy(isCrowded: () => boolean) {
  return function destroy(this: Socket, error?: Error): Socket {
    const isReset = error === undefined && !this.readableEnded && isCrowded() && this.isReset !== true
    if (!isReset || !mayReset(this)) return Socket.prototype.destroy.call(this, error)
    this.isReset = true
    return this.resetAndDestroy()
  }
}

function createOpenConnections() {
  const open = new Map<Socket, Connection>()
  /** By the address and port of the client, those that are to be decrypted. */
  const encrypted = new Map<string, Connection>()
  return {
    add(accepted: Socket, isEncrypted: boolean): Connection {
      const peer = isEncrypted ? peerOf(accepted) : undefined
      const weight = isEncrypted ? ENCRYPTED_WEIGHT : 1
      const connection = { accepted, socket: accepted, since: performance.now(), peer, weight }
      open.set(accepted, connection)
      if (peer !== undefined) encrypted.set(peer, connection)
      return connection
    },
    all: () => open.values(),
    undecrypted: () => Array.from(open.values()).flatMap((each) => (isUndecrypted(each) ? each.accepted : [])),
    /** Notes what decrypts a connection, which was added. */
    decrypt(socket: Socket): void {
      const connection = encrypted.get(peerOf(socket))
      if (connection !== undefined) connection.socket = socket
    },
    /** @returns undefined for what decrypts a connection */
    remove(accepted: Socket): Connection | undefined {
      const connection = open.get(accepted)
      open.delete(accepted)
      if (connection?.peer !== undefined) encrypted.delete(connection.peer)
      return connection
    },
  }
}

/** How often the event loop is looked at, and by how much it must be late. */
const LOOK_MS = 200
const LATE_MS = 50
/** What the handshake, and records of a usual size, add to what is said at most; half of that may come besides. */
const HANDSHAKE_BYTES = 64 * 1024

/**
 * While the event loop is late, closes connections that have sent far more than it decrypts to: OpenSSL works through all that has
 * come of one, updates of keys (RFC 8446, 4.6.3) and records of a byte, before any other is served. Otherwise it costs nothing.
 */
function closeHollow(server: Server, connections: () => Iterable<Connection>, lateMs: number): void {
  let due = performance.now() + LOOK_MS
  const look = () => {
    const late = performance.now() - due
    due = performance.now() + LOOK_MS
    if (late < lateMs) return
    for (const { accepted, socket } of connections()) {
      const said = socket.bytesRead
      if (socket === accepted || accepted.bytesRead <= HANDSHAKE_BYTES + 1.5 * said) continue
      destroy({ accepted, socket })
    }
  }
  const timer = setInterval(look, LOOK_MS).unref()
  server.once('close', () => clearInterval(timer))
}

function metricsOf(open: () => number, refused: () => number): Metric[] {
  return [
    { name: 'quirl_connections', help: 'Open connections of clients', type: 'gauge', read: open },
    {
      name: 'quirl_connections_refused_total',
      help: 'Connections closed because too many were open',
      type: 'counter',
      read: refused,
    },
  ]
}

/** Whether its client has reset it already: what that has sent would be carried out for nobody, and count for all such clients together. */
const hasLeft = ({ remoteAddress }: Socket) => remoteAddress === undefined

const isUndecrypted = ({ accepted, socket, peer }: Connection) => peer !== undefined && socket === accepted

const peerOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`

/** The connections of a trusted proxy are of many clients: each counts by itself, and none gives way to others. */
function createHolders({ of, isProxied }: ConnectionLimitNeeds['client']) {
  let proxied = 0
  return (socket: Socket): { holder: Holder; isProxy: boolean } => {
    const peer = { socket, headers: {} } as IncomingMessage
    const isProxy = isProxied(peer)
    return { holder: asHolder(isProxy ? `proxy ${++proxied}` : of(peer)), isProxy }
  }
}

function idlestBy(idleSince: (connection: Connection) => number) {
  return (connections: Iterable<Connection>): Connection | undefined => {
    let [idlest, longest, seen]: [Connection | undefined, number, number] = [undefined, Infinity, 0]
    for (const connection of connections) {
      const since = idleSince(connection)
      if (idlest === undefined || since < longest) [idlest, longest] = [connection, since]
      if (++seen === CANDIDATES) break
    }
    return idlest
  }
}

/** What remains of the limit of open files without the reserve, or half of it where little remains. */
function defaultMax(): number {
  const available = openFilesLimit() - openFiles()
  return Math.max(1, Math.min(MAX_CONNECTIONS, available - Math.min(RESERVE, Math.ceil(available / 2))))
}
