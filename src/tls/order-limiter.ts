import type { FastifyBaseLogger } from 'fastify'
import type { Database, Executor } from '../db/database.ts'
import { Postponed } from './issuance-error.ts'
import { countOrders, deleteOrder, findNewestOrder, insertOrder, TOTAL_MS, type Purpose } from './issuance-store.ts'

/** Resolves after some milliseconds; rejects when the signal is aborted. */
export type Sleep = (ms: number, options: { signal: AbortSignal }) => Promise<unknown>

/** How far back the shorter limit of orders looks. */
const BURST_MS = 10_000

/**
 * Limits for all processes on the store together, below those of certificate authorities. Strangers cause the first certificates
 * of names: beside them, places are kept for renewals, and for the service's host.
 */
const limits: Record<Purpose, Limits> = {
  first: { burst: 8, total: 160 },
  // So that places for first certificates are left, however many renewals are due.
  renewal: { burst: 9, total: 190, ofPurpose: () => 120 },
  // Strangers may have any number of names whose renewals fail again and again: all together have one share.
  retry: { burst: 8, total: 190, ofPurpose: shareOf },
  own: { burst: 10, total: 200 },
  operator: { burst: 10, total: 200 },
}

interface Limits {
  /** The most orders of all in ten seconds, and in three hours, with which one of this purpose may still be placed. */
  burst: number
  total: number
  /** The most orders of this purpose in three hours, when so many of all were placed in them. */
  ofPurpose?: (ordered: number) => number
}

/**
 * The most first certificates of one registrable domain, and of one network, within the long limit: a quarter of what others
 * have left. So many domains and networks of one stranger leave places, and one that has had none always may have one.
 * Renewals that have failed before have the same together.
 * @param ordered certificates of all within the limit
 */
export function shareOf(ordered: number): number {
  return Math.max(1, Math.floor((limits.first.total - ordered) / 3))
}

/** How long to wait for a place in the burst. */
const LONGEST_WAIT_MS = 20_000

/** The right to place one order. */
export interface OrderSlot {
  /** For an order that was not placed. */
  giveBack: () => Promise<void>
}

/** Limits the rate of orders, no matter how many names visitors request. */
export interface OrderLimiter {
  /**
   * Waits for a place in the burst, but not for first certificates: those wait in a queue.
   * @throws {Postponed} until there is a place
   */
  acquire: (name: string, purpose: Purpose, signal: AbortSignal) => Promise<OrderSlot>
  /** Whether the limit of hours is reached, so that something waits. */
  isReached: () => boolean
}

interface LimiterDeps {
  db: Database
  now: () => number
  sleep: Sleep
  log: Pick<FastifyBaseLogger, 'warn'>
}

export function createOrderLimiter({ db, now, sleep, log }: LimiterDeps): OrderLimiter {
  let reachedUntil = 0

  /** Says so once: places become free one by one, and are taken at once while names wait. */
  function noteReached(purpose: Purpose, { orders, freeAt }: Full): void {
    if (now() - reachedUntil > TOTAL_MS) {
      const fields = { purpose, limit: orders, next_at: new Date(freeAt).toISOString() }
      log.warn(fields, 'certificates wait: as many were ordered in the last three hours as may be')
    }
    reachedUntil = Math.max(reachedUntil, freeAt)
  }

  return {
    async acquire(name, purpose, signal) {
      for (let waited = 0; ;) {
        const result = await tryAcquire(db, name, purpose, now())
        if (result.isPlaced) return { giveBack: () => deleteOrder(db.write, result.id) }
        const wait = result.freeAt - now()
        // Of what fails again and again, there is always more than may be ordered.
        if (wait > BURST_MS && purpose !== 'retry') noteReached(purpose, result)
        if (purpose === 'first' || waited + wait > LONGEST_WAIT_MS) {
          const within = wait > BURST_MS ? 'three hours' : 'ten seconds'
          throw new Postponed(name, { reason: `${result.orders} were ordered in ${within}`, until: result.freeAt })
        }
        await sleep(wait, { signal })
        waited += wait
      }
    },
    isReached: () => reachedUntil > now(),
  }
}

/** A limit that is reached: how many orders it allows, and when there is a place again. */
interface Full {
  orders: number
  freeAt: number
}

type Tried = { isPlaced: true; id: number } | ({ isPlaced: false } & Full)

async function tryAcquire(db: Database, name: string, purpose: Purpose, now: number): Promise<Tried> {
  return db.transaction(async (transaction) => {
    await db.lock(transaction, 'certificate orders')
    const full = await findFull(transaction, purpose, now)
    if (full !== undefined) return { isPlaced: false, ...full }
    return { isPlaced: true, id: await insertOrder(transaction, { name, purpose }, now, now - TOTAL_MS) }
  })
}

/** Of the limits that are reached, the one that is for longest. */
async function findFull(db: Executor, purpose: Purpose, now: number): Promise<Full | undefined> {
  const { burst, total, ofPurpose } = limits[purpose]
  const windows: Window[] = [
    { orders: burst, ms: BURST_MS },
    { orders: total, ms: TOTAL_MS },
  ]
  if (ofPurpose !== undefined) {
    const orders = ofPurpose(await countOrders(db, now - TOTAL_MS))
    windows.push({ orders, ms: TOTAL_MS, purpose })
  }
  let longest: Full | undefined
  for (const window of windows) {
    const freeAt = await freeTime(db, now, window)
    if (freeAt > (longest?.freeAt ?? now)) longest = { orders: window.orders, freeAt }
  }
  return longest
}

interface Window {
  /** The most orders in it. */
  orders: number
  ms: number
  /** Of which orders; undefined: of all. */
  purpose?: Purpose
}

/** When fewer orders than the limit are left in its window. */
async function freeTime(db: Executor, now: number, { orders, ms, purpose }: Window): Promise<number> {
  // What is further ahead was recorded while the clock was wrong.
  const query = { since: now - ms, until: now + TOTAL_MS, skip: orders - 1, purpose }
  const decisive = await findNewestOrder(db, query)
  return decisive === undefined ? now : decisive + ms
}
