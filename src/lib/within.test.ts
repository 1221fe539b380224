import assert from 'node:assert/strict'
import { test } from 'node:test'
import { within } from './within.ts'

const tooLate = () => new Error('too late')

test('work that ends in time gives its result, or its error', async () => {
  assert.equal(await within({ ms: 60_000, tooLate }, async () => 7), 7)
  const failing = within({ ms: 60_000, tooLate }, () => Promise.reject(new Error('failed')))
  await assert.rejects(failing, /^Error: failed$/)
})

test('work that takes longer is told, and is not waited for', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let told: unknown
  const endless = within({ ms: 1000, tooLate }, (signal) => {
    signal.addEventListener('abort', () => (told = signal.reason))
    return new Promise(() => {})
  })
  t.mock.timers.tick(1000)
  await assert.rejects(endless, /^Error: too late$/)
  assert.equal((told as Error).message, 'too late')
})

test('work whose result nobody wants any longer is told why', async () => {
  const client = new AbortController()
  const work = within({ ms: 60_000, tooLate, signal: client.signal }, async (signal) => {
    client.abort(new Error('the client has left'))
    signal.throwIfAborted()
  })
  await assert.rejects(work, /the client has left/)
})
