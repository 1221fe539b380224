import { setTimeout as sleep } from 'node:timers/promises'
import { isAway, isBusy } from './unavailable.ts'

/** How long the operator's work begins again while it finds others' locks, or no connection. */
const BUSY_MS = 60_000
/** The same while the store does not answer, from when it first did not: an attempt that is late takes longer than this by itself. */
const AWAY_MS = 5_000
/** The longest pause between two attempts. */
const PAUSE_MS = 500

/** @returns whether to begin again after an error: the store is busy, or does not answer, and not for too long */
export function createPatience(monotonic: () => number): (error: unknown) => boolean {
  const begunAt = monotonic()
  let awaySince: number | undefined
  return (error) => {
    const at = monotonic()
    if (at - begunAt > BUSY_MS) return false
    if (isBusy(error)) return true
    if (!isAway(error)) return false
    awaySince ??= at
    return at - awaySince < AWAY_MS
  }
}

/** Between two attempts. Processes that failed at the same time do not begin again at the same time. */
export const pause = () => sleep(Math.random() * PAUSE_MS)

/** Reads for what the operator does, again as long as his changes begin again (`Database.urgent`). */
export async function readPatiently<T>(read: () => Promise<T>, monotonic = () => performance.now()): Promise<T> {
  for (const isPatient = createPatience(monotonic); ;) {
    try {
      return await read()
    } catch (error) {
      if (!isPatient(error)) throw error
    }
    await pause()
  }
}
