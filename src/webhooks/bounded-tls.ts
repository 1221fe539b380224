import { constants } from 'node:crypto'
import { Agent } from 'node:https'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { connect as connectTls, DEFAULT_CIPHERS, type ConnectionOptions, type TLSSocket } from 'node:tls'
import { endInTurn, openConnection, type ConnectionTarget } from './connection.ts'
import { RequestError } from './request-error.ts'

/**
 * Bytes of a handshake: the certificates are nearly all of them, and what a few large keys cost to check is the time of everybody.
 * Usual chains have 2 to 8 KiB.
 */
export const MAX_HANDSHAKE_BYTES = 24_576
/** Bytes beside the response that are read of a connection in all: its handshake, and of one record that is not complete yet. */
export const MAX_TLS_BYTES = MAX_HANDSHAKE_BYTES + 24_576
/** Session tickets; servers send two. */
const MAX_TICKETS = 16
/** Bytes that are decrypted at once: a message of 20 bytes costs as much as a record of thousands. */
const SLICE_BYTES = 4_096

/**
 * Without finite-field Diffie-Hellman, for which the server chooses the prime: one of 10,000 bits takes seconds. No browser has it
 * either. And without a second handshake, of which a server may ask for any number.
 */
const settings = {
  ciphers: `${DEFAULT_CIPHERS}:!kDHE`,
  ecdhCurve: 'X25519:P-256:P-384:P-521',
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  ALPNProtocols: ['http/1.1'],
}

type TlsRequestOptions = ConnectionOptions & ConnectionTarget

/** TLS connections of one request, whose messages are bounded. */
export interface BoundedTls {
  agent: Agent
  /** Notes bytes of the response: they are no messages of TLS. */
  onDecrypted: (bytes: number) => void
}

/**
 * What a server sends besides its response costs the event loop as much as it likes, and Node counts none of it: key updates and
 * session tickets without end, certificates of a hundred large keys. Therefore the encrypted bytes are counted before they are
 * decrypted, a few at a time.
 */
export function boundTls(): BoundedTls {
  let [received, decrypted, tickets] = [0, 0, 0]
  let secured: TLSSocket | undefined
  let isSecure = false

  function refuse(): void {
    secured?.destroy(new RequestError('its TLS messages are too many or too large'))
  }

  function mayRead(bytes: number): boolean {
    received += bytes
    const most = isSecure ? MAX_TLS_BYTES : MAX_HANDSHAKE_BYTES
    if (received - decrypted <= most) return true
    refuse()
    return false
  }

  const agent = new Agent()
  agent.createConnection = (options) => {
    const { host, port, lookup, servername, ca, rejectUnauthorized = true } = options as TlsRequestOptions
    const socket = meter(openConnection({ host, port, lookup }), mayRead)
    const trust = { rejectUnauthorized, ...(ca !== undefined && { ca }) }
    secured = connectTls({ ...settings, ...trust, socket, host, ...(servername !== undefined && { servername }) })
    endInTurn(secured)
    secured.once('secureConnect', () => (isSecure = true))
    secured.on('session', () => {
      if (++tickets > MAX_TICKETS) refuse()
    })
    return secured
  }
  return { agent, onDecrypted: (bytes) => void (decrypted += bytes) }
}

/** A connection whose bytes are passed on in slices, the event loop running in between. */
function meter(raw: Socket, mayRead: (bytes: number) => boolean): Duplex {
  const metered = new Duplex({
    read() {},
    write: (chunk: Buffer, _encoding, done) => void raw.write(chunk, done),
    final: (done) => void raw.end(done),
    destroy(error, done) {
      raw.destroy()
      done(error)
    },
  })
  function pass(chunk: Buffer): void {
    const slice = chunk.subarray(0, SLICE_BYTES)
    if (metered.destroyed || !mayRead(slice.length)) return
    metered.push(slice)
    const rest = chunk.subarray(SLICE_BYTES)
    setImmediate(() => (rest.length > 0 ? pass(rest) : raw.resume()))
  }
  raw.on('data', (chunk: Buffer) => {
    raw.pause()
    pass(chunk)
  })
  raw.once('end', () => metered.push(null))
  raw.once('error', (error) => metered.destroy(error))
  raw.once('close', () => metered.destroy())
  return metered
}
