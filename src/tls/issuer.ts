import { createPrivateKey } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../db/database.ts'
import { createLeases, LeaseLost, type AcquireLease, type Lease } from '../db/lease.ts'
import { newKey, type WithAccount } from './account.ts'
import { AcmeError, AuthorityAway } from './acme-error.ts'
import { afterFailure, createAuthorityState, isAhead, noFailures, UNFINISHED, type AuthorityState } from './back-off.ts'
import { findCertificate, saveCertificate, type StoredCertificate } from './certificate-store.ts'
import { readCertificate, renewalId, renewalTime } from './certificate.ts'
import type { OrderCertificate } from './challenge-fallback.ts'
import { createCsr } from './csr.ts'
import { findIssuance, saveIssuance, type Issuance, type Purpose } from './issuance-store.ts'
import { IssuanceError, Postponed } from './issuance-error.ts'
import type { OrderLimiter, Sleep } from './order-limiter.ts'

/** How often a process checks whether another one has finished. */
const POLL_MS = 150

/** The longest that one issuance may take. */
const ISSUANCE_MS = 90_000

export interface IssueOptions {
  /** The certificate to renew. */
  replacing?: StoredCertificate | undefined
  purpose: Purpose
  /** Called when there is a place for the order. */
  onOrder?: () => void
}

export interface Issuer {
  /**
   * Returns a valid certificate for the name. Concurrent calls for one name, in all processes on the store, share one
   * order and its certificate.
   * @throws {IssuanceError}
   */
  issue: (name: string, options: IssueOptions) => Promise<StoredCertificate>
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
  limiter: Pick<OrderLimiter, 'acquire'>
  log: Pick<FastifyBaseLogger, 'warn'>
}

/** What one process's issuances share. */
interface IssuanceDeps extends IssuerDeps {
  acquire: AcquireLease
  authority: AuthorityState
  closing: AbortSignal
}

export function createIssuer(deps: IssuerDeps): Issuer {
  const closing = new AbortController()
  const [acquire, authority] = [createLeases(deps.db, deps.monotonic), createAuthorityState(deps.now)]
  const shared = { ...deps, acquire, authority, closing: closing.signal }
  const running = new Map<string, Promise<StoredCertificate>>()
  return {
    issue(name, options) {
      const present = running.get(name)
      if (present !== undefined) return present
      const mine = issueOnce(shared, name, options).finally(() => running.delete(name))
      running.set(name, mine)
      return mine
    },
    async close() {
      closing.abort()
      await Promise.allSettled(running.values())
    },
  }
}

async function issueOnce(deps: IssuanceDeps, name: string, options: IssueOptions): Promise<StoredCertificate> {
  const { closing } = deps
  const leaseOrIssued = await waitForLease(deps, name, options)
  if ('chain' in leaseOrIssued) return leaseOrIssued
  const lease = leaseOrIssued
  const timeout = AbortSignal.timeout(ISSUANCE_MS)
  try {
    const signal = AbortSignal.any([closing, lease.lost, timeout])
    // Another process may have finished just before the lease was acquired.
    const issued = (await findUsable(deps, name, options)) ?? (await obtain(deps, name, options, signal))
    await save(lease, name, noFailures)
    return issued
  } catch (error) {
    // No order was attempted: that is no failure of the name.
    if (error instanceof IssuanceError || closing.aborted) throw error
    const late = `the authority did not finish the order in ${ISSUANCE_MS / 1000} seconds`
    throw await recordFailure(deps, lease, name, timeout.aborted ? new AcmeError(UNFINISHED, late) : error)
  } finally {
    await lease.release()
  }
}

/** Records when the name may be tried again, and pauses for all names while the authority is away. */
async function recordFailure(
  { db, now, authority, log }: IssuanceDeps,
  lease: Lease,
  name: string,
  error: unknown,
): Promise<IssuanceError> {
  if (error instanceof AuthorityAway) authority.failed(error)
  else if (error instanceof AcmeError) authority.answered()
  const before = (await findIssuance(db.write, name)) ?? noFailures
  const after = afterFailure(before, error, now(), authority.pause()?.until ?? now() + POLL_MS)
  await save(lease, name, after)
  const { fault, failures, retryAt } = after
  log.warn({ domain: name, fault, failures, retry_at: iso(retryAt) }, 'a certificate could not be issued')
  const pause = error instanceof AuthorityAway ? authority.pause() : undefined
  if (pause !== undefined) return new Postponed(name, pause, { cause: error })
  return new IssuanceError(`no certificate for ${name}: ${fault}`, { cause: error })
}

/** Waits for the lease on the name, or until another process has issued a certificate. */
async function waitForLease(
  deps: IssuanceDeps,
  name: string,
  options: IssueOptions,
): Promise<Lease | StoredCertificate> {
  for (;;) {
    const found = (await findUsable(deps, name, options)) ?? (await deps.acquire(`certificate ${name}`))
    if (found !== undefined) return found
    await deps.sleep(POLL_MS, { signal: deps.closing })
  }
}

/** The stored certificate, if it is valid and not the one to replace. @throws {IssuanceError} while none may be ordered */
async function findUsable(
  { db, now, authority }: IssuanceDeps,
  name: string,
  { replacing, purpose }: IssueOptions,
): Promise<StoredCertificate | undefined> {
  const stored = await findCertificate(db.read, name)
  if (stored !== undefined && stored.notAfter > now() && stored.chain !== replacing?.chain) return stored
  const { retryAt = 0, fault } = (await findIssuance(db.read, name)) ?? {}
  if (isAhead(retryAt, now())) throw new IssuanceError(`no certificate for ${name} before ${iso(retryAt)}: ${fault}`)
  // An operator may know that it is back.
  const pause = purpose === 'operator' ? undefined : authority.pause()
  if (pause === undefined) return undefined
  throw new Postponed(name, pause)
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
  { db, now, limiter, authority, withAccount, order }: IssuanceDeps,
  name: string,
  { replacing, purpose, onOrder }: IssueOptions,
  signal: AbortSignal,
): Promise<StoredCertificate> {
  const slot = await limiter.acquire(name, purpose, signal)
  onOrder?.()
  const key = newKey()
  const csr = createCsr(name, createPrivateKey(key))
  const replaces = replacing && renewalId(replacing.chain)
  const chain = await withAccount((signer) => order(signer, { name, csr, replaces, purpose }, signal)).catch(
    async (error) => {
      // An authority that is away must not use up the orders of the hours after it is back.
      if (error instanceof AuthorityAway) await slot.giveBack().catch(() => {})
      throw error
    },
  )
  authority.answered()
  const certificate = readCertificate(name, chain, key, now())
  const stored = { ...certificate, renewAt: Math.floor(renewalTime(certificate)), checkRenewalAt: now() }
  await saveCertificate(db.write, stored)
  return stored
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}
