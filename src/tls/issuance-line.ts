import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../db/database.ts'
import { throttle } from '../lib/throttle.ts'
import { isAhead } from './back-off.ts'
import type { StoredCertificate } from './certificate-store.ts'
import { IssuanceError, Postponed } from './issuance-error.ts'
import { countOrders, dequeue, findNext, TOTAL_MS } from './issuance-store.ts'
import type { Issuer } from './issuer.ts'
import { shareOf, type Sleep } from './order-limiter.ts'
import { findWeekFault } from './week.ts'

/**
 * Names that are ordered at the same time by one process: as many as may be ordered while the slowest is, 8 in ten seconds for 90. So
 * names whose validation takes long hold no place that others wait for, and no domain and no network has more than half: 40 in three hours.
 */
const WIDTH = 80

/** The pause after an error of the store. */
const MINUTE_MS = 60_000

/** Why nothing is ordered for now, and until when. */
export type Stop = Pick<Postponed, 'reason' | 'until'>

export interface LineDeps {
  db: Database
  now: () => number
  monotonic: () => number
  sleep: Sleep
  issuer: Issuer
  /** Whether a name may have a certificate, from memory. */
  isServed: (name: string) => boolean
  /** The registrable domain of a name. */
  registrableOf: (name: string) => string
  log: Pick<FastifyBaseLogger, 'error'>
}

/** The work of one process on the queue. */
export interface Line {
  /** Goes on with what is due. */
  resume: () => void
  /** The attempt for a name that is under way. */
  attemptOf: (name: string) => Promise<StoredCertificate> | undefined
  /** Resolves when an attempt begins or ends. */
  changed: () => Promise<true>
  stop: () => Stop | undefined
  /** Resolves when the attempts under way have ended. */
  ended: () => Promise<unknown>
}

export function createLine(deps: LineDeps, closing: AbortSignal): Line {
  const { db, now } = deps
  const attempts = createAttempts(deps, closing)
  const { running, signal, stop } = attempts
  let isGoing = false

  async function findInTurn(except: string[]): Promise<string | undefined> {
    const since = now() - TOTAL_MS
    return findNext(db.read, { now: now(), since, most: shareOf(await countOrders(db.read, since)), except })
  }

  /** Begins what is due, in turn, until nothing is left that may be ordered. */
  async function go(): Promise<void> {
    while (!closing.aborted) {
      const changed = signal.next()
      const pause = stop()
      if (pause !== undefined) {
        await sleepUnless(deps, changed, pause.until - now(), closing)
        continue
      }
      const next = running.size < WIDTH ? await findInTurn([...running.keys()]) : undefined
      if (next !== undefined) await attempts.begin(next)
      else if (running.size > 0 || signal.next() !== changed) await changed
      else break
    }
    // Before anything else runs, so that no call of `resume` is lost.
    isGoing = false
  }

  return {
    resume() {
      signal.tell()
      if (isGoing) return
      isGoing = true
      go().catch((error: unknown) => {
        isGoing = false
        attempts.stopFor(error)
      })
    },
    attemptOf: (name) => running.get(name),
    changed: signal.next,
    stop,
    ended: () => Promise.allSettled(running.values()),
  }
}

/** Sleeps until something has changed, at most that long. */
export async function sleepUnless(
  { sleep }: Pick<LineDeps, 'sleep'>,
  changed: Promise<unknown>,
  ms: number,
  closing: AbortSignal,
): Promise<void> {
  const over = new AbortController()
  try {
    await Promise.race([changed, sleep(ms, { signal: AbortSignal.any([closing, over.signal]) })])
  } finally {
    over.abort()
  }
}

/** Attempts for names, and what stops them all. */
function createAttempts(deps: LineDeps, closing: AbortSignal) {
  const { now, monotonic, log } = deps
  const running = new Map<string, Promise<StoredCertificate>>()
  const signal = createSignal()
  const report = throttle(MINUTE_MS, monotonic, (err: unknown) => log.error({ err }, 'certificates wait: store'))
  let stopped: Stop | undefined

  function stopFor(error: unknown): void {
    if (error instanceof Postponed) stopped = error
    else {
      if (!closing.aborted) report(error)
      stopped = { reason: 'the store cannot be used', until: now() + MINUTE_MS }
    }
    signal.tell()
  }

  async function attempt(name: string, onOrder: () => void): Promise<StoredCertificate> {
    try {
      return await tryName(deps, name, [...running.keys()], onOrder)
    } catch (error) {
      if (error instanceof Postponed || !(error instanceof IssuanceError)) stopFor(error)
      throw error
    } finally {
      running.delete(name)
      signal.tell()
    }
  }

  return {
    running,
    signal,
    stopFor,
    stop: () => (stopped !== undefined && isAhead(stopped.until, now()) ? stopped : undefined),
    /** Resolves once there is a place for the order, so that names are ordered in their order, or when there is none. */
    async begin(name: string): Promise<void> {
      const ordered = Promise.withResolvers<void>()
      const begun = attempt(name, ordered.resolve)
      running.set(name, begun)
      signal.tell()
      await Promise.race([ordered.promise, begun.catch(() => {})])
    },
  }
}

/** Tells those who wait that something has changed. */
function createSignal() {
  let change = Promise.withResolvers<true>()
  return {
    next: () => change.promise,
    tell: () => {
      change.resolve(true)
      change = Promise.withResolvers()
    },
  }
}

/** @param others the names that are ordered at the moment */
async function tryName(
  deps: LineDeps,
  name: string,
  others: string[],
  onOrder: () => void,
): Promise<StoredCertificate> {
  const { db, issuer, isServed } = deps
  const fault = isServed(name) ? await findWeekFault(deps, name, others) : 'it is no active domain'
  if (fault !== undefined) {
    await dequeue(db.write, name)
    throw new IssuanceError(`no certificate for ${name}: ${fault}`)
  }
  const issued = await issuer.issue(name, { purpose: 'first', onOrder })
  // Another process may have ordered it.
  await dequeue(db.write, name)
  return issued
}
