import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import { test, type TestContext } from 'node:test'
import { listen } from '../../test/support/http-server.ts'
import { poll } from '../../test/support/poll.ts'
import { connectRaw } from '../../test/support/raw.ts'
import { createIncoming, type IncomingBounds } from './incoming.ts'

const bounds: IncomingBounds = { maxBytes: 1_000_000, small: 1_000, pieces: 100, pieceBytes: 64 }

/** Serves with the bounds; a refusal ends the connection with its code. */
async function serve(t: TestContext, handle: RequestListener) {
  const incoming = createIncoming(({ code }, { socket }) => socket.end(code), bounds)
  const server = createServer((request, response) => {
    incoming.watch(request, response)
    handle(request, response)
  })
  return { port: await listen(t, server), incoming }
}

const countBytes: RequestListener = async (request, response) => {
  let bytes = 0
  try {
    for await (const part of request) bytes += (part as Buffer).length
    response.end(`<${bytes}>`)
  } catch {
    // The client has hung up.
  }
}

const head = (length: number) => `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`
const chunked = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'

test('a body in many tiny chunks is refused, and one in a few or in larger ones is read', async (t) => {
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

test('past the bound of all bodies, large ones are refused and small ones are read', async (t) => {
  const { port, incoming } = await serve(t, countBytes)
  const slow = connectRaw(t, port)
  slow.socket.write(head(2_000_000) + 'x'.repeat(1_000_000))
  await poll(() => incoming.bytes() === 999_000)
  const second = connectRaw(t, port)
  second.socket.write(head(10_000) + 'x'.repeat(10_000))
  await poll(() => second.received() === 'unavailable')
  const small = connectRaw(t, port)
  small.socket.write(head(1_000) + 'x'.repeat(1_000))
  await poll(() => small.received().includes('<1000>'))
})

test('what a body has taken is given back when it was answered, and when its connection ends', async (t) => {
  const { port, incoming } = await serve(t, countBytes)
  const { socket, received } = connectRaw(t, port)
  socket.write(head(50_000) + 'x'.repeat(50_000))
  await poll(() => received().includes('<50000>'))
  assert.equal(incoming.bytes(), 0)
  // The second waits behind the first, which has no end.
  socket.write(head(20_000) + 'x'.repeat(19_000))
  await poll(() => incoming.bytes() === 18_000)
  socket.destroy()
  await poll(() => incoming.bytes() === 0)
})

test('a body behind a request without a response is given back when the connection ends', async (t) => {
  const { port, incoming } = await serve(t, (request) => request.resume())
  const { socket } = connectRaw(t, port)
  socket.write((head(20_000) + 'x'.repeat(20_000)).repeat(3))
  await poll(() => incoming.bytes() === 57_000)
  socket.destroy()
  await poll(() => incoming.bytes() === 0)
})
