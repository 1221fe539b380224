const FIRST_MS = 5_000
const FACTOR = 3
const DAY_MS = 86_400_000
/** How long a webhook may fail until it is given up. */
const GIVE_UP_MS = 3 * DAY_MS
/** How often it has failed by then at least: a clock that goes ahead makes no days of one failure. */
const GIVE_UP_FAILURES = 10
/** The longest that a receiver may ask to be left alone. */
const LONGEST_ASKED_MS = 3_600_000

/** A failed attempt, and those before it in a row. */
export interface Failing {
  /** This attempt included. */
  failures: number
  since: number
  /** The wait that the receiver has asked for, in milliseconds. */
  asked?: number | undefined
}

/**
 * When an event is sent again: after 5 seconds, then three times as long, up to a day; not before the receiver wants it, which may ask for
 * an hour; the last time three days after the first failure, or after ten of them if these come later. Null after that.
 * @param random from 0 to 1: up to a quarter of the time is left out, so that failures at the same time spread
 */
export function nextAttempt(now: number, { failures, since, asked = 0 }: Failing, random: number): number | null {
  const last = since + GIVE_UP_MS
  if (now >= last && failures >= GIVE_UP_FAILURES) return null
  const wait = Math.min(DAY_MS, FIRST_MS * FACTOR ** (failures - 1)) * (1 - random / 4)
  const next = now + Math.round(Math.max(wait, Math.min(asked, LONGEST_ASKED_MS)))
  return now >= last ? next : Math.min(last, next)
}
