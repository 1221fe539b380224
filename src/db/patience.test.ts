import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPatience } from './patience.ts'

const busy = new Error('busy')
const isBusy = (error: unknown) => error === busy

test('a lock is waited for while others have their turns, and another error is not', async () => {
  const insist = createPatience({ ms: 1000, everyMs: 1, isBusy, monotonic: () => 0 })
  let isHeld = true
  let turns = 0
  const done = insist(async () => {
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
    insist(() => Promise.reject(wrong)),
    wrong,
  )
})

test('who waits in a queue for the same lock waits no longer than the first, and waits anew once it was free', async () => {
  let now = 0
  let tries = 0
  const insist = createPatience({ ms: 100, everyMs: 0, isBusy, monotonic: () => now })
  const attempt = async () => {
    tries++
    now += 10
    throw busy
  }
  await assert.rejects(insist(attempt), busy)
  assert.ok(tries > 5)
  tries = 0
  for (let waiting = 0; waiting < 3; waiting++) await assert.rejects(insist(attempt), busy)
  assert.equal(tries, 3)
  for (const between of [() => insist(async () => 'free'), () => (now += 100)]) {
    await between()
    tries = 0
    await assert.rejects(insist(attempt), busy)
    assert.ok(tries > 5)
  }
})
