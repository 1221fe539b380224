import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { test, type TestContext } from 'node:test'
import { listen } from '../../test/support/http-server.ts'
import { poll } from '../../test/support/poll.ts'
import { connectRaw } from '../../test/support/raw.ts'
import { createBodyMemory, type BodyBounds } from './body-memory.ts'
import { asHolder } from '../lib/holder.ts'
import type { Problem } from './problem.ts'

const bounds: BodyBounds = {
  maxBytes: 1_000_000,
  leastBytes: 250_000,
  uncounted: 1_000,
  bytesOfChunk: 0,
  step: 1,
  freeChunks: 100,
  chunkBytes: 64,
}

/** The holder of a body is named in its path, and has it for itself. */
const holderOfPath = ({ url = '' }: IncomingMessage) => asHolder(url)

/** Serves with the limits; a refusal ends the connection with its code. */
async function serve(t: TestContext, handle: RequestListener, limits = bounds) {
  const refuse = ({ code }: Problem, { socket }: IncomingMessage) => socket.end(code)
  const giveWay = ({ code }: Problem, { socket }: IncomingMessage) => socket.end(`${code}, it gave way`)
  const memory = createBodyMemory({ holderOf: holderOfPath, refuse, giveWay }, limits)
  const server = createServer((request, response) => {
    memory.watch(request, response)
    handle(request, response)
  })
  return { port: await listen(t, server), memory }
}

const countBytes: RequestListener = async (request, response) => {
  let bytes = 0
  try {
    for await (const part of request) bytes += (part as Buffer).length
    response.end(`<${bytes}>`)
  } catch {
    // The client has disconnected.
  }
}

const head = (length: number, path = '/') => `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`
const chunked = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'

test('a body of many tiny chunks is refused, and a body of few or larger chunks is read', async (t) => {
  const { port } = await serve(t, countBytes)
  const tiny = connectRaw(t, port)
  tiny.socket.write(chunked + '1\r\na\r\n'.repeat(200))
  await poll(() => tiny.received() === 'body_too_large')
  const few = connectRaw(t, port)
  few.socket.write(`${chunked}${'1\r\na\r\n'.repeat(100)}0\r\n\r\n`)
  await poll(() => few.received().includes('<100>'))
  const larger = connectRaw(t, port)
  larger.socket.write(`${chunked}${`40\r\n${'a'.repeat(64)}\r\n`.repeat(1_000)}0\r\n\r\n`)
  await poll(() => larger.received().includes('<64000>'))
})

test('a body counts by what it takes in memory, to which each chunk adds', async (t) => {
  const { port, memory } = await serve(t, countBytes, { ...bounds, bytesOfChunk: 400 })
  const tiny = connectRaw(t, port)
  tiny.socket.write(chunked + '1\r\na\r\n'.repeat(90))
  await poll(() => memory.bytes() === 90 * 401 - 1_000)
  tiny.socket.write('0\r\n\r\n')
  await poll(() => tiny.received().includes('<90>'))
  assert.equal(memory.bytes(), 0)
})

test('past the limit of all bodies, the slowest of the largest holder gives way, and small ones are read', async (t) => {
  const { port, memory } = await serve(t, countBytes)
  const send = (path: string, length: number, sent: number) => {
    const connection = connectRaw(t, port)
    connection.socket.write(head(length, path) + 'x'.repeat(sent))
    return connection
  }
  // Two addresses of a network, neither of which sends the rest.
  const slow = send('/attacker.1', 2_000_000, 301_000)
  await poll(() => memory.bytes() === 300_000)
  const slower = send('/attacker.2', 2_000_000, 601_000)
  await poll(() => memory.bytes() === 900_000)
  const honest = send('/honest.1', 201_000, 201_000)
  await poll(() => honest.received().includes('<201000>'))
  assert.equal(slower.received(), 'unavailable, it gave way')
  assert.deepEqual([slow.received(), memory.bytes()], ['', 300_000])
  send('/attacker.1', 2_000_000, 751_000)
  await poll(() => slow.received() === 'unavailable, it gave way')
  await poll(() => memory.bytes() === 750_000)
  const small = send('/attacker.1', 1_000, 1_000)
  await poll(() => small.received().includes('<1000>'))
})

test('a body that was refused gives way while its client reads that', async (t) => {
  const { port, memory } = await serve(t, countBytes)
  const attacker = connectRaw(t, port)
  attacker.socket.write(head(2_000_000, '/attacker.1') + 'x'.repeat(901_000))
  await poll(() => memory.bytes() === 900_000)
  attacker.socket.write('x'.repeat(200_000))
  await poll(() => attacker.received() === 'unavailable')
  assert.ok(memory.bytes() >= 900_000)
  const honest = connectRaw(t, port)
  honest.socket.write(head(401_000, '/honest.1') + 'x'.repeat(401_000))
  await poll(() => honest.received() !== '')
  assert.match(honest.received(), /<401000>/)
  assert.equal(memory.bytes(), 0)
})

test('a body that has arrived gives way while its request waits, and stays once it is worked on', async (t) => {
  let works = 0
  const { port, memory } = await serve(t, (request) =>
    request.resume().once('end', () => {
      works++
      if (request.url !== '/waits.1') request.onWork?.()
    }),
  )
  const waiting = connectRaw(t, port)
  waiting.socket.write(head(601_000, '/waits.1') + 'x'.repeat(601_000))
  await poll(() => works === 1)
  const arrived = connectRaw(t, port)
  arrived.socket.write(head(601_000, '/a.1') + 'x'.repeat(601_000))
  await poll(() => works === 2 && waiting.received() === 'unavailable, it gave way')
  const refused = connectRaw(t, port)
  refused.socket.write(head(501_000, '/b.1') + 'x'.repeat(501_000))
  await poll(() => refused.received().startsWith('unavailable'))
  assert.deepEqual([arrived.received(), works], ['', 2])
  assert.ok(memory.bytes() <= 1_000_000)
})

test('the memory of a body is released with its response, and with its connection', async (t) => {
  const { port, memory } = await serve(t, countBytes)
  const { socket, received } = connectRaw(t, port)
  socket.write(head(50_000) + 'x'.repeat(50_000))
  await poll(() => received().includes('<50000>'))
  assert.equal(memory.bytes(), 0)
  // The second waits behind the first, which has no end.
  socket.write(head(20_000) + 'x'.repeat(19_000))
  await poll(() => memory.bytes() === 18_000)
  socket.destroy()
  await poll(() => memory.bytes() === 0)
})

test('the memory of a body behind a request without a response is released with the connection', async (t) => {
  const { port, memory } = await serve(t, (request) => request.resume())
  const { socket } = connectRaw(t, port)
  socket.write((head(20_000) + 'x'.repeat(20_000)).repeat(3))
  await poll(() => memory.bytes() === 57_000)
  socket.destroy()
  await poll(() => memory.bytes() === 0)
})

test('a body whose client does not read the response gives way to that of a smaller holder', async (t) => {
  // More than the buffers of the kernel take.
  const large = Buffer.alloc(64 * 1024 * 1024)
  let isAnswered = false
  const { port, memory } = await serve(t, async (request, response) => {
    if (request.url?.startsWith('/honest') === true) return countBytes(request, response)
    await request.toArray()
    isAnswered = true
    response.end(large)
  })
  const unread = connectRaw(t, port)
  unread.socket.pause().write(head(801_000, '/attacker.1') + 'x'.repeat(801_000))
  await poll(() => isAnswered)
  assert.equal(memory.bytes(), 800_000)
  const honest = connectRaw(t, port)
  honest.socket.write(head(401_000, '/honest.1') + 'x'.repeat(401_000))
  await poll(() => honest.received() !== '')
  assert.match(honest.received(), /<401000>/)
  await poll(() => memory.bytes() === 0)
})
