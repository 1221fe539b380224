import { setImmediate as yieldToLoop } from 'node:timers/promises'

/**
 * Shares the event loop during long work.
 * @param yieldNow lets others have it
 * @returns to be awaited between two steps: lets the loop run once `ms` milliseconds have passed since it last did
 */
export function yieldEvery(ms: number, yieldNow: () => Promise<void> = yieldToLoop): () => Promise<void> {
  let startedAt = performance.now()
  return async () => {
    if (performance.now() - startedAt < ms) return
    await yieldNow()
    startedAt = performance.now()
  }
}
