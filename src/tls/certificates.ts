import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../db/database.ts'
import { createBoundedCache } from '../lib/bounded-cache.ts'
import { throttle } from '../lib/throttle.ts'
import type { AcmeClient } from './acme.ts'
import type { Accept, Identity } from './listener.ts'
import { IssuanceError, type Issuer } from './issuer.ts'
import { askRenewal } from './renewal.ts'
import {
  deleteCertificates,
  findCertificate,
  findDueCertificates,
  forgiveName,
  listCertificates,
  listIssuances,
  updateRenewal,
  type Issuance,
  type KeptCertificate,
} from './store.ts'
import type { TicketKeys } from './tickets.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** Names that are kept ready; each takes some tens of kilobytes. */
const MAX_READY = 1000

/** How long a certificate is used before the store is asked for a newer certificate, which another process may have got. */
const RELOAD_MS = 5 * 60 * 1000

/** Certificates that nobody can use any more are kept for a while, for whoever asks what happened. */
const KEEP_EXPIRED_MS = 30 * DAY_MS

/** Renewals at a time. */
const SWEEP_WIDTH = 3

const LOG_MS = 60_000

/** A name that has, or should have, a certificate. */
export interface CertificateReport extends Partial<Issuance> {
  name: string
  notAfter: number | undefined
  renewAt: number | undefined
}

/** The certificates of the service, whoever of the processes on the store has got them. */
export interface Certificates {
  /**
   * What accepts connections for the name; at once when it is ready, else a certificate is got first. The caller has
   * made sure that the name may have one. Rejects with an IssuanceError when none can be had now.
   */
  acceptFor: (name: string) => Accept | Promise<Accept>
  /** Renews what is due, and gets the service's own certificate when it has none. */
  sweep: () => Promise<void>
  /** Renews a certificate now, whatever failed before. @throws {IssuanceError} */
  renew: (name: string) => Promise<KeptCertificate>
  list: () => Promise<CertificateReport[]>
}

interface CertificateDeps {
  db: Database
  now: () => number
  monotonic: () => number
  random: () => number
  client: AcmeClient
  issuer: Issuer
  tickets: TicketKeys
  /** The service's own host. */
  host: string
  /** Whether a name is to have a certificate, from memory. */
  isServed: (name: string) => boolean
  createAccept: (identity: Identity) => Accept
  log: Pick<FastifyBaseLogger, 'error'>
}

export function createCertificates(deps: CertificateDeps): Certificates {
  const { db, now, monotonic, issuer, host } = deps
  const ready = createReady(deps)
  const report = throttle(LOG_MS, monotonic, (error: unknown) => deps.log.error({ err: error }, 'certificates: store'))

  async function load(name: string): Promise<Accept> {
    const kept = await findCertificate(db.read, name)
    const usable = kept !== undefined && kept.notAfter > now() ? kept : await issuer.issue(name)
    return ready.put(usable)
  }

  async function renewOne(certificate: KeptCertificate): Promise<void> {
    if (!deps.isServed(certificate.name)) return
    let current = certificate
    if (current.askAt <= now()) {
      current = await askRenewal(deps.client, current, now(), deps.random)
      await updateRenewal(db.write, current)
    }
    if (current.renewAt <= now()) await ready.put(await issuer.issue(current.name, current))
  }

  /** What the issuer refuses it has logged, and it says itself when to try again. */
  const quietly = (work: Promise<unknown>) =>
    work.catch((error: unknown) => {
      if (!(error instanceof IssuanceError)) throw error
    })

  return {
    acceptFor(name) {
      const found = ready.get(name)
      if (found === undefined) return load(name)
      if (found.isStale) load(name).catch(report)
      return found.accept
    },
    async sweep() {
      await deleteCertificates(db.write, now() - KEEP_EXPIRED_MS)
      if ((await findCertificate(db.read, host)) === undefined) await quietly(issuer.issue(host))
      const due = (await findDueCertificates(db.read, now())).values()
      const worker = async () => {
        for (const certificate of due) await quietly(renewOne(certificate))
      }
      await Promise.all(Array.from({ length: SWEEP_WIDTH }, worker))
    },
    async renew(name) {
      if (!deps.isServed(name)) throw new IssuanceError(`${name} is neither the service nor an active domain`)
      await forgiveName(db.write, name)
      const renewed = await issuer.issue(name, await findCertificate(db.read, name))
      await ready.put(renewed)
      return renewed
    },
    async list() {
      const kept = new Map((await listCertificates(db.read)).map((each) => [each.name, each]))
      const tried = new Map((await listIssuances(db.read)).map((each) => [each.name, each]))
      const names = [...new Set([host, ...kept.keys(), ...tried.keys()])].sort()
      return names.map((name) => {
        const { notAfter, renewAt } = kept.get(name) ?? {}
        return { ...tried.get(name), name, notAfter, renewAt }
      })
    },
  }
}

/** Names whose certificate is in memory. They are made anew with each period of ticket keys. */
function createReady({ tickets, now, monotonic, createAccept }: CertificateDeps) {
  interface Ready {
    accept: Accept
    notAfter: number
    period: number
    /** On the clock that never goes back. */
    loadedAt: number
  }
  const cache = createBoundedCache<Ready>(MAX_READY)
  return {
    get(name: string): { accept: Accept; isStale: boolean } | undefined {
      const ready = cache.get(name)
      if (ready === undefined || ready.notAfter <= now() || ready.period !== tickets.period()) return undefined
      const isStale = monotonic() - ready.loadedAt >= RELOAD_MS
      if (isStale) ready.loadedAt = monotonic()
      return { accept: ready.accept, isStale }
    },
    async put({ name, key, chain, notAfter }: KeptCertificate): Promise<Accept> {
      const period = tickets.period()
      const accept = createAccept({ key, chain, ticketKey: await tickets.keyFor(name) })
      cache.set(name, { accept, notAfter, period, loadedAt: monotonic() }, 1)
      return accept
    },
  }
}
