import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import { test, type TestContext } from 'node:test'
import { listen } from '../../test/support/http-server.ts'
import { poll } from '../../test/support/poll.ts'
import { connectRaw } from '../../test/support/raw.ts'
import { createBodyMemory, type BodyBounds } from './body-memory.ts'

const bounds: BodyBounds = { maxBytes: 1_000_000, uncounted: 1_000, freeChunks: 100, chunkBytes: 64 }

/** Serves with the limits; a refusal ends the connection with its code. */
async function serve(t: TestContext, handle: RequestListener) {
  const memory = createBodyMemory(({ code }, { socket }) => socket.end(code), bounds)
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

const head = (length: number) => `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`
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

test('past the limit of all bodies, large ones are refused and small ones are read', async (t) => {
  const { port, memory } = await serve(t, countBytes)
  const slow = connectRaw(t, port)
  slow.socket.write(head(2_000_000) + 'x'.repeat(1_000_000))
  await poll(() => memory.bytes() === 999_000)
  const second = connectRaw(t, port)
  second.socket.write(head(10_000) + 'x'.repeat(10_000))
  await poll(() => second.received() === 'unavailable')
  const small = connectRaw(t, port)
  small.socket.write(head(1_000) + 'x'.repeat(1_000))
  await poll(() => small.received().includes('<1000>'))
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
