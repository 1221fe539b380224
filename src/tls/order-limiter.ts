import type { Database } from '../db/database.ts'
import { countOrders, deleteOrder, insertOrder } from './issuance-store.ts'
import type { Sleep } from './order.ts'

/** Limits for all processes on the store together, below those of certificate authorities. */
const BURST = { orders: 10, ms: 10_000 }
const TOTAL = { orders: 200, ms: 3 * 60 * 60 * 1000 }

/** How often, and how many times, to retry while the burst is exhausted. */
const RETRY_MS = 500
const MAX_TRIES = 40

/** The right to place one order. */
export interface OrderSlot {
  /** For an order that was not placed. */
  giveBack: () => Promise<void>
}

/** Limits the rate of orders, no matter how many names visitors request. */
export interface OrderLimiter {
  /** Waits for a slot in the burst. Undefined when none becomes free, or when the limit of hours is reached. */
  acquire: (signal: AbortSignal) => Promise<OrderSlot | undefined>
}

export function createOrderLimiter(db: Database, now: () => number, sleep: Sleep): OrderLimiter {
  const tryAcquire = () =>
    db.transaction(async (transaction) => {
      await db.lock(transaction, 'certificate orders')
      if ((await countOrders(transaction, now() - TOTAL.ms)) >= TOTAL.orders) return 'exhausted'
      if ((await countOrders(transaction, now() - BURST.ms)) >= BURST.orders) return 'retry'
      return insertOrder(transaction, now(), now() - TOTAL.ms)
    })
  return {
    async acquire(signal) {
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const result = await tryAcquire()
        if (typeof result === 'number') return { giveBack: () => deleteOrder(db.write, result) }
        if (result === 'exhausted') return undefined
        await sleep(RETRY_MS, { signal })
      }
      return undefined
    },
  }
}
