import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHold } from './hold.ts'

test('the work of a connection beyond the most does not begin, and that of the next does once one has ended', async () => {
  const hold = createHold(2)
  const { signal } = new AbortController()
  const [first, second] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  const waits = [first, second].map(({ promise }) => hold.wait(signal, [], () => promise))
  assert.equal(await hold.wait(signal, [], () => assert.fail('it has begun')), undefined)
  first.reject(new Error('failed'))
  await assert.rejects(waits[0] ?? assert.fail(), /failed/)
  assert.equal(await hold.wait(signal, [], async () => 'third'), 'third')
  second.resolve('second')
  assert.equal(await waits[1], 'second')
})

test('a connection that has ended makes room once, though its work goes on', async () => {
  const hold = createHold(1)
  const [ended, { signal }] = [new AbortController(), new AbortController()]
  const work = Promise.withResolvers<string>()
  const abandoned = hold.wait(ended.signal, [], () => work.promise)
  assert.equal(await hold.wait(signal, [], async () => 'too many'), undefined)
  ended.abort()
  const next = hold.wait(signal, [], () => work.promise)
  work.resolve('done')
  assert.deepEqual(await Promise.all([abandoned, next]), ['done', 'done'])
  assert.equal(await hold.wait(signal, [], async () => 'later'), 'later')
  assert.equal(await hold.wait(ended.signal, [], () => assert.fail('it has begun')), undefined)
})

test('of one holder as many wait as its share, while others find room', async () => {
  const hold = createHold(100)
  const { signal } = new AbortController()
  const [ended, never] = [new AbortController(), new Promise<string>(() => {})]
  const of = (holder: string) => [{ holder, most: 2 }]
  void hold.wait(signal, of('a'), () => never)
  void hold.wait(ended.signal, of('a'), () => never)
  assert.ok(hold.isFull(of('a')))
  assert.equal(await hold.wait(signal, of('a'), () => assert.fail('it has begun')), undefined)
  assert.equal(await hold.wait(signal, of('b'), async () => 'b'), 'b')
  ended.abort()
  assert.equal(await hold.wait(signal, of('a'), async () => 'a'), 'a')
})
