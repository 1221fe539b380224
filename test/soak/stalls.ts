import { setTimeout as sleep } from 'node:timers/promises'

const BEAT_MS = 500
/** Below the time-outs of the service. */
const STALL_MS = 4000

/** Notices when this machine stood still, as in sleep: connections have timed out then, on both sides. */
export interface Stalls {
  count: () => number
  /** Whether it stood still since then, by `performance.now()`. */
  since: (at: number) => Promise<boolean>
  stop: () => void
}

export function watchStalls(): Stalls {
  let beat = performance.now()
  let stalledAt = Number.NEGATIVE_INFINITY
  let count = 0
  const timer = setInterval(() => {
    const now = performance.now()
    if (now - beat > STALL_MS) {
      stalledAt = now
      count++
    }
    beat = now
  }, BEAT_MS)
  return {
    count: () => count,
    async since(at) {
      await sleep(2 * BEAT_MS)
      return stalledAt >= at
    },
    stop: () => clearInterval(timer),
  }
}
