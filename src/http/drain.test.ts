import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import { connectionNeeds, listen } from '../../test/support/http-server.ts'
import { poll } from '../../test/support/poll.ts'
import { connectRaw } from '../../test/support/raw.ts'
import type { Drain } from './drain.ts'
import { createConnections } from './server.ts'

const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
/** Far more than the kernel buffers for one connection. */
const LARGE = 32 << 20
const LONG = 3_600_000

/** A server that sends `answer`, and the requests that are held until `release` is called. */
async function serve(
  t: TestContext,
  answer: Buffer | string,
): Promise<{ port: number; drain: Drain; lateOnes: boolean[] }> {
  // Nothing ends because it takes long.
  const connections = createConnections(connectionNeeds, { headersMs: LONG, requestMs: LONG, silentMs: LONG })
  const lateOnes: boolean[] = []
  const server = connections.serve((request, response) => {
    lateOnes.push(drain?.isLate(request) === true)
    response.end(answer)
  })
  const drain = connections.drainOf(server)
  assert.ok(drain !== undefined)
  return { port: await listen(t, server), drain, lateOnes }
}

test('a response that is complete, but not read by its client yet, is sent to its end', async (t) => {
  const { port, drain } = await serve(t, Buffer.alloc(LARGE))
  const { socket, closed } = connectRaw(t, port)
  let length = 0
  socket.on('data', (part: Buffer) => (length += part.length))
  socket.write(REQUEST)
  await once(socket, 'data')
  socket.pause()
  const ended = drain.begin().then(drain.close)
  socket.resume()
  await Promise.all([ended, closed])
  assert.ok(length > LARGE, String(length))
})

test('of many requests in one packet, all are answered, and the connection is closed after the last one', async (t) => {
  const { port, drain, lateOnes } = await serve(t, 'served')
  const { socket, received, closed } = connectRaw(t, port)
  await once(socket, 'connect')
  socket.write(REQUEST.repeat(200))
  await drain.begin()
  await drain.close()
  await closed
  assert.equal(received().split('served').length - 1, 200)
  assert.deepEqual([...new Set(lateOnes)], [false])
})

test('the first byte of a request before the stop is its beginning, and the request behind it is late', async (t) => {
  const { port, drain, lateOnes } = await serve(t, 'served')
  const { socket, received, closed } = connectRaw(t, port)
  socket.write(`${REQUEST}G`)
  await poll(() => received().endsWith('served'))
  const ended = drain.begin()
  // A new connection is accepted as long as requests are under way.
  const late = connectRaw(t, port)
  await poll(() => {
    late.socket.write(REQUEST)
    return lateOnes.includes(true)
  })
  socket.write(REQUEST.slice(1))
  await ended
  await drain.close()
  await Promise.all([closed, late.closed])
  assert.equal(received().split('served').length - 1, 2)
  assert.match(received(), /Connection: keep-alive[\s\S]*connection: close/i)
  assert.equal(lateOnes.at(-1), false)
})

test('connections that have sent nothing, or wait for another request, are closed at once', async (t) => {
  const { port, drain } = await serve(t, 'served')
  const [silent, idle] = [connectRaw(t, port), connectRaw(t, port)]
  await once(silent.socket, 'connect')
  idle.socket.write(REQUEST)
  await poll(() => idle.received().endsWith('served'))
  await drain.begin()
  await drain.close()
  await Promise.all([silent.closed, idle.closed])
  assert.equal(silent.received(), '')
})
