import type { FastifyBaseLogger } from 'fastify'
import type { Database, Executor } from '../db/database.ts'
import { Postponed } from './issuance-error.ts'
import { deleteOrder, findNewestOrder, insertOrder } from './issuance-store.ts'

/** Resolves after some milliseconds; rejects when the signal is aborted. */
export type Sleep = (ms: number, options: { signal: AbortSignal }) => Promise<unknown>

/** What an order is for: the first certificate of a custom domain, or another one of it, the service's host, or an operator asks. */
export type Purpose = 'first' | 'renewal' | 'own' | 'operator'

/** How far back the limits of orders look. */
const BURST_MS = 10_000
export const TOTAL_MS = 3 * 60 * 60 * 1000

/**
 * Limits for all processes on the store together, below those of certificate authorities. Strangers cause the first certificates
 * of names: beside them, places are kept for renewals, and for the service's host.
 */
const limits: Record<Purpose, { burst: number; total: number }> = {
  first: { burst: 8, total: 160 },
  renewal: { burst: 9, total: 190 },
  own: { burst: 10, total: 200 },
  operator: { burst: 10, total: 200 },
}

/**
 * The most first certificates of one registrable domain, and of one network, within the long limit: a quarter of what others
 * have left. So many domains and networks of one stranger leave places, and one that has had none always may have one.
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
  function noteReached(purpose: Purpose, freeAt: number): void {
    if (now() - reachedUntil > TOTAL_MS) {
      const fields = { purpose, limit: limits[purpose].total, next_at: new Date(freeAt).toISOString() }
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
        if (wait > BURST_MS) noteReached(purpose, result.freeAt)
        if (purpose === 'first' || waited + wait > LONGEST_WAIT_MS) {
          const { burst, total } = limits[purpose]
          const reason =
            wait > BURST_MS ? `${total} were ordered in three hours` : `${burst} were ordered in ten seconds`
          throw new Postponed(name, { reason, until: result.freeAt })
        }
        await sleep(wait, { signal })
        waited += wait
      }
    },
    isReached: () => reachedUntil > now(),
  }
}

type Tried = { isPlaced: true; id: number } | { isPlaced: false; freeAt: number }

async function tryAcquire(db: Database, name: string, purpose: Purpose, now: number): Promise<Tried> {
  const { burst, total } = limits[purpose]
  return db.transaction(async (transaction) => {
    await db.lock(transaction, 'certificate orders')
    const freeAt = Math.max(
      await freeTime(transaction, now, { orders: burst, ms: BURST_MS }),
      await freeTime(transaction, now, { orders: total, ms: TOTAL_MS }),
    )
    if (freeAt > now) return { isPlaced: false, freeAt }
    return {
      isPlaced: true,
      id: await insertOrder(transaction, now, now - TOTAL_MS, purpose === 'first' ? name : undefined),
    }
  })
}

/** When fewer orders than the limit are left in its window. */
async function freeTime(db: Executor, now: number, { orders, ms }: { orders: number; ms: number }): Promise<number> {
  // What is further ahead was recorded while the clock was wrong.
  const decisive = await findNewestOrder(db, { since: now - ms, until: now + TOTAL_MS, skip: orders - 1 })
  return decisive === undefined ? now : decisive + ms
}
