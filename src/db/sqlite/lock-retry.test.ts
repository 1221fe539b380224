import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLockRetry } from './lock-retry.ts'

const busy = new Error('busy')
const isBusy = (error: unknown) => error === busy

test('a busy lock is retried without blocking the event loop, and another error is thrown at once', async () => {
  const retryBusy = createLockRetry({ ms: 1000, everyMs: 1, isBusy, monotonic: () => 0 })
  let isHeld = true
  let turns = 0
  const done = retryBusy(async () => {
    if (isHeld) throw busy
    return 'done'
  })
  while (turns < 5) {
    await new Promise((resolve) => setImmediate(resolve))
    turns++
  }
  isHeld = false
  assert.equal(await done, 'done')
  const wrong = new Error('wrong')
  await assert.rejects(
    retryBusy(() => Promise.reject(wrong)),
    wrong,
  )
})

test('callers that wait for the same lock share one time-out, which starts over once the lock was free', async () => {
  let now = 0
  let tries = 0
  const retryBusy = createLockRetry({ ms: 100, everyMs: 0, isBusy, monotonic: () => now })
  const attempt = async () => {
    tries++
    now += 10
    throw busy
  }
  await assert.rejects(retryBusy(attempt), busy)
  assert.ok(tries > 5)
  tries = 0
  for (let waiting = 0; waiting < 3; waiting++) await assert.rejects(retryBusy(attempt), busy)
  assert.equal(tries, 3)
  for (const between of [() => retryBusy(async () => 'free'), () => (now += 100)]) {
    await between()
    tries = 0
    await assert.rejects(retryBusy(attempt), busy)
    assert.ok(tries > 5)
  }
})
