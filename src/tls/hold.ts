import { createFairPool } from '../lib/fair-pool.ts'
import type { Holder } from '../lib/holder.ts'

/** A connection that waits. */
export interface Held {
  holder: Holder
  /** Aborts when the connection has ended, or has waited for too long. */
  ended: AbortSignal
}

/** Bounds how many connections wait for something, which they share fairly. */
export interface Hold {
  /**
   * Does the work on behalf of a connection, which waits for it. Undefined, and the work does not begin, when too many wait;
   * undefined later when the connection gives way to that of a smaller holder, while the work goes on.
   */
  wait: <T>(connection: Held, work: () => Promise<T>) => Promise<T | undefined>
  /** Whether a further connection may not wait. */
  isRefused: (holder: Holder) => boolean
}

/** @param max connections that may wait at the same time */
export function createHold(max: number): Hold {
  const pool = createFairPool<() => void>({ capacity: max })
  return {
    isRefused: pool.isRefused,
    async wait({ holder, ended }, work) {
      if (pool.isRefused(holder) || ended.aborted) return undefined
      const { promise: leaving, resolve } = Promise.withResolvers<undefined>()
      const giveWay = () => resolve(undefined)
      const release = () => void pool.remove(giveWay)
      for (const other of pool.put(giveWay, holder)) other()
      ended.addEventListener('abort', release, { once: true })
      try {
        return await Promise.race([work(), leaving])
      } finally {
        ended.removeEventListener('abort', release)
        release()
      }
    },
  }
}
