import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { promisify } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, test, type TestContext } from 'node:test'
import { undoLater } from '../../test/support/cleanup.ts'
import { connectionNeeds, listen } from '../../test/support/http-server.ts'
import { poll } from '../../test/support/poll.ts'
import { connectRaw } from '../../test/support/raw.ts'
import { asHolder } from '../lib/holder.ts'
import { createConnections, type Timeouts } from './server.ts'

test('a refusal of a body does not replace the response to an earlier request', async (t) => {
  const connections = createConnections(connectionNeeds)
  let isRefused = () => {}
  const refused = new Promise<void>((resolve) => (isRefused = resolve))
  const server = connections.serve(async (request, response) => {
    if (request.url === '/body') return void request.on('error', () => {}).resume()
    await refused
    response.end('earlier')
  })
  server.on('clientError', (error, socket) => {
    connections.onParserError(error, socket)
    isRefused()
  })
  const { socket, received, closed } = connectRaw(t, await listen(t, server))
  const head = (line: string) => `${line} HTTP/1.1\r\nHost: a\r\n`
  socket.write(`${head('GET /')}\r\n${head('POST /body')}Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\nno length\r\n`)
  await closed
  const statuses = [...received().matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status)
  assert.deepEqual(statuses, ['200', '400'])
})

test('a connection that is refused again and again while it has a response to come is refused once, after that', async (t) => {
  const connections = createConnections(connectionNeeds)
  const { promise: refused, resolve } = Promise.withResolvers<void>()
  let waiting = 0
  const server = connections.serve(async (_request, response) => {
    await refused
    waiting = response.listenerCount('close')
    response.end('earlier')
  })
  server.on('clientError', (error, socket) => {
    for (let times = 0; times < 20; times++) connections.onParserError(error, socket)
    resolve()
  })
  const { socket, received, closed } = connectRaw(t, await listen(t, server))
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\nnonsense\r\n\r\n')
  await closed
  const statuses = [...received().matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status)
  assert.deepEqual(statuses, ['200', '400'])
  assert.ok(waiting < 10, `${waiting} listeners`)
})

test('a waiting visit gets its response even if its client has closed its side meanwhile', async (t) => {
  const server = createConnections(connectionNeeds).serve(
    (_request, response) => {
      // A slice has time for a few of these.
      for (const end = performance.now() + 1; performance.now() < end;);
      setImmediate(() => response.end('answered'))
    },
    () => 'visit',
  )
  const port = await listen(t, server)
  const clients = Array.from({ length: 50 }, () => connectRaw(t, port))
  // All requests arrive at the same time.
  for (let accepted = 0; accepted < clients.length; accepted++) await once(server, 'connection')
  for (const { socket } of clients) socket.end('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await Promise.all(clients.map(({ closed }) => closed))
  assert.equal(clients.filter(({ received }) => received().endsWith('answered')).length, clients.length)
})

const MINUTES = 600_000

const patient: Partial<Timeouts> = { headersMs: MINUTES, requestMs: MINUTES, refusedMs: MINUTES }

/** The port of a server that closes slow connections after these time-outs, and responds to complete requests. */
async function serveBy(t: TestContext, timeouts: Partial<Timeouts>): Promise<number> {
  const connections = createConnections(connectionNeeds, { ...patient, checkMs: 10, ...timeouts })
  const server = connections.serve((request, response) => void request.resume().on('end', () => response.end()))
  server.on('clientError', connections.onParserError)
  return listen(t, server)
}

/** A client that begins a request and never ends it. */
function drip(t: TestContext, port: number, begin: string, more: string) {
  const connection = connectRaw(t, port)
  connection.socket.write(begin)
  const dripping = setInterval(() => connection.socket.write(more), 20)
  undoLater(t, () => clearInterval(dripping))
  return connection
}

const HEADERS = 'GET / HTTP/1.1\r\nHost: x\r\n'
const BODY = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n'

describe('a slow client is disconnected', () => {
  test('when its headers take too long, and when it sends nothing', async (t) => {
    const port = await serveBy(t, { headersMs: 100 })
    const slow = drip(t, port, HEADERS, 'X-Drip: 1\r\n')
    const silent = connectRaw(t, port)
    await Promise.all([slow.closed, silent.closed])
    assert.match(slow.received(), /^HTTP\/1\.1 408 [^]*"code":"request_timeout"/)
  })

  test('when its request takes too long as a whole', async (t) => {
    const port = await serveBy(t, { headersMs: 200, requestMs: 200, refusedMs: 10 })
    const { closed, received } = drip(t, port, BODY, ' ')
    await closed
    assert.match(received(), /^HTTP\/1\.1 408 /)
  })

  test('after its refusal, although it leaves the connection open or has closed it before', async (t) => {
    const connections = createConnections(connectionNeeds, {
      headersMs: 100,
      requestMs: 100,
      checkMs: 10,
      refusedMs: 100,
    })
    const server = connections.serve((request) => void request.on('error', () => {}).resume())
    server.on('clientError', connections.onParserError)
    const open = promisify(server.getConnections.bind(server))
    const port = await listen(t, server)
    const stubborn = drip(t, port, BODY, ' ')
    const polite = drip(t, port, BODY, ' ')
    polite.socket.once('data', () => polite.socket.end())
    await poll(() => [polite, stubborn].every(({ received }) => received().startsWith('HTTP/1.1 408 ')))
    await poll(async () => (await open()) === 0)
  })
})

test('requests that are late together are refused in slices of time, between which others are answered', async () => {
  const { onParserError } = createConnections(connectionNeeds)
  let refused = 0
  const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
  for (let at = 0; at < 20; at++) {
    const socket = new Duplex({
      read() {},
      write(_bytes, _encoding, done) {
        // A slice has time for two of these.
        for (const end = performance.now() + 2; performance.now() < end;);
        refused++
        done()
      },
    })
    onParserError(late, socket)
  }
  assert.ok(refused < 10, `${refused} at once`)
  await poll(() => refused === 20)
})

test('a client whose body was refused is disconnected at once when another body has need of its memory', async (t) => {
  const connections = createConnections({ ...connectionNeeds, holderOf: ({ url = '' }) => asHolder(url) }, patient)
  const server = connections.serve((request, response) => void request.resume().on('end', () => response.end()))
  const port = await listen(t, server)
  const send = (path: string, mebibytes: number) => {
    const connection = connectRaw(t, port)
    connection.socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${mebibytes * 1024 * 1024}\r\n\r\n`)
    connection.socket.write(Buffer.alloc(mebibytes * 1024 * 1024))
    return connection
  }
  const refused = send('/attacker', 80)
  await poll(() => refused.received().startsWith('HTTP/1.1 503 '))
  assert.equal(refused.socket.destroyed, false)
  const honest = send('/honest', 8)
  await refused.closed
  await poll(() => honest.received() !== '')
  assert.match(honest.received(), /^HTTP\/1\.1 200 /)
})

/** Runs the collector of garbage until it has taken what `held` refers to. */
async function collected(held: readonly WeakRef<object>[]): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  await poll(() => {
    collect()
    return held.every((each) => each.deref() === undefined)
  })
}

for (const [what, begin, rest] of [
  ['without a body', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n', ''],
  ['whose body came after the response', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n', 'body'],
] as const) {
  test(`a connection that rests after a request ${what} keeps neither that nor the response`, async (t) => {
    const connections = createConnections(connectionNeeds)
    const held: WeakRef<object>[] = []
    const open: Socket[] = []
    const server = connections.serve((request, response) => {
      held.push(new WeakRef(request), new WeakRef(response))
      open.push(request.socket)
      response.end('answered')
    })
    const { socket, received } = connectRaw(t, await listen(t, server))
    socket.write(begin)
    await poll(() => received().includes('answered'))
    if (rest !== '') socket.write(rest)
    await collected(held)
    assert.equal(held.length, 2)
    assert.equal(open[0]?.destroyed, false)
    assert.ok(Number.isFinite(connections.state.restingSince(open[0])))
  })
}
