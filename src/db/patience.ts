import { setTimeout as sleep } from 'node:timers/promises'

export interface PatienceOptions {
  /** How long a lock of another process is waited for, by all callers together, in milliseconds. */
  ms: number
  /** How often it is tried again. */
  everyMs: number
  /** Whether an error means that another process holds the lock, and nothing was done. */
  isBusy: (error: unknown) => boolean
  monotonic?: () => number
}

/**
 * Waits between tries for a lock that another process holds. SQLite's own wait (`busy_timeout`) would hold the event
 * loop, and with it everything that needs no lock. All callers share one wait: once it has lasted for `ms`, each gets
 * one try until one succeeds, so that the waits of a queue do not add up.
 * @returns runs an attempt until it succeeds, or fails for another reason
 */
export function createPatience({
  ms,
  everyMs,
  isBusy,
  monotonic = () => performance.now(),
}: PatienceOptions): <T>(attempt: () => Promise<T>) => Promise<T> {
  let busySince: number | undefined
  let busyAt = Number.NEGATIVE_INFINITY
  return async (attempt) => {
    for (;;) {
      try {
        const result = await attempt()
        busySince = undefined
        return result
      } catch (error) {
        if (!isBusy(error)) throw error
        const now = monotonic()
        // Where nobody has tried for so long, nobody knows whether it was held all the time.
        if (busySince === undefined || now - busyAt >= ms) busySince = now
        busyAt = now
        if (now - busySince >= ms) throw error
        await sleep(everyMs)
      }
    }
  }
}
