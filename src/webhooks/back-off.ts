const FIRST_MS = 5_000
const FACTOR = 3
const DAY_MS = 86_400_000
/** How long a webhook may fail until it is given up. */
const GIVE_UP_MS = 3 * DAY_MS

/**
 * When an event is sent again: after 5 seconds, then three times as long, up to a day; the last time three days after the
 * first failure. Null after that.
 * @param failures attempts that failed in a row, this one included
 * @param random from 0 to 1: up to a quarter of the time is left out, so that failures at the same time spread
 */
export function nextAttempt(now: number, failures: number, failingSince: number, random: number): number | null {
  const last = failingSince + GIVE_UP_MS
  if (now >= last) return null
  const wait = Math.min(DAY_MS, FIRST_MS * FACTOR ** (failures - 1))
  return Math.min(last, now + Math.round(wait * (1 - random / 4)))
}
