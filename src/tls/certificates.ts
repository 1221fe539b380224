import type { FastifyBaseLogger } from 'fastify'
import type { Bus } from '../bus/bus.ts'
import type { Database } from '../db/database.ts'
import type { RemovalClock } from '../db/removal-clock.ts'
import { samplesBy, type AnyMetric, type LabelledMetric } from '../http/metric.ts'
import { createSharedRuns } from '../lib/share-runs.ts'
import { throttle } from '../lib/throttle.ts'
import { createAcceptCache, type AcceptCache } from './accept-cache.ts'
import type { AcmeClient } from './acme.ts'
import {
  deleteCertificates,
  findCertificate,
  findDueCertificates,
  listCertificates,
  listExpiries,
  updateRenewal,
  type DueCertificate,
  type StoredCertificate,
} from './certificate-store.ts'
import {
  countOrders,
  countOrdersBefore,
  countQueued,
  deleteIssuances,
  findIssuance,
  listIssuances,
  resetIssuance,
  TOTAL_MS,
  type Issuance,
  type Purpose,
} from './issuance-store.ts'
import { IssuanceError, Postponed } from './issuance-error.ts'
import { isAhead } from './back-off.ts'
import { excludeProven } from './issued-store.ts'
import type { Stop } from './issuance-line.ts'
import type { IssuanceQueue } from './issuance-queue.ts'
import type { Issuer } from './issuer.ts'
import { shareOf, type OrderLimiter } from './order-limiter.ts'
import { createHold, type Held } from './hold.ts'
import type { Accept, Acceptor, Found, Identity } from './listener.ts'
import { refreshRenewalTime } from './renewal.ts'
import type { TicketSecrets } from './tickets.ts'
import { findWeekFault, listWeekFaults } from './week.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** How long expired certificates are stored, so that an operator can find out what happened. */
const RETENTION_MS = 30 * DAY_MS

/** Certificates that are loaded at the same time: visits share the connections to the store. */
const MAX_LOADS = 8

/** Connections that wait at the same time for a certificate that is being issued. */
const MAX_HELD = 100

/** Concurrent renewals. */
const SWEEP_WIDTH = 3

const LOG_MS = 60_000

/** A name that has a certificate, or for which one was ordered. */
export interface CertificateReport extends Partial<Issuance> {
  name: string
  notAfter: number | undefined
  renewAt: number | undefined
  /** For what one waits that is in the queue, of the report of one name. */
  waitsFor?: WaitsFor
}

/**
 * As many certificates as may be were ordered in the last hours, under the name's registrable domain, for the network from which it is
 * visited, or of all; or just its turn.
 */
export type WaitsFor = 'domain' | 'network' | 'all' | 'turn'

/** The names that wait for their first certificate. */
export interface Waiting {
  count: number
  /** Since when the first of them does. */
  since: number
  /** Why none is ordered now, and until when. */
  stop: Stop | undefined
}

/** The certificates of the service, which all processes on the store share. */
export interface Certificates {
  /**
   * What accepts connections for the name: at once when its certificate is cached, else once it was loaded or issued; all
   * connections share that. The caller has checked that the name may have one. Finds nothing when too many connections wait for
   * the authority and nobody has more; rejects with an IssuanceError when no certificate can be issued now.
   */
  acceptFor: (name: string) => NonNullable<Found>
  /** Goes on with the names that wait for their first certificate, and prepares the keys of session tickets. */
  prepare: () => Promise<void>
  /** Does the same, renews due certificates, and obtains the service's own when it has none. */
  sweep: () => Promise<void>
  /** Renews a certificate now, regardless of earlier failures. @throws {IssuanceError} */
  renew: (name: string) => Promise<StoredCertificate>
  /** Loads the certificates of these names again when they are needed, or all. */
  reread: (names?: string[]) => void
  list: () => Promise<CertificateReport[]>
  /** Undefined when no name waits. */
  waiting: () => Promise<Waiting | undefined>
  /** The certificate of one name, or what became of its orders. */
  report: (name: string) => Promise<CertificateReport>
  metrics: AnyMetric[]
}

interface CertificateDeps {
  db: Database
  bus: Bus
  now: () => number
  /** The time by which certificates have expired for long. */
  removalTime: RemovalClock['time']
  monotonic: () => number
  random: () => number
  client: AcmeClient
  issuer: Pick<Issuer, 'issue'>
  queue: Pick<IssuanceQueue, 'add' | 'obtain' | 'resume' | 'stop'>
  limiter: Pick<OrderLimiter, 'isReached'>
  tickets: TicketSecrets
  /** The service's own host. */
  host: string
  /** Whether a name is to have a certificate, from memory. */
  isServed: (name: string) => boolean
  /** The registrable domain of a name. */
  registrableOf: (name: string) => string
  /** What is stored of the network that waits for a first certificate: no address can be found from it. */
  digestOf: (network: string) => string
  createAcceptor: (identity: Identity, ticketKey: Buffer) => Acceptor
  log: Pick<FastifyBaseLogger, 'error'>
}

export function createCertificates(deps: CertificateDeps): Certificates {
  const { db, issuer, queue, tickets, host } = deps
  const cache = createAcceptCache(deps)
  const [expiries, waiting] = [createExpiries(deps), createWaiting(deps)]

  async function prepare(): Promise<void> {
    queue.resume()
    await tickets.prepare()
  }

  return {
    acceptFor: createAcceptFor(deps, cache),
    prepare,
    async sweep() {
      await prepare()
      await waiting.read()
      await excludeProven(db.write)
      const own = await findCertificate(db.read, host)
      if (own === undefined) await ignoreIssuanceError(issuer.issue(host, { purpose: 'own' }))
      await renewDue(deps, cache)
      await expiries.read()
      const old = (await deps.removalTime()) - RETENTION_MS
      await deleteCertificates(db.write, old)
      await deleteIssuances(db.write, old)
    },
    async renew(name) {
      if (!deps.isServed(name)) throw new IssuanceError(`${name} is neither the service nor an active domain`)
      await resetIssuance(db.write, name)
      const replacing = await findCertificate(db.read, name)
      const renewed = await issuer.issue(name, { replacing, purpose: 'operator' })
      cache.put(renewed)
      deps.bus.publish('certificates', name)
      return renewed
    },
    reread: cache.expire,
    list: () => listReports(deps),
    report: (name) => reportOf(deps, name),
    waiting: waiting.read,
    metrics: [expiries.metric, ...waiting.metrics],
  }
}

/** All connections of a name share what they wait for. Only those that wait for the authority are few, since it may not answer. */
function createAcceptFor(deps: CertificateDeps, cache: AcceptCache): Certificates['acceptFor'] {
  const { db, now, monotonic, issuer, queue, host, registrableOf, digestOf, log } = deps
  const report = throttle(LOG_MS, monotonic, (err: unknown) => log.error({ err }, 'certificates: store'))
  const loads = createSharedRuns<Accept | undefined>(MAX_LOADS)
  const issues = createSharedRuns<Accept>()
  const held = createHold(MAX_HELD)

  const load = (name: string) =>
    loads.share(name, async () => {
      const stored = await findCertificate(db.read, name)
      return stored !== undefined && stored.notAfter > now() ? cache.put(stored) : undefined
    })
  const obtain = (name: string, network: string) =>
    name === host ? issuer.issue(name, { purpose: 'own' }) : queue.obtain(name, network)
  const issue = async (name: string, network: string) => {
    // Who joins others may be who the name is to count for.
    if (issues.has(name) && name !== host) await queue.add(name, network)
    return issues.share(name, async () => cache.put(await obtain(name, network)))
  }
  const waitFor = (name: string, { holder: by, ended }: Held) => {
    const [holder, network] = [{ ...by, about: registrableOf(name) }, digestOf(by.allocation)]
    // The visitor is turned away, and the name is ordered all the same.
    if (held.isRefused(holder) && name !== host) return queue.add(name, network).then(() => undefined)
    return held.wait({ holder, ended }, () => issue(name, network))
  }

  return (name) => {
    const cached = cache.get(name)
    if (cached === undefined) {
      return { find: async (connection) => (await load(name)) ?? waitFor(name, connection) }
    }
    if (cached.isStale) load(name).catch(report)
    return cached.accept
  }
}

/** What the last sweep has read: a scrape must not read every certificate. */
function createExpiries({ db, host, isServed }: Pick<CertificateDeps, 'db' | 'host' | 'isServed'>) {
  const earliest = new Map<string, number>()
  const metric: LabelledMetric = {
    name: 'quirl_certificate_expiry_timestamp_seconds',
    help: 'When the certificate of the service expires, and the first of those of custom domains in use',
    type: 'gauge',
    samples: () => samplesBy('of', Object.fromEntries(earliest)),
  }
  return {
    metric,
    async read(): Promise<void> {
      const all = await listExpiries(db.read)
      earliest.clear()
      for (const { name, notAfter } of all) {
        // What is not served any more is not renewed.
        if (!isServed(name)) continue
        const of = name === host ? 'service' : 'domains'
        earliest.set(of, Math.min(earliest.get(of) ?? Number.POSITIVE_INFINITY, notAfter / 1000))
      }
    },
  }
}

/** What the last sweep has seen of the queue. */
function createWaiting({ db, queue, limiter }: Pick<CertificateDeps, 'db' | 'queue' | 'limiter'>) {
  let names = 0
  const metrics: AnyMetric[] = [
    {
      name: 'quirl_certificate_names_waiting',
      help: 'Custom domains that wait for their first certificate',
      type: 'gauge',
      read: () => names,
    },
    {
      name: 'quirl_certificate_orders_limited',
      help: '1 while certificates wait because as many were ordered in the last three hours as may be',
      type: 'gauge',
      read: () => Number(limiter.isReached()),
    },
  ]
  return {
    metrics,
    read: async (): Promise<Waiting | undefined> => {
      const { count, since = 0 } = await countQueued(db.read)
      names = count
      return count === 0 ? undefined : { count, since, stop: queue.stop() }
    },
  }
}

async function renewDue(deps: CertificateDeps, cache: AcceptCache): Promise<void> {
  const { db, now, host } = deps
  const due = await findDueCertificates(db.read, now())
  const own = due.filter(({ name }) => name === host)
  const faults: unknown[] = []
  // What is wrong with one certificate keeps no other from being renewed.
  const renew = (certificate: DueCertificate) =>
    renewUnlessPostponed(deps, cache, certificate).catch((error: unknown) => faults.push(error) > 0)
  // Places among the orders are kept for it, so that those of others being taken is no reason to stop before.
  for (const certificate of own) await renew(certificate)
  const others = due.filter(({ name }) => name !== host).values()
  const postponed = new Set<Purpose>()
  const worker = async () => {
    for (const certificate of others) {
      const purpose = purposeOf(deps, certificate)
      // The next sweep begins with the first of them again.
      if (!postponed.has(purpose) && !(await renew(certificate))) postponed.add(purpose)
    }
  }
  await Promise.all(Array.from({ length: SWEEP_WIDTH }, worker))
  if (faults.length > 0) throw faults[0]
}

/** What the order of a certificate that is due is for: strangers' names may fail again and again, and have places of their own. */
function purposeOf({ host }: Pick<CertificateDeps, 'host'>, { name, failures }: DueCertificate): Purpose {
  if (name === host) return 'own'
  return failures === 0 ? 'renewal' : 'retry'
}

/** @returns false when nothing of its kind is ordered for now */
async function renewUnlessPostponed(
  deps: CertificateDeps,
  cache: AcceptCache,
  certificate: DueCertificate,
): Promise<boolean> {
  try {
    await renewIfDue(deps, cache, certificate)
    return true
  } catch (error) {
    // The issuer has logged its errors, and decides when to retry.
    if (!(error instanceof IssuanceError)) throw error
    return !(error instanceof Postponed)
  }
}

async function renewIfDue(deps: CertificateDeps, cache: AcceptCache, certificate: DueCertificate): Promise<void> {
  const { db, bus, now, client, issuer, random } = deps
  if (!deps.isServed(certificate.name)) return
  let current: StoredCertificate = certificate
  if (current.checkRenewalAt <= now()) {
    current = await refreshRenewalTime(client, current, now(), random)
    await updateRenewal(db.write, current)
  }
  if (current.renewAt > now()) return
  const purpose = purposeOf(deps, certificate)
  cache.put(await issuer.issue(current.name, { replacing: current, purpose }))
  bus.publish('certificates', current.name)
}

/** The issuer has logged its errors, and decides when to retry. */
async function ignoreIssuanceError(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!(error instanceof IssuanceError)) throw error
  }
}

type ReportDeps = Pick<CertificateDeps, 'db' | 'now' | 'queue' | 'isServed' | 'registrableOf'>

async function reportOf(deps: ReportDeps, name: string): Promise<CertificateReport> {
  const { db } = deps
  const [certificate, issuance] = await Promise.all([findCertificate(db.read, name), findIssuance(db.read, name)])
  const report = { ...issuance, name, notAfter: certificate?.notAfter, renewAt: certificate?.renewAt }
  if (issuance?.queuedAt !== undefined) return { ...report, waitsFor: await findWait(deps, name) }
  const isPutOff = isAhead(issuance?.retryAt ?? 0, deps.now()) || !deps.isServed(name)
  return { ...report, fault: (isPutOff ? undefined : await findWeekFault(deps, name)) ?? issuance?.fault }
}

async function findWait({ db, now, queue }: ReportDeps, name: string): Promise<WaitsFor> {
  if (queue.stop() !== undefined) return 'all'
  const since = now() - TOTAL_MS
  const most = shareOf(await countOrders(db.read, since))
  const { ofDomain, ofNetwork } = await countOrdersBefore(db.read, name, since)
  if (ofDomain >= most) return 'domain'
  return ofNetwork >= most ? 'network' : 'turn'
}

async function listReports({
  db,
  now,
  host,
}: Pick<CertificateDeps, 'db' | 'now' | 'host'>): Promise<CertificateReport[]> {
  const certificates = new Map((await listCertificates(db.read)).map((each) => [each.name, each]))
  const issuances = new Map((await listIssuances(db.read)).map((each) => [each.name, each]))
  const weekFaults = await listWeekFaults({ db, now })
  const names = [...new Set([host, ...certificates.keys(), ...issuances.keys(), ...weekFaults.keys()])].sort()
  return names.map((name) => {
    const [{ notAfter, renewAt } = {}, issuance] = [certificates.get(name), issuances.get(name)]
    const isOwn = isAhead(issuance?.retryAt ?? 0, now())
    const fault = isOwn ? issuance?.fault : (weekFaults.get(name) ?? issuance?.fault)
    return { ...issuance, name, notAfter, renewAt, fault }
  })
}
