import { createServer, type Server, type Socket } from 'node:net'
import { createSecureContext, createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { createHelloReader, type ClientHello } from './client-hello.ts'
import { Problem } from '../http/problem.ts'
import { problemResponse } from '../http/raw-problem.ts'
import { clientOf } from '../http/client-address.ts'
import { asHolder } from '../lib/holder.ts'
import { createSlices } from '../lib/in-slices.ts'
import type { Held } from './hold.ts'

/** Limits for connections before their handshake. */
export interface ListenerLimits {
  /** How long the ClientHello may take to arrive. */
  helloMs: number
  /** How long a connection may wait for a certificate. */
  holdMs: number
}

const defaultLimits: ListenerLimits = { helloMs: 5000, holdMs: 30_000 }

/** In how many chunks a ClientHello may arrive; one or two are usual. */
const MAX_CHUNKS = 200

/** How long the handshake after the ClientHello may take. */
const HANDSHAKE_MS = 10_000

/** Only authenticated encryption with forward secrecy; all certificates are ECDSA. */
const ciphers = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
].join(':')

/**
 * The key agreements that clients have in common, as far as this OpenSSL knows them. It knows others that cost it up to five times
 * as much, and no client needs.
 */
const groups = ['X25519MLKEM768', 'X25519', 'P-256', 'P-384'].filter(isKnown).join(':')

function isKnown(group: string): boolean {
  try {
    createSecureContext({ ecdhCurve: group })
    return true
  } catch {
    return false
  }
}

/** Takes over a connection whose ClientHello has been read and unshifted. */
export type Accept = (socket: Socket) => void

/** The key material of one name, PEM. */
export interface Identity {
  key: string
  chain: string
}

/** The TLS server of one certificate. */
export interface Acceptor {
  accept: Accept
  /** Encrypts the session tickets of later handshakes by another key. */
  setTicketKey: (key: Buffer) => void
}

/**
 * @param ticketKey encrypts the name's session tickets
 * @param onSecure called after each handshake
 */
export function createAcceptor(
  { key, chain }: Identity,
  ticketKey: Buffer,
  onSecure: (socket: TLSSocket) => void,
): Acceptor {
  const server = createTlsServer({
    key,
    cert: chain,
    minVersion: 'TLSv1.2',
    ciphers,
    honorCipherOrder: true,
    ecdhCurve: groups,
    ALPNProtocols: ['http/1.1'],
    handshakeTimeout: HANDSHAKE_MS,
    ticketKeys: ticketKey,
    // The same in every process on the store: otherwise they would reject each other's tickets.
    sessionIdContext: 'quirl',
  })
  server.on('secureConnection', onSecure)
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  return {
    accept: (socket) => void server.emit('connection', socket),
    setTicketKey: (replacing) => server.setTicketKeys(replacing),
  }
}

/** The ALPN protocol of an authority that validates on port 443 (RFC 8737). */
export const CHALLENGE_PROTOCOL = 'acme-tls/1'

/** Creates a TLS server that presents a challenge certificate and closes the connection. */
export function createChallengeAccept({ key, chain }: Identity): Accept {
  const protocols = [CHALLENGE_PROTOCOL]
  const server = createTlsServer({
    key,
    cert: chain,
    ecdhCurve: groups,
    ALPNProtocols: protocols,
    handshakeTimeout: HANDSHAKE_MS,
  })
  server.on('secureConnection', (socket) => socket.end())
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  return (socket) => void server.emit('connection', socket)
}

/**
 * What takes over a connection: at once, or once it was found, which the connection waits for until its signal is aborted.
 * Undefined or a rejection closes the connection.
 */
export type Found = Accept | { find: (connection: Held) => Promise<Accept | undefined> } | undefined

/**
 * Accepts connections and reads the server name before the handshake begins: the name's own key then encrypts its session
 * tickets, which are therefore useless for other names. How many connections wait is bounded by what they wait for. Handshakes, which
 * are the costliest thing that a few bytes cause, begin in slices of time, and networks take turns.
 */
export function createListener(
  acceptFor: (hello: ClientHello, address: string) => Found,
  { helloMs, holdMs } = defaultLimits,
): {
  server: Server
  close: () => Promise<void>
} {
  // Connections that no TLS server has taken over yet.
  const waiting = new Set<Socket>()
  const inSlices = createSlices()
  let closed: Promise<void> | undefined

  async function handOver(socket: Socket, hello: ClientHello): Promise<void> {
    const found = acceptFor(hello, socket.remoteAddress ?? '')
    const accept = typeof found === 'object' ? await wait(socket, holdMs, found.find).catch(() => undefined) : found
    if (accept === undefined || socket.destroyed) return void socket.destroy()
    const { promise: begun, resolve } = Promise.withResolvers<void>()
    inSlices(holderOf(socket), () => {
      if (!socket.destroyed) accept(socket)
      resolve()
    })
    await begun
  }

  const server = createServer({ noDelay: true }, (socket) => {
    waiting.add(socket)
    const untrack = () => waiting.delete(socket)
    socket.once('close', untrack)
    socket.on('error', () => socket.destroy())
    readFirst(socket, helloMs, (hello) => void handOver(socket, hello).finally(untrack))
  })
  return {
    server,
    close() {
      closed ??= new Promise((resolve) => server.close(() => resolve()))
      for (const socket of waiting) socket.destroy()
      return closed
    },
  }
}

const holderOf = ({ remoteAddress = '' }: Socket) => asHolder(clientOf(remoteAddress))

/** Waits while the connection is open, and for at most `holdMs`. */
async function wait<T>(
  socket: Socket,
  holdMs: number,
  find: (connection: Held) => Promise<T | undefined>,
): Promise<T | undefined> {
  const holder = holderOf(socket)
  const [ended, abandoned] = [new AbortController(), Promise.withResolvers<undefined>()]
  const end = () => {
    ended.abort()
    abandoned.resolve(undefined)
  }
  const timer = setTimeout(end, holdMs)
  socket.once('close', end)
  try {
    return await Promise.race([find({ holder, ended: ended.signal }), abandoned.promise])
  } finally {
    clearTimeout(timer)
    socket.off('close', end)
  }
}

/** Reads until the ClientHello is complete, and unshifts it. */
function readFirst(socket: Socket, helloMs: number, onHello: (hello: ClientHello) => void): void {
  const chunks: Buffer[] = []
  const read = createHelloReader()
  const timer = setTimeout(() => socket.destroy(), helloMs)
  socket.once('close', () => clearTimeout(timer))
  const onData = (chunk: Buffer) => {
    // Each stays in memory by itself.
    if (chunks.push(chunk) > MAX_CHUNKS) return void socket.destroy()
    const parsed = read(chunk)
    if (parsed.type === 'incomplete') return
    clearTimeout(timer)
    socket.off('data', onData)
    const bytes = chunks.length === 1 ? chunk : Buffer.concat(chunks)
    if (parsed.type === 'invalid') return refuse(socket, bytes, helloMs)
    socket.pause()
    socket.unshift(bytes)
    onHello(parsed.hello)
  }
  socket.on('data', onData)
}

/** Sends an error to clients that speak plain HTTP, and closes any other connection. */
function refuse(socket: Socket, bytes: Buffer, timeoutMs: number): void {
  if (!/^[A-Z]{3,20} /.test(bytes.toString('latin1', 0, 21))) return void socket.destroy()
  const problem = new Problem('invalid_request', 'this port only accepts HTTPS, and the request is plain HTTP')
  socket.end(problemResponse(problem, 'plain'))
  // Discard what the client still sends: closing with unread data would reset the connection and lose the response.
  socket.resume()
  // One that each byte would restart has no end.
  const timer = setTimeout(() => socket.destroy(), timeoutMs)
  socket.once('close', () => clearTimeout(timer))
}
