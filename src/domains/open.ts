import type { FastifyBaseLogger } from 'fastify'
import type { Bus } from '../bus/bus.ts'
import type { Database } from '../db/database.ts'
import type { RemovalClock } from '../db/removal-clock.ts'
import type { Holder } from '../lib/holder.ts'
import { isLoopback, isUnspecified } from '../lib/host.ts'
import { createBackgroundTasks } from '../lib/background-tasks.ts'
import { createEphemeralDigest } from '../lib/ephemeral-digest.ts'
import { createChecks, type Checks } from './checks.ts'
import { createDnsCheck } from './dns.ts'
import { leadsHere, type Domain, type Served } from './domain.ts'
import { isUnder } from './name.ts'
import { createPageNames } from './page-names.ts'
import { createRefusedNames, type RefusedNames } from './refused-names.ts'
import { createRegistry, type Registry } from './registry.ts'
import { createStatusCache } from './status-cache.ts'
import { listDomains } from './store.ts'

/** The interval of sweeps in milliseconds. */
const SWEEP_MS = 10_000

/** The custom domains of the service. */
export interface Domains extends Omit<Registry, 'find'>, Omit<RefusedNames, 'check'> {
  /** The service's own host in WHATWG form; undefined while others cannot reach it. */
  host: string | undefined
  /** Returns a domain. If it is not active, or someone claims it, its DNS is checked first. @throws {Problem} 404 */
  read: (text: string, holder?: Holder) => Promise<Domain>
  /** Checks the DNS of a name now and returns the domain. @throws {Problem} 404 */
  check: (text: string) => Promise<Domain>
  list: () => Promise<Domain[]>
  /** The addresses of the service; empty when they cannot be resolved. */
  addresses: () => Promise<string[]>
  /** Whether the name is the service's own or active. The DNS of a pending one is checked first. */
  mayHaveCertificate: (name: string, holder?: Holder) => Promise<boolean>
  /** What a name in its canonical form serves, from the cache; undefined when it is not registered. */
  statusOf: (name: string) => Served | undefined
  /** Whether a registered name leads here, from the cache. */
  leadsHere: (name: string) => boolean
  /** To be called when the page of an owner was sent under a name; the link is any text that identifies it. */
  pageSent: (name: string, link: string) => void
  isEmpty: () => boolean
  /** Loads what other processes have changed, these names in any case. */
  reread: (names: string[]) => void
  /** Runs due checks, which also happens every 10 seconds. */
  sweep: () => Promise<void>
  close: () => void
}

interface DomainsNeeds {
  db: Database
  bus: Bus
  /** The service's own origin; undefined when only this machine can reach it. */
  baseUrl: string | undefined
  /** DNS servers to use instead of the system's. */
  servers: string[] | undefined
  now: () => number
  /** The time by which names expire. */
  removalTime: RemovalClock['time']
  monotonic: () => number
  log: Pick<FastifyBaseLogger, 'error'>
}

/** Opens the custom domains, and keeps their statuses up to date. */
export async function openDomains(needs: DomainsNeeds): Promise<Domains> {
  const { db, bus, baseUrl, servers, now, removalTime, monotonic, log } = needs
  const host = hostOf(baseUrl)
  const dns = createDnsCheck({ host, servers, monotonic })
  const statuses = createStatusCache(db, now, (name) => bus.publish('domains', name))
  const checks = createChecks({ db, now, removalTime, dns, statuses })
  await statuses.refresh()
  const tasks = createBackgroundTasks(monotonic, (err) => log.error({ err }, 'domains could not be checked'))
  const { check: checkRefused, ...refusedNames } = createRefusedNames(db, statuses, now)
  const onNew = (domain: Domain) => tasks.run(checks.check(domain))
  const digestOf = createEphemeralDigest()
  const registering = { db, host, statuses, now, staticFault: dns.staticFault, checkRefused, digestOf, onNew }
  const { find, ...registry } = createRegistry(registering)
  const timer = setInterval(() => tasks.run(checks.sweep()), SWEEP_MS).unref()
  const isOwn = ownNames(host)
  const statusOf = (name: string) => (isOwn(name) ? undefined : statuses.statusOf(name))

  return {
    ...registry,
    ...refusedNames,
    host,
    ...readingOf(find, checks),
    list: () => listDomains(db.read),
    addresses: dns.serviceAddresses,
    mayHaveCertificate: async (name, holder) =>
      isOwn(name)
        ? name === host
        : leadsHere(statuses.statusOf(name)) || (await checks.checkIfStale(name, holder))?.status === 'active',
    statusOf,
    leadsHere: (name) => leadsHere(statusOf(name)),
    pageSent: createPageNames({ db, now, host, statusOf, run: tasks.run }),
    isEmpty: statuses.isEmpty,
    reread: (names) => tasks.run(statuses.reread(names).then(statuses.refresh)),
    sweep: checks.sweep,
    close() {
      tasks.close()
      clearInterval(timer)
    },
  }
}

function readingOf(find: Registry['find'], checks: Checks): Pick<Domains, 'read' | 'check'> {
  return {
    async read(text, holder) {
      const { name } = await find(text)
      return (await checks.checkIfStale(name, holder)) ?? find(name)
    },
    check: async (text) => (await checks.check(await find(text))) ?? find(text),
  }
}

/** Whether a name is the service's own or one under it: it may have been registered before it became that. */
function ownNames(host: string | undefined): (name: string) => boolean {
  return (name) => host !== undefined && isUnder(name, host)
}

/** The host to which names must point. A loopback host is excluded: every machine has one. */
function hostOf(baseUrl: string | undefined): string | undefined {
  const host = baseUrl === undefined ? undefined : new URL(baseUrl).hostname.replace(/\.$/, '')
  return host === undefined || isLoopback(host) || isUnspecified(host) ? undefined : host
}
