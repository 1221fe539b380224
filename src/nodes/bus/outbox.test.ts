import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as iteration } from 'node:timers/promises'
import { createOutbox } from './outbox.ts'

const links = (...keys: string[]) => JSON.stringify(['node', 'links', ...keys])
const gap = JSON.stringify(['node', 'gap'])

test('what is published in one iteration is sent together, each key once', async () => {
  const sent: string[][] = []
  const outbox = createOutbox('node')
  outbox.connect(async (payloads) => void sent.push(payloads))
  for (const key of ['a', 'b', 'a']) outbox.publish('links', key)
  outbox.publish('rules', '')
  await iteration()
  outbox.publish('links', 'c')
  await iteration()
  assert.deepEqual(sent, [[links('a', 'b'), JSON.stringify(['node', 'rules', ''])], [links('c')]])
})

test('what could not be sent is a gap for the others, once there is a connection', async () => {
  const sent: string[][] = []
  const outbox = createOutbox('node')
  outbox.publish('links', 'lost')
  await iteration()
  outbox.connect(async (payloads) => void sent.push(payloads))
  assert.deepEqual(sent, [[gap]])
  outbox.connect(async () => {
    throw new Error('cut')
  })
  outbox.publish('links', 'lost too')
  await iteration()
  await iteration()
  outbox.connect(undefined)
  outbox.connect(async (payloads) => void sent.push(payloads))
  assert.deepEqual(sent, [[gap], [gap]])
})

/** A connection whose sends end when the test says so. */
function slowConnection() {
  const sends: { payloads: string[]; done: () => void }[] = []
  return { sends, send: (payloads: string[]) => new Promise<void>((done) => sends.push({ payloads, done })) }
}

test('what is published while a message is on its way is sent together after it', async () => {
  const { sends, send } = slowConnection()
  const outbox = createOutbox('node')
  outbox.connect(send)
  for (let at = 0; at < 200; at++) {
    outbox.publish('links', `k${at}`)
    outbox.publish('links', 'k1')
    await iteration()
  }
  assert.deepEqual(
    sends.map(({ payloads }) => payloads),
    [[links('k0', 'k1')]],
  )
  sends[0]?.done()
  await iteration()
  const rest = Array.from({ length: 199 }, (_, at) => `k${at + 1}`)
  assert.deepEqual(sends[1]?.payloads, [links(...rest)])
  sends[1]?.done()
  await iteration()
  assert.equal(sends.length, 2)
})

test('a connection that does not keep up gets a gap in place of more keys than it may have waiting', async () => {
  const { sends, send } = slowConnection()
  const outbox = createOutbox('node')
  outbox.connect(send)
  outbox.publish('links', 'first')
  await iteration()
  for (let at = 0; at <= 10_000; at++) outbox.publish('links', `k${at}`)
  sends[0]?.done()
  await iteration()
  assert.deepEqual(sends[1]?.payloads, [gap])
  sends[1]?.done()
  outbox.publish('links', 'after')
  await iteration()
  assert.deepEqual(sends[2]?.payloads, [links('after')])
})

test('a gap stands for what was published since a message failed', async () => {
  const sent: string[][] = []
  const outbox = createOutbox('node')
  const { promise, reject } = Promise.withResolvers<void>()
  outbox.connect(() => promise)
  outbox.publish('links', 'lost')
  await iteration()
  outbox.publish('links', 'waiting')
  outbox.connect(async (payloads) => void sent.push(payloads))
  reject(new Error('cut'))
  await iteration()
  outbox.publish('links', 'after')
  await iteration()
  assert.deepEqual(sent, [[gap], [links('after')]])
})
