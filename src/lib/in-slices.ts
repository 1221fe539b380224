import { createFairPool } from './fair-pool.ts'
import type { Holder } from './holder.ts'

/** How long work is started in one iteration of the event loop, in milliseconds. */
const SLICE_MS = 4
/** Work that is started in one iteration, each in an immediate of its own: what it does in the next tick counts as well. */
const MAX_STEPS = 64

/**
 * Keeps iterations of the event loop short, however much short work comes at once: what a slice has no time for waits for the
 * next one, and of what waits, networks take turns. Work that comes alone starts at once. There is no bound of what waits: the
 * number of connections is one.
 * @returns starts work on behalf of a holder
 */
export function createSlices(monotonic = () => performance.now()): (holder: Holder, work: () => void) => void {
  const waiting = createFairPool<() => void>({ capacity: Infinity })
  let isScheduled = false
  let end = 0

  function step(isFirst: boolean): void {
    if (isFirst) end = monotonic() + SLICE_MS
    else if (monotonic() >= end) return
    waiting.take()?.()
  }

  function startWaiting(): void {
    const steps = Math.min(waiting.length(), MAX_STEPS)
    isScheduled = steps > 0
    if (steps === 0) return
    for (let at = 0; at < steps; at++) setImmediate(step, at === 0)
    setImmediate(startWaiting)
  }

  return (holder, work) => {
    if (isScheduled && (monotonic() >= end || waiting.length() > 0)) return void waiting.put(work, holder)
    if (!isScheduled) {
      isScheduled = true
      end = monotonic() + SLICE_MS
      setImmediate(startWaiting)
    }
    work()
  }
}
