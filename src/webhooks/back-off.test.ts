import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextAttempt } from './delivery.ts'

const DAY_MS = 86_400_000

/** The times of all attempts after a first failure at 0. */
function attempts(random: number): number[] {
  const times = [0]
  for (let at: number | null = 0; at !== null;) {
    at = nextAttempt(at, { failures: times.length, since: 0 }, random)
    if (at !== null) times.push(at)
  }
  return times
}

test('the pauses grow from seconds to a day, and the last attempt is three days after the first failure', () => {
  const times = attempts(0)
  const pauses = times.slice(1).map((at, index) => at - (times[index] ?? 0))
  assert.equal(pauses[0], 5_000)
  assert.equal(Math.max(...pauses), DAY_MS)
  // All but the last, which ends at the third day.
  for (const [index, pause] of pauses.slice(1, -1).entries()) assert.ok(pause >= (pauses[index] ?? 0))
  assert.equal(times.at(-1), 3 * DAY_MS)
  assert.ok(times.length >= 10 && times.length <= 20, `${times.length} attempts`)
})

test('the jitter takes off up to a quarter of each pause', () => {
  assert.equal(nextAttempt(0, { failures: 1, since: 0 }, 1), 3_750)
  assert.equal(attempts(1).at(-1), 3 * DAY_MS)
})

test('a clock that goes a year ahead after a failure does not give up what waits', () => {
  const year = 365 * DAY_MS
  const next = (failures: number) => nextAttempt(year, { failures, since: 0 }, 0)
  assert.equal(next(2), year + 15_000)
  assert.equal(next(9), year + 32_805_000)
  assert.equal(next(10), null)
})

test('a receiver may ask for a longer pause, up to an hour, and for no shorter one; the last attempt stays where it is', () => {
  const next = (asked: number, failures = 1, now = 0) => nextAttempt(now, { failures, since: 0, asked }, 1)
  assert.equal(next(60_000), 60_000, 'without jitter, which would be too early')
  assert.equal(next(0), 3_750)
  assert.equal(next(1_000), 3_750)
  assert.equal(next(Number.POSITIVE_INFINITY), 3_600_000)
  assert.equal(next(3_600_000, 12), 0.75 * DAY_MS)
  assert.equal(next(3_600_000, 1, 3 * DAY_MS - 1), 3 * DAY_MS)
})
