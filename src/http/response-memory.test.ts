import assert from 'node:assert/strict'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { fastify } from 'fastify'
import { undoLater } from '../../test/support/cleanup.ts'
import { holderOf, listen } from '../../test/support/http-server.ts'
import { poll } from '../../test/support/poll.ts'
import { connectRaw } from '../../test/support/raw.ts'
import { asHolder } from '../lib/holder.ts'
import { countResponses, createResponseMemory } from './response-memory.ts'

const MIB = 1024 * 1024
/** More than the kernel takes for a reader that is slow. */
const body = Buffer.alloc(32 * MIB)

test('past the limit, the connection of the oldest unread response is closed, and its bytes are released', async (t) => {
  let closed = 0
  const memory = createResponseMemory(holderOf, () => closed++, 80 * MIB)
  const port = await listen(
    t,
    createServer((_request, response) => {
      memory.add(response, body.length)
      response.end(body)
    }),
  )
  const stalled = [0, 1, 2].map(() => connectRaw(t, port))
  for (const [at, { socket }] of stalled.entries()) {
    socket.pause()
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    if (at < 2) await poll(() => memory.bytes() === (at + 1) * 32 * MIB)
  }
  await poll(() => closed === 1)
  assert.equal(memory.bytes(), 64 * MIB)
  for (const { socket } of stalled) socket.resume()
  await stalled[0]?.closed
  await poll(() => stalled.slice(1).every(({ received }) => received().length > body.length))
  await poll(() => memory.bytes() === 0)
  assert.equal(closed, 1)
})

test('a connection is that of the client of its last response, also of a stream, of which nothing is in memory', async (t) => {
  const memory = createResponseMemory(
    ({ url = '' }) => asHolder(url),
    () => {},
  )
  const readers: unknown[] = []
  const port = await listen(
    t,
    createServer((request, response) => {
      memory.add(response, 0)
      readers.push(request.socket.reader)
      response.end()
    }),
  )
  const { socket } = connectRaw(t, port)
  for (const path of ['/one', '/other']) socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
  await poll(() => readers.length === 2)
  assert.deepEqual(readers, [asHolder('/one'), asHolder('/other')])
})

test('past the limit, responses of one network that nobody reads close none of another, which is older', async (t) => {
  const closed: string[] = []
  const networkOf = ({ url = '' }: IncomingMessage) => asHolder(url)
  const memory = createResponseMemory(networkOf, () => closed.push('one'), 100 * MIB)
  const port = await listen(
    t,
    createServer((request, response) => {
      memory.add(response, body.length)
      response.end(request.url === '/honest.1' ? body.subarray(MIB) : body)
    }),
  )
  const ask = (path: string) => {
    const connection = connectRaw(t, port)
    connection.socket.pause()
    connection.socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
    return connection
  }
  const honest = ask('/honest.1')
  await poll(() => memory.bytes() === 32 * MIB)
  const attack = []
  for (let at = 0; at < 5; at++) {
    attack.push(ask(`/attacker.${at}`))
    await poll(() => closed.length === Math.max(0, at - 1) && memory.bytes() === Math.min(at + 2, 3) * 32 * MIB)
  }
  honest.socket.resume()
  await poll(() => honest.received().length > body.length - MIB)
  attack[0]?.socket.resume()
  await attack[0]?.closed
})

test('a response that waits behind another one is released with its connection', async (t) => {
  const memory = createResponseMemory(holderOf, () => {}, 128 * MIB)
  const port = await listen(
    t,
    createServer((_request, response) => {
      memory.add(response, body.length)
      response.end(body)
    }),
  )
  const { socket } = connectRaw(t, port)
  socket.pause()
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(3))
  await poll(() => memory.bytes() === 96 * MIB)
  socket.destroy()
  await poll(() => memory.bytes() === 0)
})

test('a response that is ready once its client has left is not counted', async (t) => {
  const memory = createResponseMemory(holderOf, () => {}, 128 * MIB)
  const left: boolean[] = []
  const port = await listen(
    t,
    createServer((request, response) => {
      request.socket.once('close', () =>
        setImmediate(() => {
          memory.add(response, body.length)
          response.end(body)
          left.push(true)
        }),
      )
    }),
  )
  const { socket } = connectRaw(t, port)
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2), () => setTimeout(() => socket.destroy(), 50))
  await poll(() => left.length > 0)
  assert.equal(memory.bytes(), 0)
})

test('the memory of a stream is counted until the stream ends', async (t) => {
  const memory = createResponseMemory(holderOf, () => {}, MIB)
  const app = fastify()
  countResponses(app, memory)
  app.get('/', (_request, reply) => {
    reply.streamBytes = 100_000
    return reply.send(new Readable({ read() {} }))
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  undoLater(t, () => app.close())
  const { socket } = connectRaw(t, (app.server.address() as AddressInfo).port)
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await poll(() => memory.bytes() === 100_000)
  socket.destroy()
  await poll(() => memory.bytes() === 0)
})

test('what was parsed of a request is out of memory while its response is read', async (t) => {
  const app = fastify()
  countResponses(
    app,
    createResponseMemory(holderOf, () => {}),
  )
  let parsed: WeakRef<object> | undefined
  const held: object[] = []
  app.post('/', (request, reply) => {
    parsed = new WeakRef(request.body as object)
    held.push(request)
    return reply.send(new Readable({ read() {} }))
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  undoLater(t, () => app.close())
  const connection = connectRaw(t, (app.server.address() as AddressInfo).port)
  const body = JSON.stringify({ rows: [{}] })
  const headers = `Host: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
  connection.socket.write(`POST / HTTP/1.1\r\n${headers}\r\n\r\n${body}`)
  await poll(() => held.length === 1)
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  await poll(() => {
    collect()
    return parsed?.deref() === undefined
  })
  connection.socket.destroy()
})
