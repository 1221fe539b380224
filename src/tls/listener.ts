import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { readStart, type ClientHello } from './client-hello.ts'
import { Problem } from '../http/problem.ts'
import { problemResponse } from '../http/raw-problem.ts'

/** How long clients may take and wait, in milliseconds. */
export interface Patience {
  /** For the first message. */
  helloMs: number
  /** For a certificate. */
  holdMs: number
  /** How many wait for a certificate at a time. */
  maxHeld: number
}

const usual: Patience = { helloMs: 5000, holdMs: 30_000, maxHeld: 100 }

/** Parts in which a first message may arrive; one or two are usual. */
const MAX_PARTS = 200

/** For the handshake that follows the first message. */
const HANDSHAKE_MS = 10_000

/** Authenticated encryption and forward secrecy alone; the certificates are ECDSA ones. */
const ciphers = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
].join(':')

/** Goes on with a connection whose first message has been read and put back. */
export type Accept = (socket: Socket) => void

/** What one name's handshakes need. */
export interface Identity {
  /** PEM. */
  key: string
  chain: string
  /** Seals the name's session tickets. */
  ticketKey: Buffer
}

/** Makes what accepts the connections for one certificate. @param onSecure called with each finished handshake */
export function createAccept({ key, chain, ticketKey }: Identity, onSecure: (socket: TLSSocket) => void): Accept {
  const server = createTlsServer({
    key,
    cert: chain,
    minVersion: 'TLSv1.2',
    ciphers,
    honorCipherOrder: true,
    ALPNProtocols: ['http/1.1'],
    handshakeTimeout: HANDSHAKE_MS,
    ticketKeys: ticketKey,
    // The same in every process on the store, or their tickets would be refused.
    sessionIdContext: 'quirl',
  })
  server.on('secureConnection', onSecure)
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  return (socket) => void server.emit('connection', socket)
}

/** What a certificate authority asks for when it looks at port 443 (RFC 8737). */
export const CHALLENGE_PROTOCOL = 'acme-tls/1'

/** Makes what shows a certificate authority the certificate that it wants to see, and hangs up. */
export function createChallengeAccept({ key, chain }: Omit<Identity, 'ticketKey'>): Accept {
  const protocols = [CHALLENGE_PROTOCOL]
  const server = createTlsServer({ key, cert: chain, ALPNProtocols: protocols, handshakeTimeout: HANDSHAKE_MS })
  server.on('secureConnection', (socket) => socket.end())
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  return (socket) => void server.emit('connection', socket)
}

/**
 * Accepts connections, and knows the name that a client wants before its handshake begins: a name's own key then seals
 * the session tickets, so that one name's ticket never opens another.
 * @param acceptFor what goes on with a client; a promise holds it, undefined or a failure ends it
 */
export function createListener(
  acceptFor: (hello: ClientHello) => Accept | undefined | Promise<Accept | undefined>,
  { helloMs, holdMs, maxHeld } = usual,
): {
  server: Server
  close: () => Promise<void>
} {
  // Connections that no TLS server knows yet.
  const early = new Set<Socket>()
  let held = 0
  let closed: Promise<void> | undefined

  async function hold(waiting: Promise<Accept | undefined>): Promise<Accept | undefined> {
    waiting.catch(() => {})
    if (held >= maxHeld) return undefined
    held++
    const late = Promise.withResolvers<undefined>()
    const timer = setTimeout(late.resolve, holdMs, undefined)
    try {
      return await Promise.race([waiting, late.promise])
    } finally {
      clearTimeout(timer)
      held--
    }
  }

  async function go(socket: Socket, hello: ClientHello): Promise<void> {
    const found = acceptFor(hello)
    const accept = found instanceof Promise ? await hold(found).catch(() => undefined) : found
    if (accept === undefined || socket.destroyed) socket.destroy()
    else accept(socket)
  }

  const server = createServer({ noDelay: true }, (socket) => {
    early.add(socket)
    const forget = () => early.delete(socket)
    socket.once('close', forget)
    socket.on('error', () => socket.destroy())
    readFirst(socket, helloMs, (hello) => void go(socket, hello).finally(forget))
  })
  return {
    server,
    close() {
      closed ??= new Promise((resolve) => server.close(() => resolve()))
      for (const socket of early) socket.destroy()
      return closed
    },
  }
}

/** Reads until the first message is complete, and puts it back. */
function readFirst(socket: Socket, helloMs: number, onHello: (hello: ClientHello) => void): void {
  let bytes = Buffer.alloc(0)
  let parts = 0
  const timer = setTimeout(() => socket.destroy(), helloMs)
  socket.once('close', () => clearTimeout(timer))
  const onData = (part: Buffer) => {
    // Each part costs a new look at all of them.
    if (++parts > MAX_PARTS) return void socket.destroy()
    bytes = Buffer.concat([bytes, part])
    const start = readStart(bytes)
    if (start.type === 'incomplete') return
    clearTimeout(timer)
    socket.off('data', onData)
    if (start.type === 'foreign') return refuse(socket, bytes, helloMs)
    socket.pause()
    socket.unshift(bytes)
    onHello(start.hello)
  }
  socket.on('data', onData)
}

/** Who speaks plain HTTP is told so; anything else is hung up on. */
function refuse(socket: Socket, bytes: Buffer, patienceMs: number): void {
  if (!/^[A-Z]{3,20} /.test(bytes.toString('latin1', 0, 21))) return void socket.destroy()
  const problem = new Problem('invalid_request', 'this port takes HTTPS alone, and the request is plain HTTP')
  socket.end(problemResponse(problem, 'plain'))
  // What is still sent is thrown away, or the answer would be lost to a reset.
  socket.resume()
  socket.setTimeout(patienceMs, () => socket.destroy())
}
