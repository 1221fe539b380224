import assert from 'node:assert/strict'
import { test } from 'node:test'
import { throttle } from './throttle.ts'

test('at most one call in the interval is passed on', () => {
  let now = 0
  const calls: number[] = []
  const call = throttle(
    10,
    () => now,
    (value: number) => calls.push(value),
  )
  for (; now < 25; now++) call(now)
  assert.deepEqual(calls, [0, 10, 20])
})
