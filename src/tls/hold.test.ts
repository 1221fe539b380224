import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asHolder } from '../lib/holder.ts'
import { createHold } from './hold.ts'

const from = (client: string, ended: AbortSignal) => ({ holder: asHolder(client), ended })

test('the work of a connection beyond the most does not begin, and that of the next does once one has ended', async () => {
  const hold = createHold(2)
  const { signal } = new AbortController()
  const [first, second] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  const waits = [first, second].map(({ promise }) => hold.wait(from('a', signal), () => promise))
  assert.equal(await hold.wait(from('a', signal), () => assert.fail('it has begun')), undefined)
  first.reject(new Error('failed'))
  await assert.rejects(waits[0] ?? assert.fail(), /failed/)
  assert.equal(await hold.wait(from('a', signal), async () => 'third'), 'third')
  second.resolve('second')
  assert.equal(await waits[1], 'second')
})

test('a connection that has ended makes room once, though its work goes on', async () => {
  const hold = createHold(1)
  const [ended, { signal }] = [new AbortController(), new AbortController()]
  const work = Promise.withResolvers<string>()
  const abandoned = hold.wait(from('a', ended.signal), () => work.promise)
  assert.equal(await hold.wait(from('a', signal), async () => 'too many'), undefined)
  ended.abort()
  const next = hold.wait(from('a', signal), () => work.promise)
  work.resolve('done')
  assert.deepEqual(await Promise.all([abandoned, next]), ['done', 'done'])
  assert.equal(await hold.wait(from('a', signal), async () => 'later'), 'later')
  assert.equal(await hold.wait(from('a', ended.signal), () => assert.fail('it has begun')), undefined)
})

test('the latest connection of the network with most gives way to that of another', async () => {
  const hold = createHold(2)
  const { signal } = new AbortController()
  const work = Promise.withResolvers<string>()
  const held = ['192.0.2.1', '192.0.2.2'].map((client) => hold.wait(from(client, signal), () => work.promise))
  assert.equal(hold.isRefused(asHolder('192.0.2.3')), true)
  const other = hold.wait(from('198.51.100.1', signal), () => work.promise)
  assert.equal(await held[1], undefined)
  assert.equal(await hold.wait(from('198.51.100.1', signal), () => assert.fail('it has begun')), undefined)
  work.resolve('done')
  assert.deepEqual(await Promise.all([held[0], other]), ['done', 'done'])
})
