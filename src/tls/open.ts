import type { Server as HttpServer } from 'node:http'
import { isIP, type Server } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../db/database.ts'
import type { Domains } from '../domains/open.ts'
import type { ConnectionLimit } from '../http/connection-limit.ts'
import { listenOnSockets } from '../http/listeners.ts'
import { throttle } from '../lib/throttle.ts'
import { StartError } from '../lib/start-error.ts'
import { createAccount } from './account.ts'
import { createAcmeClient, type AcmeClient } from './acme.ts'
import { createCertificates, type Certificates } from './certificates.ts'
import type { ClientHello } from './client-hello.ts'
import { createFront, type Front } from './front.ts'
import { createIssuer, type Issuer } from './issuer.ts'
import { challengeCertificate } from './challenge-certificate.ts'
import { CHALLENGE_PROTOCOL, createAccept, createChallengeAccept, createListener, type Accept } from './listener.ts'
import { createOrderLimiter } from './order-limiter.ts'
import type { Challenges, Sleep } from './order.ts'
import { createOrderWithFallback } from './challenge-fallback.ts'
import { deleteChallenge, findChallenge, insertChallenge } from './acme-store.ts'
import { createTicketKeys } from './tickets.ts'

/** How often renewals that are due are looked for, in milliseconds. */
const SWEEP_MS = 60_000
const LOG_MS = 60_000

/** No challenge is asked for longer than this. */
const CHALLENGE_MS = 60 * 60 * 1000

export interface TlsNeeds {
  db: Database
  domains: Pick<Domains, 'statusOf' | 'admits'>
  now: () => number
  monotonic: () => number
  log: Pick<FastifyBaseLogger, 'error' | 'warn'>
  /** How certificate authorities are reached. */
  request?: typeof fetch
  /** From 0 to 1. */
  random?: () => number
}

export interface TlsConfig {
  baseUrl: string | undefined
  /** The directory of the certificate authority. */
  acmeDirectory: string
  acmeEmail: string | undefined
  host: string
  httpsPort: number
}

/** HTTPS of the service's own: certificates, the port, and what is answered where. */
export interface Tls {
  front: Front
  certificates: Certificates
  /**
   * Listens, hands finished handshakes to `server`, and begins to get certificates.
   * @returns the port
   * @throws {StartError}
   */
  listen: (server: HttpServer, connections?: ConnectionLimit) => Promise<number>
  /** Takes no more connections, and gives up what is being got; resolves when the last connection has ended. */
  close: () => Promise<void>
}

/**
 * @throws {StartError} unless the service has an https origin with a name, which a certificate can be got for
 */
export function openTls(config: TlsConfig, deps: TlsNeeds): Tls {
  const { db, domains, now, monotonic, log, request = fetch, random = Math.random } = deps
  const origin = checkOrigin(config.baseUrl)
  const host = new URL(origin).hostname.replace(/\.$/, '')
  const client = createAcmeClient(config.acmeDirectory, request, { now, monotonic })
  const issuer = openIssuer(config, deps, client)
  let secure: (socket: TLSSocket) => void = (socket) => socket.destroy()
  const certificates = createCertificates({
    db,
    now,
    monotonic,
    random,
    client,
    issuer,
    tickets: createTicketKeys(db, now),
    host,
    isServed: (name) => name === host || domains.statusOf(name) === 'active',
    createAccept: (identity) => createAccept(identity, (socket) => secure(socket)),
    log,
  })
  const listener = createListener((hello) => acceptFor(hello, host, deps, certificates))
  const report = throttle(LOG_MS, monotonic, (error: unknown) =>
    log.error({ err: error }, 'certificates could not be renewed'),
  )
  let isClosed = false
  const sweep = () =>
    void certificates.sweep().catch((error: unknown) => {
      if (!isClosed) report(error)
    })
  let timer: NodeJS.Timeout | undefined
  let closeOthers = async () => {}

  return {
    front: createFront({
      origin,
      host,
      statusOf: domains.statusOf,
      challenge: (token) => findChallenge(db.read, token),
    }),
    certificates,
    async listen(server, connections) {
      secure = (socket) => void server.emit('connection', socket)
      const opened = await open(listener.server, config, connections)
      closeOthers = opened.close
      sweep()
      timer = setInterval(sweep, SWEEP_MS).unref()
      return opened.port
    },
    close() {
      isClosed = true
      clearInterval(timer)
      return Promise.all([issuer.close(), listener.close(), closeOthers()]).then(() => {})
    },
  }
}

/** @throws {StartError} */
async function open(server: Server, { host, httpsPort }: TlsConfig, connections: ConnectionLimit | undefined) {
  connections?.count(server)
  const { sockets = 1, enforce: onSocket = () => {} } = connections ?? {}
  const place = { host, port: httpsPort, sockets, allowHalfOpen: false, onSocket }
  const listen = (options: object) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    server.once('listening', resolve).once('error', reject).listen(options)
    return promise
  }
  return listenOnSockets(server, place, listen).catch((error: Error) => {
    throw new StartError(`cannot listen on HOST=${host} HTTPS_PORT=${httpsPort}: ${error.message}`, { cause: error })
  })
}

function openIssuer(config: TlsConfig, deps: TlsNeeds, client: AcmeClient): Issuer {
  const { db, now, log } = deps
  const limiter = createOrderLimiter(db, now, sleep)
  return createIssuer({
    db,
    now,
    sleep,
    withAccount: createAccount({ db, client, directory: config.acmeDirectory, email: config.acmeEmail }),
    order: createOrderWithFallback({ client, challenges: createChallenges(deps), sleep }, limiter),
    limiter,
    log,
  })
}

const sleep: Sleep = (ms, options) => setTimeout(ms, undefined, options)

/** Who names no host gets the service's own certificate; who names one that has no right to any is hung up on. */
function acceptFor(
  { serverName, protocols }: ClientHello,
  host: string,
  { domains, db, now }: TlsNeeds,
  certificates: Certificates,
): Accept | undefined | Promise<Accept | undefined> {
  const name = serverName ?? host
  if (protocols.includes(CHALLENGE_PROTOCOL)) {
    return findChallenge(db.read, name).then((answer) =>
      answer === undefined ? undefined : createChallengeAccept(challengeCertificate(name, answer, now())),
    )
  }
  if (name === host || domains.statusOf(name) === 'active') return certificates.acceptFor(name)
  return domains.admits(name).then((isAdmitted) => (isAdmitted ? certificates.acceptFor(name) : undefined))
}

function createChallenges({ db, now }: TlsNeeds): Challenges {
  return {
    put: (token, answer) => insertChallenge(db.write, { token, answer, created_at: now() }, now() - CHALLENGE_MS),
    remove: (token) => deleteChallenge(db.write, token),
  }
}

function checkOrigin(baseUrl: string | undefined): string {
  const url = baseUrl === undefined ? undefined : new URL(baseUrl)
  const host = url?.hostname ?? ''
  const hasName = host.includes('.') && !host.startsWith('[') && isIP(host) === 0
  if (url?.protocol === 'https:' && hasName) return url.origin
  throw new StartError(
    `TLS=on needs a BASE_URL such as https://qr.example.com, for which a certificate can be got; it is ${baseUrl ?? 'unset'}`,
  )
}
