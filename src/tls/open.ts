import type { IncomingMessage, Server as HttpServer } from 'node:http'
import { isIP, type Server } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import type { FastifyBaseLogger } from 'fastify'
import type { Bus } from '../bus/bus.ts'
import type { Database } from '../db/database.ts'
import type { RemovalClock } from '../db/removal-clock.ts'
import type { Domains } from '../domains/open.ts'
import type { ClientAddress } from '../http/client-address.ts'
import type { ConnectionLimit } from '../http/connection-limit.ts'
import { listenOnSockets } from '../http/listeners.ts'
import { createBackgroundTasks } from '../lib/background-tasks.ts'
import { createBoundedCache } from '../lib/bounded-cache.ts'
import { asHolder } from '../lib/holder.ts'
import { shareRun } from '../lib/share-runs.ts'
import { StartError } from '../lib/start-error.ts'
import { createEphemeralDigest } from '../lib/ephemeral-digest.ts'
import { registrableOrSame } from '../lib/registrable.ts'
import { createAccount } from './account.ts'
import { deleteChallenge, findChallenge, insertChallenge } from './acme-store.ts'
import { createAcmeClient } from './acme.ts'
import { createCertificates, type Certificates } from './certificates.ts'
import { challengeCertificate } from './challenge-certificate.ts'
import { createOrderWithFallback } from './challenge-fallback.ts'
import type { ClientHello } from './client-hello.ts'
import { createHttpsPolicy, type HttpsPolicy } from './https-policy.ts'
import { createIssuanceQueue } from './issuance-queue.ts'
import { createIssuer } from './issuer.ts'
import { createHold } from './hold.ts'
import {
  CHALLENGE_PROTOCOL,
  createAcceptor,
  createChallengeAccept,
  createListener,
  type Accept,
  type Found,
} from './listener.ts'
import { createOrderLimiter } from './order-limiter.ts'
import type { Challenges } from './order.ts'
import type { Sleep } from './order-limiter.ts'
import { createTicketSecrets } from './tickets.ts'

/** The interval of sweeps for due renewals, in milliseconds. */
const SWEEP_MS = 60_000

/** Connections that wait at the same time to learn whether a name may have a certificate, and for responses to challenges. */
const MAX_LOOK_UPS = 100

/** Challenges whose certificates are in memory, each some tens of kilobytes: about as many orders are in progress at a time. */
const MAX_CHALLENGES = 100

/** How long the response to a challenge is stored; validation takes far less, and the clocks of nodes may differ by hours. */
const CHALLENGE_MS = 24 * 60 * 60 * 1000

export interface TlsNeeds {
  db: Database
  bus: Bus
  domains: Domains
  client: Pick<ClientAddress, 'of'>
  now: () => number
  /** The time by which certificates have expired for long. */
  removalTime: RemovalClock['time']
  monotonic: () => number
  log: Pick<FastifyBaseLogger, 'error' | 'warn'>
  /** Sends requests to the certificate authority. */
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
  /** Whether other processes may listen on the same port. */
  reusePort: boolean
}

/** The built-in HTTPS of the service. */
export interface Tls {
  applyPolicy: HttpsPolicy
  certificates: Certificates
  /**
   * Listens, passes connections to `server` after their handshake, and starts to obtain certificates.
   * @returns the port
   * @throws {StartError}
   */
  listen: (server: HttpServer, connections?: ConnectionLimit) => Promise<number>
  /** Cancels issuances, while connections are accepted. */
  drain: () => void
  /** Stops accepting connections and cancels issuances; resolves when the last connection has ended. */
  close: () => Promise<void>
}

/** @throws {StartError} unless the service has an https origin with a host name */
export function openTls(config: TlsConfig, needs: TlsNeeds): Tls {
  const { domains } = needs
  const { origin, host } = checkOrigin(config.baseUrl)
  const orders = openOrders(config, needs)
  const tickets = createTicketSecrets(needs)
  let onSecure: (socket: TLSSocket) => void = (socket) => socket.destroy()
  const certificates = createCertificates({
    ...needs,
    ...orders,
    tickets,
    host,
    random: needs.random ?? Math.random,
    isServed: (name) => name === host || domains.leadsHere(name),
    registrableOf: registrableOrSame,
    digestOf: createEphemeralDigest(),
    createAcceptor: (identity, key) => createAcceptor(identity, key, (socket) => onSecure(socket)),
  })
  const listener = createListener(createAcceptFor(host, needs, certificates))
  const sweeps = createSweeps(certificates, needs)
  let opened: Awaited<ReturnType<typeof open>> | undefined
  const stop = () => {
    sweeps.stop()
    return orders.close()
  }

  return {
    applyPolicy: createHttpsPolicy({ origin, host, ...policyNeeds(needs) }),
    certificates,
    async listen(server, connections) {
      onSecure = (socket) => void server.emit('connection', socket)
      // Before the first tickets, which would otherwise be in vain on other nodes.
      await tickets.prepare()
      opened = await open(listener.server, config, connections)
      sweeps.start()
      return opened.port
    },
    drain: () => void stop(),
    close: () => Promise.all([stop(), listener.close(), opened?.close()]).then(() => {}),
  }
}

function policyNeeds({ db, domains, client }: TlsNeeds) {
  return {
    statusOf: domains.statusOf,
    challenge: (token: string) => findChallenge(db.read, token),
    holderOf: (request: IncomingMessage) => asHolder(client.of(request)),
  }
}

function createSweeps(certificates: Certificates, { monotonic, log }: TlsNeeds) {
  const tasks = createBackgroundTasks(monotonic, (err) => log.error({ err }, 'certificates could not be renewed'))
  // An authority that does not answer holds up renewals for longer than a minute, and nothing else.
  const renew = shareRun(certificates.sweep)
  const sweep = () => {
    tasks.run(certificates.prepare())
    tasks.run(renew())
  }
  let timer: NodeJS.Timeout | undefined
  return {
    start() {
      sweep()
      timer = setInterval(sweep, SWEEP_MS).unref()
    },
    stop() {
      tasks.close()
      clearInterval(timer)
    },
  }
}

/** @throws {StartError} */
async function open(
  server: Server,
  { host, httpsPort, reusePort }: TlsConfig,
  connections: ConnectionLimit | undefined,
) {
  connections?.count(server)
  const { sockets = 1 } = connections ?? {}
  const address = { host, port: httpsPort, sockets, allowHalfOpen: false, reusePort }
  const listen = (options: object) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    server.once('listening', resolve).once('error', reject).listen(options)
    return promise
  }
  return listenOnSockets(server, address, listen).catch((error: Error) => {
    throw new StartError(`cannot listen on HOST=${host} HTTPS_PORT=${httpsPort}: ${error.message}`, { cause: error })
  })
}

/** Everything that orders certificates. */
function openOrders(config: TlsConfig, needs: TlsNeeds) {
  const { db, domains, now, monotonic, request = fetch } = needs
  const client = createAcmeClient(config.acmeDirectory, request, { now, monotonic })
  const limiter = createOrderLimiter({ ...needs, sleep })
  const issuer = createIssuer({
    ...needs,
    sleep,
    withAccount: createAccount({ db, client, directory: config.acmeDirectory, email: config.acmeEmail }),
    order: createOrderWithFallback({ client, challenges: createChallenges(needs), sleep }, limiter),
    limiter,
  })
  const isServed = (name: string) => domains.leadsHere(name)
  const queue = createIssuanceQueue({ ...needs, sleep, issuer, isServed, registrableOf: registrableOrSame })
  return { client, limiter, issuer, queue, close: () => Promise.all([queue.close(), issuer.close()]) }
}

const sleep: Sleep = (ms, options) => setTimeout(ms, undefined, options)

/** What accepts a connection: by default with the service's certificate; nothing for unknown names. */
function createAcceptFor(
  host: string,
  { domains, db, now }: TlsNeeds,
  certificates: Certificates,
): (hello: ClientHello) => Found {
  // Strangers choose these names: each kind of look-up has a bound of its own, so that visitors are no hindrance to an authority.
  const [names, challenges] = [createHold(MAX_LOOK_UPS), createHold(MAX_LOOK_UPS)]

  const acceptChallenge = createAcceptChallenge(now)

  const findAnswer = (name: string): Found => ({
    async find(connection) {
      const answer = await challenges.wait(connection, () => findChallenge(db.read, name))
      return answer === undefined ? undefined : (socket) => acceptChallenge(name, answer)(socket)
    },
  })
  const lookUp = (name: string): Found => ({
    async find(connection) {
      if ((await names.wait(connection, () => domains.mayHaveCertificate(name, connection.holder))) !== true)
        return undefined
      const found = certificates.acceptFor(name)
      return typeof found === 'function' ? found : found.find(connection)
    },
  })

  return ({ serverName, protocols }) => {
    const name = serverName ?? host
    if (protocols.includes(CHALLENGE_PROTOCOL)) return findAnswer(name)
    return name === host || domains.leadsHere(name) ? certificates.acceptFor(name) : lookUp(name)
  }
}

/**
 * What accepts connections with the response to a challenge. Its certificate costs more than a handshake, and anyone may ask for it: it is
 * made once, and to be asked for when it is the connection's turn.
 */
function createAcceptChallenge(now: () => number): (name: string, answer: string) => Accept {
  const made = createBoundedCache<Accept>(MAX_CHALLENGES)
  return (name, answer) => {
    const key = `${name} ${answer}`
    const known = made.get(key)
    if (known !== undefined) return known
    const accept = createChallengeAccept(challengeCertificate(name, answer, now()))
    made.set(key, accept, 1)
    return accept
  }
}

function createChallenges({ db, now }: TlsNeeds): Challenges {
  return {
    put: (token, answer) => insertChallenge(db.write, { token, answer, created_at: now() }, now() - CHALLENGE_MS),
    remove: (token) => deleteChallenge(db.write, token),
  }
}

/** @throws {StartError} */
function checkOrigin(baseUrl: string | undefined): { origin: string; host: string } {
  const url = baseUrl === undefined ? undefined : new URL(baseUrl)
  const host = url?.hostname ?? ''
  const hasName = host.includes('.') && !host.startsWith('[') && isIP(host) === 0
  if (url?.protocol === 'https:' && hasName) return { origin: url.origin, host: host.replace(/\.$/, '') }
  throw new StartError(
    `TLS=on needs a BASE_URL such as https://qr.example.com, for which a certificate can be issued; it is ${baseUrl ?? 'unset'}`,
  )
}
