import { createPrivateKey } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../db/database.ts'
import { createLeases, LeaseLost, type Lease } from '../db/lease.ts'
import { newKey, type WithAccount } from './account.ts'
import { AcmeError } from './acme.ts'
import { readCertificate, renewalId, renewalTime } from './certificate.ts'
import { createCsr } from './csr.ts'
import type { Sleep } from './order.ts'
import type { Ordering } from './ordering.ts'
import type { OrderGate } from './order-gate.ts'
import {
  findCertificate,
  findIssuance,
  saveCertificate,
  saveIssuance,
  type Issuance,
  type KeptCertificate,
} from './store.ts'

const MINUTE_MS = 60_000

/** How long a name rests after failures in a row. */
const BACK_OFF_MS = [MINUTE_MS, 10 * MINUTE_MS, 100 * MINUTE_MS, 24 * 60 * MINUTE_MS]

/** How often a process looks whether another has finished. */
const LOOK_MS = 150

/** What is known of a name that was never tried, or succeeded. */
const untried: Issuance = { failures: 0, retryAt: 0, fault: undefined }

/** The longest that one issuance may take. */
const ISSUANCE_MS = 90_000

/** No certificate can be had for the name now. */
export class IssuanceError extends Error {}

export interface Issuer {
  /**
   * A certificate for the name that is valid now. Whoever asks for the same name meanwhile, in this process or in
   * another on the store, gets the same one: there is one order at a time for a name.
   * @param replacing the certificate that is to be renewed
   * @throws {IssuanceError}
   */
  issue: (name: string, replacing?: KeptCertificate) => Promise<KeptCertificate>
  /** Gives up what is being got; resolves when nothing is. */
  close: () => Promise<void>
}

export interface IssuerDeps {
  db: Database
  now: () => number
  sleep: Sleep
  withAccount: WithAccount
  order: Ordering
  gate: OrderGate
  log: Pick<FastifyBaseLogger, 'warn'>
}

export function createIssuer(deps: IssuerDeps): Issuer {
  const { db, now, sleep } = deps
  const acquire = createLeases(db, now)
  const closing = new AbortController()
  const underWay = new Map<string, Promise<KeptCertificate>>()

  /** What is there already. @throws {IssuanceError} while the name rests after a failure */
  async function look(name: string, replacing?: KeptCertificate): Promise<KeptCertificate | undefined> {
    const present = await findCertificate(db.read, name)
    if (present !== undefined && present.notAfter > now() && present.chain !== replacing?.chain) return present
    const last = await findIssuance(db.read, name)
    if (last !== undefined && last.retryAt > now()) {
      const at = new Date(last.retryAt).toISOString()
      throw new IssuanceError(`no certificate for ${name} before ${at}: ${last.fault}`)
    }
    return undefined
  }

  /** Waits until the name is free, or there is a certificate. */
  async function take(name: string, replacing?: KeptCertificate): Promise<Lease | KeptCertificate> {
    for (;;) {
      const taken = (await look(name, replacing)) ?? (await acquire(`certificate ${name}`))
      if (taken !== undefined) return taken
      await sleep(LOOK_MS, { signal: closing.signal })
    }
  }

  async function run(name: string, replacing?: KeptCertificate): Promise<KeptCertificate> {
    const taken = await take(name, replacing)
    if ('chain' in taken) return taken
    try {
      const signal = AbortSignal.any([closing.signal, taken.lost, AbortSignal.timeout(ISSUANCE_MS)])
      // Another may have finished between the look and the lease.
      const issued = (await look(name, replacing)) ?? (await obtain(deps, name, replacing, signal))
      await save(taken, name, untried)
      return issued
    } catch (error) {
      const before = (await findIssuance(db.write, name)) ?? untried
      // What was not tried does not count.
      if (error instanceof IssuanceError || closing.signal.aborted) throw error
      const after = afterFailure(before, error, now())
      await save(taken, name, after)
      deps.log.warn({ domain: name, fault: after.fault, failures: after.failures }, 'no certificate could be got')
      throw new IssuanceError(`no certificate for ${name}: ${after.fault}`, { cause: error })
    } finally {
      await taken.release()
    }
  }

  return {
    issue(name, replacing) {
      const running = underWay.get(name)
      if (running !== undefined) return running
      const mine = run(name, replacing).finally(() => underWay.delete(name))
      underWay.set(name, mine)
      return mine
    },
    async close() {
      closing.abort()
      await Promise.allSettled(underWay.values())
    },
  }
}

/** Saves what came of an attempt, unless another process has taken the name over. */
async function save(lease: Lease, name: string, issuance: Issuance): Promise<void> {
  try {
    await lease.commit((transaction) => saveIssuance(transaction, name, issuance))
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error
  }
}

async function obtain(
  { db, now, gate, withAccount, order }: IssuerDeps,
  name: string,
  replacing: KeptCertificate | undefined,
  signal: AbortSignal,
): Promise<KeptCertificate> {
  if (!(await gate.admit(signal))) throw new IssuanceError('too many certificates were ordered in the last hours')
  const key = newKey()
  const csr = createCsr(name, createPrivateKey(key))
  const replaces = replacing && renewalId(replacing.chain)
  const chain = await withAccount((signer) => order(signer, { name, csr, replaces }, signal))
  const certificate = readCertificate(name, chain, key, now())
  const kept = { ...certificate, renewAt: Math.floor(renewalTime(certificate)), askAt: now() }
  await saveCertificate(db.write, kept)
  return kept
}

function afterFailure(before: Issuance, error: unknown, now: number): Issuance {
  const rest = BACK_OFF_MS[Math.min(before.failures, BACK_OFF_MS.length - 1)] ?? 0
  const asked = (error instanceof AcmeError && error.retryAfter) || 0
  const reason = error instanceof Error ? error.message : String(error)
  return { failures: before.failures + 1, retryAt: now + Math.max(rest, asked), fault: reason.slice(0, 500) }
}
