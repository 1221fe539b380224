import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createNotReady } from './readiness.ts'

/** Of a service that nothing is wrong with, but what its store says. */
function notReadyBy(check: () => Promise<void>): () => Promise<string | undefined> {
  const none = () => undefined
  const store = { db: { check, doubtMs: 0 }, faults: { recent: none } }
  return createNotReady(store, { begun: () => false }, { fault: none }, { fault: none }, { notReady: none })
}

test('however many ask at once whether the service is ready, the store is asked once, and again when that is answered', async () => {
  let asked = 0
  const notReady = notReadyBy(async () => void asked++)
  assert.deepEqual(await Promise.all(Array.from({ length: 9 }, notReady)), Array(9).fill(undefined))
  assert.equal(asked, 1)
  await notReady()
  assert.equal(asked, 2)
})

test('all who have asked learn that the store has failed, and the next one asks it again', async () => {
  let fails = true
  const notReady = notReadyBy(async () => {
    if (fails) throw new Error('away')
  })
  for (const each of await Promise.allSettled([notReady(), notReady()])) assert.equal(each.status, 'rejected')
  fails = false
  assert.equal(await notReady(), undefined)
})
