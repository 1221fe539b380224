import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../db/database.ts'
import { isLoopback, isUnspecified } from '../lib/host.ts'
import { throttle } from '../lib/throttle.ts'
import { createChecks } from './checks.ts'
import { createDnsCheck } from './dns.ts'
import type { Domain, Status } from './domain.ts'
import { createStatusCache } from './status-cache.ts'
import { isUnder } from './name.ts'
import { createRefusedNames, type RefusedNames } from './refused-names.ts'
import { createRegistry, type Registry } from './registry.ts'
import { listDomains } from './store.ts'

/** How often the checks that are due are looked for, in milliseconds. */
const SWEEP_MS = 10_000
const LOG_MS = 60_000

/** The custom domains of the service. */
export interface Domains extends Omit<Registry, 'find'>, Omit<RefusedNames, 'check'> {
  /** The service's own host, as WHATWG writes it; undefined while it has none that others can reach. */
  host: string | undefined
  /** The name as it stands, looked up in DNS first when it is not active, or claimed. @throws {Problem} 404 */
  read: (text: string) => Promise<Domain>
  /** Looks the name up now, whatever its status and whenever it was looked up before. @throws {Problem} 404 */
  check: (text: string) => Promise<Domain>
  list: () => Promise<Domain[]>
  /** The addresses of the service itself; none while they cannot be found. */
  addresses: () => Promise<string[]>
  /** Whether the name may have a certificate: the service's own, or active; a pending one is looked up first. */
  admits: (name: string) => Promise<boolean>
  /** From memory, for every request: the status of a name in its one form, undefined when it is not registered. */
  statusOf: (name: string) => Status | undefined
  isEmpty: () => boolean
  /** Does what is due. It runs by itself each 10 seconds. */
  sweep: () => Promise<void>
  close: () => void
}

interface DomainsNeeds {
  db: Database
  /** The service's own origin; unset, only this machine can reach it. */
  baseUrl: string | undefined
  /** DNS servers to ask instead of the system's. */
  servers: string[] | undefined
  now: () => number
  monotonic: () => number
  log: Pick<FastifyBaseLogger, 'error'>
}

/** Opens the custom domains, and keeps their status true from then on. */
export async function openDomains({ db, baseUrl, servers, now, monotonic, log }: DomainsNeeds): Promise<Domains> {
  const host = hostOf(baseUrl)
  const dns = createDnsCheck({ host, servers, monotonic })
  const statuses = createStatusCache(db, now)
  const checks = createChecks({ db, now, dns, statuses })
  await statuses.refresh()
  const report = throttle(LOG_MS, monotonic, (error: unknown) =>
    log.error({ err: error }, 'domains could not be checked'),
  )
  let closed = false
  const inBackground = (work: Promise<unknown>) => {
    work.catch((error: unknown) => {
      if (!closed) report(error)
    })
  }
  const { check: checkRefused, ...refusals } = createRefusedNames(db, statuses, now)
  const { find, ...registry } = createRegistry({
    db,
    host,
    statuses,
    now,
    staticFault: dns.staticFault,
    checkRefused,
    onNew: (domain) => inBackground(checks.check(domain)),
  })
  const timer = setInterval(() => inBackground(checks.sweep()), SWEEP_MS).unref()
  // A name may have been registered before it became the service's own.
  const isOwn = (name: string) => host !== undefined && isUnder(name, host)

  return {
    ...registry,
    ...refusals,
    host,
    async read(text) {
      const { name } = await find(text)
      return (await checks.checkIfStale(name)) ?? find(name)
    },
    check: async (text) => (await checks.check(await find(text))) ?? find(text),
    list: () => listDomains(db.read),
    addresses: dns.serviceAddresses,
    async admits(name) {
      if (isOwn(name)) return name === host
      return statuses.statusOf(name) === 'active' || (await checks.checkIfStale(name))?.status === 'active'
    },
    statusOf: (name) => (isOwn(name) ? undefined : statuses.statusOf(name)),
    isEmpty: statuses.isEmpty,
    sweep: checks.sweep,
    close() {
      closed = true
      clearInterval(timer)
    },
  }
}

/** The host that names must lead to. One that every machine has of its own would let every name lead here. */
function hostOf(baseUrl: string | undefined): string | undefined {
  const host = baseUrl === undefined ? undefined : new URL(baseUrl).hostname.replace(/\.$/, '')
  return host === undefined || isLoopback(host) || isUnspecified(host) ? undefined : host
}
