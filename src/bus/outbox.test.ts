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

test('a connection that does not keep up gets a gap in place of more messages than it may have waiting', async () => {
  const sends: { payloads: string[]; done: () => void }[] = []
  const outbox = createOutbox('node')
  outbox.connect((payloads) => new Promise((done) => sends.push({ payloads, done })))
  for (let at = 0; at < 80; at++) {
    outbox.publish('links', `k${at}`)
    await iteration()
  }
  assert.equal(sends.length, 50)
  for (const { done } of sends.slice()) done()
  await iteration()
  assert.deepEqual(sends.at(-1)?.payloads, [gap])
})
