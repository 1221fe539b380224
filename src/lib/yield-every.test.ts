import assert from 'node:assert/strict'
import { test } from 'node:test'
import { yieldEvery } from './yield-every.ts'

/** Whether the event loop runs during a call. */
async function letsLoopRun(call: () => Promise<void>): Promise<boolean> {
  let hasRun = false
  setImmediate(() => (hasRun = true))
  await call()
  return hasRun
}

test('the event loop runs once the time has passed, and not before', async () => {
  assert.equal(await letsLoopRun(yieldEvery(0)), true)
  const pause = yieldEvery(Infinity)
  assert.equal(await letsLoopRun(pause), false)
})
