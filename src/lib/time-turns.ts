import { createFairPool } from './fair-pool.ts'
import { createFairTime } from './fair-time.ts'
import type { Turns, Waiter } from './turns.ts'

interface Entry {
  allocation: string
  start: () => void
}

/**
 * One piece of work at a time, however many wait. Allocations have the same time, and not the same number of turns: one may ask for
 * what takes a second, and another, as a download does, for a thousand pieces of some milliseconds, each once the last has ended.
 * @param monotonic in milliseconds
 */
export function createTimeTurns(monotonic: () => number = () => performance.now()): Turns {
  const queue = createQueue()
  return {
    async run(who, work) {
      await queue.wait(who)
      const startedAt = monotonic()
      try {
        return await work()
      } finally {
        queue.end(who, monotonic() - startedAt)
      }
    },
    waiting: queue.waiting,
  }
}

function createQueue() {
  const time = createFairTime()
  const pool = createFairPool<Entry>({ capacity: Infinity, usedOf: time.of })
  let isBusy = false

  function startNext(): void {
    const next = isBusy ? undefined : pool.take()
    if (next === undefined) return
    isBusy = true
    time.begin(next.allocation)
    next.start()
  }

  return {
    async wait({ holder, signal }: Waiter): Promise<void> {
      signal?.throwIfAborted()
      const { promise, resolve: start, reject } = Promise.withResolvers<void>()
      const entry = { allocation: holder.allocation, start }
      const onAbort = () => pool.remove(entry) && reject(signal?.reason)
      signal?.addEventListener('abort', onAbort)
      time.join(holder.allocation)
      pool.put(entry, holder)
      startNext()
      await promise.finally(() => signal?.removeEventListener('abort', onAbort))
    },
    end({ holder }: Waiter, ms: number): void {
      time.spend(holder.allocation, ms)
      // Whose next piece depends on this one asks for it now, and would else wait for one of each of the others.
      setImmediate(() => {
        isBusy = false
        startNext()
      })
    },
    waiting: pool.length,
  }
}
