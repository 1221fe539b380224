import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seldom } from './seldom.ts'

test('a call goes through at most once in the time', () => {
  let now = 0
  const calls: number[] = []
  const call = seldom(
    10,
    () => now,
    (value: number) => calls.push(value),
  )
  for (; now < 25; now++) call(now)
  assert.deepEqual(calls, [0, 10, 20])
})
