import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectionNeeds, listen } from '../../test/support/http-server.ts'
import { poll } from '../../test/support/poll.ts'
import { connectRaw } from '../../test/support/raw.ts'
import { closeAtOnce } from './close-at-once.ts'
import { createConnections } from './server.ts'
import { createSlicedReads } from './sliced-reads.ts'
import { stopReading } from './stop-reading.ts'
import { createPausedConnections } from './paused-connections.ts'

const CONNECTIONS = 20
const REQUESTS = 2000
/** The shortest request: one read of 64 KiB holds 2,000 of them. */
const REQUEST = 'GET / HTTP/1.1\r\nHost: quirl\r\n\r\n'

/** Echoes the body of each request in a later iteration, as the service does, and counts requests parsed in one iteration. */
async function serve(t: TestContext) {
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const echo = (body: string) => void setImmediate(() => response.end(`<${request.url}:${body}>`))
    // The client may have been refused.
    text(request).then(echo, () => response.destroy())
  }
  const server = createConnections(connectionNeeds).serve(answer)
  const [parsed, chunks] = [createCount(), createCount()]
  server.on('request', (request: IncomingMessage) => {
    parsed.add()
    const push = request.push.bind(request)
    request.push = (chunk: Buffer | null, encoding) => {
      if (chunk !== null) chunks.add()
      return push(chunk, encoding)
    }
  })
  return { port: await listen(t, server), parsed, chunks }
}

/** Counts what is parsed, and the most in one iteration of the event loop. */
function createCount() {
  let inIteration = 0
  const count = {
    max: 0,
    all: 0,
    add() {
      if (inIteration++ === 0) setImmediate(() => (inIteration = 0))
      count.all++
      count.max = Math.max(count.max, inIteration)
    },
  }
  return count
}

/** Counts how often a text was received. */
function countIn(socket: Socket, text: string): () => number {
  let count = 0
  let tail = ''
  socket.on('data', (part: Buffer) => {
    const received = tail + part.toString('latin1')
    count += received.split(text).length - 1
    tail = received.slice(1 - text.length)
  })
  return () => count
}

test('of twenty connections that send thousands of requests at once, one read and then slices are parsed per iteration', async (t) => {
  const { port, parsed } = await serve(t)
  const connections = Array.from({ length: CONNECTIONS }, () => connectRaw(t, port))
  const received = connections.map(({ socket }) => countIn(socket, '</:>'))
  for (const { socket } of connections) socket.write(REQUEST.repeat(REQUESTS))
  const answers = () => received.map((count) => count())
  await poll(
    () => answers().every((count) => count === REQUESTS),
    () => `${answers().join(', ')} were received`,
  )
  assert.equal(parsed.all, CONNECTIONS * REQUESTS)
  assert.ok(parsed.max < 3 * REQUESTS, `${parsed.max} in one iteration`)
})

const CHUNK = '1\r\n \r\n'
const CHUNKS = 10_000
const CHUNKED = 'POST / HTTP/1.1\r\nHost: quirl\r\nTransfer-Encoding: chunked\r\n\r\n'

test('of a body in chunks, what comes after its head is parsed in slices', async (t) => {
  const { port, chunks } = await serve(t)
  const { socket, closed } = connectRaw(t, port)
  socket.write(CHUNKED + CHUNK)
  await poll(() => chunks.all === 1)
  socket.write(CHUNK.repeat(CHUNKS))
  await closed
  assert.ok(chunks.max < CHUNKS / 2, `${chunks.max} in one iteration`)
})

for (const [of, flood] of [
  ['requests', REQUEST.repeat(REQUESTS)],
  ['chunks of a byte', CHUNKED + CHUNK.repeat(CHUNKS)],
] as const) {
  test(`after a flood of ${of}, a new connection is parsed in slices from its first read on`, async (t) => {
    const { port, parsed, chunks } = await serve(t)
    connectRaw(t, port).socket.write(flood)
    await poll(() => parsed.all === REQUESTS || chunks.all > 1000)
    parsed.max = 0
    const { socket } = connectRaw(t, port)
    const received = countIn(socket, '</:>')
    socket.write(REQUEST.repeat(REQUESTS))
    await poll(() => received() === REQUESTS)
    assert.ok(parsed.max < REQUESTS / 2, `${parsed.max} in one iteration`)
  })
}

test('while a connection is paused, nothing more is read of it than the one read of which a slice was parsed', async (t) => {
  const server = createServer((_, response) => response.end())
  const read = createSlicedReads(server, { add: stopReading, remove() {}, mayParse: () => true })
  let connected: Socket | undefined
  server.on('connection', (socket: Socket) => (connected = socket))
  const { socket: client } = connectRaw(t, await listen(t, server))
  await poll(() => connected !== undefined)
  for (let requests = 0; requests < 64; requests++) read.count()
  await sleep(10)
  client.write(REQUEST.repeat(5 * REQUESTS))
  await sleep(100)
  assert.equal(connected?.bytesRead, 0)
  connected.resume()
  await poll(() => connected?.bytesRead !== 0)
  await sleep(100)
  assert.ok(connected.isPaused())
  assert.ok(connected.bytesRead <= 64 * 1024, `${connected.bytesRead} bytes were read`)
})

test('requests whose bodies cross slices get their responses in order, each for its own body', async (t) => {
  const { port } = await serve(t)
  const flood = connectRaw(t, port)
  const { socket, received } = connectRaw(t, port)
  await new Promise((resolve) => socket.once('connect', resolve))
  flood.socket.write(REQUEST.repeat(REQUESTS))
  const bodies = Array.from({ length: 120 }, (_, at) => String(at % 10).repeat(at * 137))
  const sent = bodies.map(
    (body, at) => `POST /${at} HTTP/1.1\r\nHost: q\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  socket.write(sent.join(''))
  const answers = () => [...received().matchAll(/<(\/\d+:\d*)>/g)].map(([, answer]) => answer)
  await poll(
    () => answers().length === bodies.length,
    () => `${answers().length} were received`,
  )
  assert.deepEqual(
    answers(),
    bodies.map((body, at) => `/${at}:${body}`),
  )
})

test('connections opened before and after a flood of requests keep working', async (t) => {
  const { port } = await serve(t)
  const open = connectRaw(t, port)
  const exchangeOn = async ({ socket, received }: typeof open, path: string) => {
    socket.write(`GET ${path} HTTP/1.1\r\nHost: q\r\n\r\n`)
    await poll(
      () => received().includes(`<${path}:>`),
      () => `no answer to ${path}: ${received()}`,
    )
  }
  await exchangeOn(open, '/before')
  const idle = connectRaw(t, port)
  await exchangeOn(idle, '/idle')
  connectRaw(t, port).socket.write(REQUEST.repeat(REQUESTS))
  await exchangeOn(open, '/during')
  await exchangeOn(connectRaw(t, port), '/new')
  await exchangeOn(idle, '/after')
  await exchangeOn(open, '/again')
})

/** A connection of a client, which tells when it is read from again. */
function connectionFrom(remoteAddress: string, onResumed: (from: string) => void): Socket {
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress })
  return socket.on('resume', () => onResumed(remoteAddress))
}

test('a connection that is paused behind a thousand of another network is read from in the turn of its own', async () => {
  const paused = createPausedConnections()
  const resumed: string[] = []
  const flooding = Array.from({ length: 1000 }, (_, at) => `198.51.100.${at % 250}`)
  for (const address of [...flooding, '203.0.113.7', '2001:db8:1:2::7'])
    paused.add(connectionFrom(address, (from) => resumed.push(from)))
  await poll(() => resumed.length === flooding.length + 2)
  assert.deepEqual(resumed.slice(1, 3), ['203.0.113.7', '2001:db8:1:2::7'])
})

test('of connections that are paused with unparsed bytes, those of the largest holder give way past the bound, and no other', async () => {
  let closed = 0
  const paused = createPausedConnections({ onClosed: () => closed++, mostUnparsed: 10 })
  const others = ['203.0.113.7', '2001:db8:1:2::7'].map((address) => connectionFrom(address, () => {}))
  const flooding = Array.from({ length: 40 }, (_, at) => connectionFrom(`198.51.100.${at}`, () => {}))
  const idle = connectionFrom('198.51.100.200', () => {})
  for (const socket of [...others, ...flooding]) socket.push(Buffer.alloc(10))
  for (const socket of [idle, ...others, ...flooding]) paused.add(socket)
  assert.equal(closed, 32)
  assert.deepEqual(
    flooding.map(({ destroyed }) => destroyed),
    flooding.map((_, at) => at >= 8),
  )
  for (const socket of [idle, ...others]) assert.equal(socket.destroyed, false)
})

test('connections of a trusted proxy with unparsed bytes are of many clients: none gives way to others', async () => {
  let closed = 0
  const isProxied = ({ remoteAddress }: Socket) => remoteAddress === '198.51.100.1'
  const paused = createPausedConnections({ onClosed: () => closed++, mostUnparsed: 10, isProxied })
  const resumed: string[] = []
  const add = (address: string, name: string) => {
    const socket = connectionFrom(address, () => resumed.push(name))
    socket.push(Buffer.alloc(10))
    paused.add(socket)
  }
  for (let at = 0; at < 500; at++) add('198.51.100.1', 'proxied')
  for (let at = 0; at < 40; at++) add('203.0.113.7', 'direct')
  assert.equal(closed, 30)
  await poll(() => resumed.length === 510)
  assert.ok(resumed.lastIndexOf('direct') < 100, 'they take turns with the proxy')
})

test('a connection whose requests wait when its turn comes still counts with its unparsed bytes, until those are parsed', async () => {
  let closed = 0
  const paused = createPausedConnections({ onClosed: () => closed++, mostUnparsed: 1 })
  const add = async () => {
    let isResumed = false
    const socket: Socket = connectionFrom('198.51.100.1', () => {
      isResumed = true
      // As while pipelined requests of the connection wait.
      stopReading(socket)
    })
    socket.push(Buffer.alloc(10))
    paused.add(socket)
    await poll(() => isResumed || socket.destroyed)
    return socket
  }
  const [first, second] = [await add(), await add()]
  assert.deepEqual([first.destroyed, second.destroyed, closed], [true, false, 1])
  second.read()
  paused.mayParse(second)
  await add()
  assert.deepEqual([second.destroyed, closed], [false, 1])
})

test('a request whose connection is closed at once ends with an error without a stack, and others have stacks as before', async (t) => {
  const stacks: (string | undefined)[] = []
  const server = createConnections(connectionNeeds).serve((request) => {
    request.on('error', ({ stack }) => stacks.push(stack))
    closeAtOnce(request.socket)
  })
  const { socket } = connectRaw(t, await listen(t, server))
  const limit = Error.stackTraceLimit
  socket.write(`POST / HTTP/1.1\r\nHost: quirl\r\nContent-Length: 2\r\n\r\n1`)
  await poll(() => stacks.length > 0)
  assert.deepEqual(stacks, ['Error: aborted'])
  assert.equal(Error.stackTraceLimit, limit)
})
