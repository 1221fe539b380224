import assert from 'node:assert/strict'
import { connect, type AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import fastify from 'fastify'
import { asHolder } from '../lib/holder.ts'
import { poll } from '../../test/support/poll.ts'
import { createAdmission } from './admission.ts'
import { queueRequests } from './admission-hooks.ts'

/** An app with one place, and a route whose work ends when the test says so. */
async function open(t: TestContext, work: (gate: Promise<void>) => unknown) {
  const monotonic = () => 0
  const bounds = { pages: { waiting: 4, concurrent: 1 } }
  const admission = createAdmission({ monotonic, beforeSlice: () => {}, bounds })
  const app = fastify()
  queueRequests(app, { admission, holderOf: () => asHolder('192.0.2.1'), isLate: () => false, monotonic })
  const { promise, resolve: end } = Promise.withResolvers<void>()
  let started = 0
  app.get('/', () => {
    started++
    return work(promise)
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  t.after(() => app.close())
  const { port } = app.server.address() as AddressInfo
  const ask = () => fetch(`http://127.0.0.1:${port}/`)
  async function leave(): Promise<void> {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await poll(() => started === 1)
    const gone = new Promise((resolve) => app.server.once('connection', resolve))
    socket.destroy()
    // The service has seen the end of the connection before it accepts another one.
    const next = connect(port, '127.0.0.1')
    await gone
    next.destroy()
  }
  return { admission, ask, leave, end, started: () => started }
}

test('work whose client has disconnected keeps its place until it has ended, and then frees it', async (t) => {
  const { admission, ask, leave, end, started } = await open(t, async (gate) => {
    await gate
    return {}
  })
  await leave()
  const next = ask()
  await poll(() => admission.waiting('pages') === 1)
  for (let at = 0; at < 50; at++) await new Promise((resolve) => setImmediate(resolve))
  assert.equal(started(), 1)
  end()
  assert.equal((await next).status, 200)
  assert.equal((await ask()).status, 200)
})

test('work that fails once its client has disconnected frees its place, too', async (t) => {
  const { ask, leave, end } = await open(t, async (gate) => {
    await gate
    throw new Error('injected')
  })
  await leave()
  const next = ask()
  end()
  assert.equal((await next).status, 500)
  assert.equal((await ask()).status, 500)
})
