import assert from 'node:assert/strict'
import { PassThrough, Writable } from 'node:stream'
import { test } from 'node:test'
import { createStreamTransport } from './transport.ts'

const line = (content: object) => `${JSON.stringify({ jsonrpc: '2.0', ...content })}\n`
const turn = () => new Promise((resolve) => setImmediate(resolve))

async function open() {
  const input = new PassThrough()
  const writing: (() => void)[] = []
  const output = new Writable({ write: (_chunk, _encoding, done) => void writing.push(done) })
  const sent: unknown[] = []
  const transport = createStreamTransport(input, output, (message) => sent.push(message))
  const state = { isAnswered: false, isClosed: false }
  Object.assign(transport, { onclose: () => (state.isClosed = true) })
  void transport.answered.then(() => (state.isAnswered = true))
  await transport.start()
  return { input, writing, sent, transport, state }
}

const result = { jsonrpc: '2.0', id: 1, result: {} } as const

test('at the end of its input the transport stays open until each request is answered, and the answer is written', async () => {
  const { input, writing, sent, transport, state } = await open()
  input.end(line({ id: 1, method: 'tools/call' }) + line({ method: 'notifications/initialized' }))
  await turn()
  const sending = transport.send(result)
  await turn()
  assert.deepEqual([state.isAnswered, sent], [false, []])
  writing[0]?.()
  await sending
  await transport.answered
  assert.deepEqual([state.isClosed, sent], [false, [result]])
  await transport.close()
  assert.ok(state.isClosed)
})

test('it waits neither for the answer to a request that was cancelled, nor for the end of a subscription', async () => {
  const { input, transport, state } = await open()
  input.write(line({ id: 1, method: 'tools/call' }) + line({ id: 2, method: 'subscriptions/listen' }))
  input.write(line({ method: 'notifications/cancelled', params: { requestId: 1 } }))
  await turn()
  assert.equal(state.isAnswered, false, 'more may be read')
  transport.stop()
  await transport.answered
})

test('an answer that cannot be written is not sent, and nothing more is read', async () => {
  const { input, sent, transport, writing } = await open()
  input.write(line({ id: 1, method: 'tools/call' }))
  await turn()
  const sending = transport.send(result)
  ;(writing[0] as (error: Error) => void)(new Error('nobody reads'))
  await assert.rejects(sending, /nobody reads/)
  await transport.answered
  assert.deepEqual(sent, [])
})
