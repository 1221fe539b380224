import { setTimeout as sleep } from 'node:timers/promises'

export interface LockRetryOptions {
  /** How long all callers together wait for a lock of another process, in milliseconds. */
  ms: number
  /** The time between two attempts, in milliseconds. */
  everyMs: number
  /** Whether an error means that another process holds the lock, and nothing has changed. */
  isBusy: (error: unknown) => boolean
  monotonic?: () => number
}

/**
 * Retries while another process holds a lock. SQLite's own wait (`busy_timeout`) would block the event loop, and with it
 * everything that needs no lock. All callers share one wait: once it has lasted for `ms`, each has one attempt until one
 * succeeds, so that the waits of a queue do not add up.
 * @returns runs an attempt until it succeeds, or fails for another reason
 */
export function createLockRetry({
  ms,
  everyMs,
  isBusy,
  monotonic = () => performance.now(),
}: LockRetryOptions): <T>(attempt: () => Promise<T>) => Promise<T> {
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
        // After a pause as long as this, the lock may have been free in between.
        if (busySince === undefined || now - busyAt >= ms) busySince = now
        busyAt = now
        if (now - busySince >= ms) throw error
        await sleep(everyMs)
      }
    }
  }
}
