import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPace } from './pace.ts'

/** Lets requests start one after the other, each so many milliseconds after the one before, while others wait. */
function start(pace: ReturnType<typeof createPace>, clock: { now: number }, count: number, everyMs: number): void {
  for (let at = 0; at < count; at++, clock.now += everyMs) pace.onStart(clock.now, at < count - 1)
}

test('the pace is the expected one at first, and then the one at which requests start', () => {
  const [pace, clock] = [createPace(2), { now: 0 }]
  assert.equal(pace.ms(clock.now), 2)
  start(pace, clock, 1000, 5)
  assert.ok(Math.abs(pace.ms(clock.now - 5) - 5) < 0.2, String(pace.ms(clock.now)))
  start(pace, clock, 10_000, 0.5)
  assert.ok(Math.abs(pace.ms(clock.now) - 0.5) < 0.05, String(pace.ms(clock.now)))
})

test('a few slow starts, while a burst still arrives, do not make it slow', () => {
  const [pace, clock] = [createPace(2), { now: 0 }]
  start(pace, clock, 20, 10)
  assert.ok(pace.ms(clock.now) < 3, String(pace.ms(clock.now)))
})

test('time in which nothing waited does not count', () => {
  const pace = createPace(2)
  for (let now = 0; now < 9000; now += 900) pace.onStart(now, false)
  assert.equal(pace.ms(9000), 2)
})

test('what was measured fades while nothing waits, so that a slow burst does not have the next one refused', () => {
  const pace = createPace(2)
  for (let now = 0; now <= 9000; now += 1000) pace.onStart(now, true)
  assert.ok(pace.ms(9000) > 500, String(pace.ms(9000)))
  assert.ok(pace.ms(20_000) > 500, 'while requests wait, nothing fades')
  pace.onStart(20_000, false)
  assert.ok(pace.ms(20_010) > 500, String(pace.ms(20_010)))
  assert.ok(pace.ms(30_000) < 3, String(pace.ms(30_000)))
})
