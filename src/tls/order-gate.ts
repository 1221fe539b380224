import type { Database } from '../db/database.ts'
import type { Sleep } from './order.ts'
import { countOrders, insertOrder } from './store.ts'

/** Orders that all processes on the store together may place, below what authorities allow: so many in so long. */
const BURST = { orders: 10, ms: 10_000 }
const TOTAL = { orders: 200, ms: 3 * 60 * 60 * 1000 }

/** How often a place in the burst is looked for, and for how long. */
const LOOK_MS = 500
const MAX_LOOKS = 40

/** Bounds how many certificates are ordered, whatever visitors ask for. */
export interface OrderGate {
  /** Waits for a place in the burst. False when there is none for now, or too many were placed in the last hours. */
  admit: (signal: AbortSignal) => Promise<boolean>
}

export function createOrderGate(db: Database, now: () => number, sleep: Sleep): OrderGate {
  const look = () =>
    db.transaction(async (transaction) => {
      if ((await countOrders(transaction, now() - TOTAL.ms)) >= TOTAL.orders) return 'never'
      if ((await countOrders(transaction, now() - BURST.ms)) >= BURST.orders) return 'later'
      await insertOrder(transaction, now(), now() - TOTAL.ms)
      return 'now'
    })
  // One after the other; other processes may come in between, so that the bounds may be passed by one for each of them.
  let last: Promise<unknown> = Promise.resolve()
  const take = () => {
    const mine = last.then(look, look)
    last = mine.catch(() => {})
    return mine
  }
  return {
    async admit(signal) {
      for (let looks = 0; looks < MAX_LOOKS; looks++) {
        const place = await take()
        if (place !== 'later') return place === 'now'
        await sleep(LOOK_MS, { signal })
      }
      return false
    },
  }
}
