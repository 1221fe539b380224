import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { openOutput } from './output.ts'

test('a text is written when the system has all of it, and a failure is the error of each text from then on', async () => {
  const taken: (() => void)[] = []
  const stream = new Writable({ write: (_chunk, _encoding, done) => void taken.push(done) })
  const { write } = openOutput(stream)
  let isWritten = false
  const first = write('first').then(() => (isWritten = true))
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(isWritten, false)
  taken[0]?.()
  await first
  const second = write('second')
  ;(taken[1] as (error: Error) => void)(new Error('the reader has gone'))
  await assert.rejects(second, /the reader has gone/)
  await assert.rejects(write('third'))
})
