import { createPrivateKey } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../db/database.ts'
import { createLeases, LeaseLost, type AcquireLease, type Lease } from '../db/lease.ts'
import { newKey, type WithAccount } from './account.ts'
import { AcmeError } from './acme-error.ts'
import { findCertificate, saveCertificate, type StoredCertificate } from './certificate-store.ts'
import { readCertificate, renewalId, renewalTime } from './certificate.ts'
import type { OrderCertificate } from './challenge-fallback.ts'
import { createCsr } from './csr.ts'
import { findIssuance, saveIssuance, type Issuance } from './issuance-store.ts'
import type { OrderLimiter } from './order-limiter.ts'
import type { Sleep } from './order.ts'

const MINUTE_MS = 60_000

/** The back-off of a name after consecutive failures. */
const BACK_OFF_MS = [MINUTE_MS, 10 * MINUTE_MS, 100 * MINUTE_MS, 24 * 60 * MINUTE_MS]

/** How often a process checks whether another one has finished. */
const POLL_MS = 150

/** A name without failures. */
const noFailures: Issuance = { failures: 0, retryAt: 0, fault: undefined }

/** The longest that one issuance may take. */
const ISSUANCE_MS = 90_000

/** No certificate can be issued for the name now. */
export class IssuanceError extends Error {}

export interface Issuer {
  /**
   * Returns a valid certificate for the name. Concurrent calls for one name, in all processes on the store, share one
   * order and its certificate.
   * @param replacing the certificate to renew
   * @throws {IssuanceError}
   */
  issue: (name: string, replacing?: StoredCertificate) => Promise<StoredCertificate>
  /** Cancels running issuances; resolves when they have ended. */
  close: () => Promise<void>
}

export interface IssuerDeps {
  db: Database
  now: () => number
  monotonic: () => number
  sleep: Sleep
  withAccount: WithAccount
  order: OrderCertificate
  limiter: OrderLimiter
  log: Pick<FastifyBaseLogger, 'warn'>
}

/** What one process's issuances share. */
interface IssuanceDeps extends IssuerDeps {
  acquire: AcquireLease
  closing: AbortSignal
}

export function createIssuer(deps: IssuerDeps): Issuer {
  const closing = new AbortController()
  const shared = { ...deps, acquire: createLeases(deps.db, deps.monotonic), closing: closing.signal }
  const running = new Map<string, Promise<StoredCertificate>>()
  return {
    issue(name, replacing) {
      const present = running.get(name)
      if (present !== undefined) return present
      const mine = issueOnce(shared, name, replacing).finally(() => running.delete(name))
      running.set(name, mine)
      return mine
    },
    async close() {
      closing.abort()
      await Promise.allSettled(running.values())
    },
  }
}

async function issueOnce(deps: IssuanceDeps, name: string, replacing?: StoredCertificate): Promise<StoredCertificate> {
  const { db, now, closing, log } = deps
  const leaseOrIssued = await waitForLease(deps, name, replacing)
  if ('chain' in leaseOrIssued) return leaseOrIssued
  const lease = leaseOrIssued
  try {
    const signal = AbortSignal.any([closing, lease.lost, AbortSignal.timeout(ISSUANCE_MS)])
    // Another process may have finished just before the lease was acquired.
    const issued = (await findUsable(deps, name, replacing)) ?? (await obtain(deps, name, replacing, signal))
    await save(lease, name, noFailures)
    return issued
  } catch (error) {
    const before = (await findIssuance(db.write, name)) ?? noFailures
    // No order was attempted: that is no failure of the name.
    if (error instanceof IssuanceError || closing.aborted) throw error
    const after = afterFailure(before, error, now())
    await save(lease, name, after)
    log.warn({ domain: name, fault: after.fault, failures: after.failures }, 'a certificate could not be issued')
    throw new IssuanceError(`no certificate for ${name}: ${after.fault}`, { cause: error })
  } finally {
    await lease.release()
  }
}

/** Waits for the lease on the name, or until another process has issued a certificate. */
async function waitForLease(
  deps: IssuanceDeps,
  name: string,
  replacing?: StoredCertificate,
): Promise<Lease | StoredCertificate> {
  for (;;) {
    const found = (await findUsable(deps, name, replacing)) ?? (await deps.acquire(`certificate ${name}`))
    if (found !== undefined) return found
    await deps.sleep(POLL_MS, { signal: deps.closing })
  }
}

/** The stored certificate, if it is valid and not the one to replace. @throws {IssuanceError} during the back-off */
async function findUsable(
  { db, now }: IssuerDeps,
  name: string,
  replacing?: StoredCertificate,
): Promise<StoredCertificate | undefined> {
  const stored = await findCertificate(db.read, name)
  if (stored !== undefined && stored.notAfter > now() && stored.chain !== replacing?.chain) return stored
  const last = await findIssuance(db.read, name)
  if (last !== undefined && last.retryAt > now()) {
    const at = new Date(last.retryAt).toISOString()
    throw new IssuanceError(`no certificate for ${name} before ${at}: ${last.fault}`)
  }
  return undefined
}

/** Records the outcome of an attempt, unless another process has taken over the lease. */
async function save(lease: Lease, name: string, issuance: Issuance): Promise<void> {
  try {
    await lease.commit((transaction) => saveIssuance(transaction, name, issuance))
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error
  }
}

async function obtain(
  { db, now, limiter, withAccount, order }: IssuerDeps,
  name: string,
  replacing: StoredCertificate | undefined,
  signal: AbortSignal,
): Promise<StoredCertificate> {
  if (!(await limiter.acquire(signal))) throw new IssuanceError('too many certificates were ordered in the last hours')
  const key = newKey()
  const csr = createCsr(name, createPrivateKey(key))
  const replaces = replacing && renewalId(replacing.chain)
  const chain = await withAccount((signer) => order(signer, { name, csr, replaces }, signal))
  const certificate = readCertificate(name, chain, key, now())
  const stored = { ...certificate, renewAt: Math.floor(renewalTime(certificate)), checkRenewalAt: now() }
  await saveCertificate(db.write, stored)
  return stored
}

function afterFailure(before: Issuance, error: unknown, now: number): Issuance {
  const backOff = BACK_OFF_MS[Math.min(before.failures, BACK_OFF_MS.length - 1)] ?? 0
  const retryAfter = (error instanceof AcmeError && error.retryAfter) || 0
  const fault = error instanceof Error ? error.message : String(error)
  return { failures: before.failures + 1, retryAt: now + Math.max(backOff, retryAfter), fault: fault.slice(0, 500) }
}
