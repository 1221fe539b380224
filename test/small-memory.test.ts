import assert from 'node:assert/strict'
import { createServer, type IncomingMessage } from 'node:http'
import { before, mock, test } from 'node:test'
import { asHolder } from '../src/lib/holder.ts'
import { listen } from './support/http-server.ts'
import { poll } from './support/poll.ts'
import { connectRaw } from './support/raw.ts'

const MIB = 2 ** 20

// Bounds are read once, with the modules that have them.
before(() => void mock.method(process, 'constrainedMemory', () => 512 * MIB))

test('with 512 MiB, four bodies of the largest size fit into the memory for bodies, and one of a fifth client gives way', async (t) => {
  const { createBodyMemory } = await import('../src/http/body-memory.ts')
  const holderOf = ({ url = '' }: IncomingMessage) => asHolder(url)
  let refused = 0
  const end = (_problem: unknown, { socket }: IncomingMessage) => (refused++, socket.destroy())
  const memory = createBodyMemory({ holderOf, refuse: end, giveWay: end })
  const server = createServer((request, response) => (memory.watch(request, response), request.resume()))
  const port = await listen(t, server)
  const send = (client: number) => {
    const { socket } = connectRaw(t, port)
    socket.write(`POST /198.51.${client}.1 HTTP/1.1\r\nHost: a\r\nContent-Length: ${4 * MIB}\r\n\r\n`)
    socket.write(Buffer.alloc(4 * MIB - 100_000, ' '))
  }
  for (let client = 1; client <= 4; client++) send(client)
  await poll(() => memory.bytes() > 15 * MIB)
  assert.equal(refused, 0)
  send(5)
  await poll(() => refused > 0)
  assert.ok(memory.bytes() <= 16 * MIB)
})

test('with 512 MiB, the largest sheet of codes can be printed, and two at once cannot', async () => {
  const { createSheetMemory } = await import('../src/qr/sheet-memory.ts')
  const { open } = createSheetMemory()
  const requester = (network: string) => ({ holder: asHolder(network), signal: new AbortController().signal })
  const large = open(requester('198.51.100.1'))
  large.add(46 * MIB)
  assert.equal(large.signal.aborted, false)
  open(requester('203.0.113.1')).add(10 * MIB)
  assert.equal(large.signal.aborted, true)
})

test('with 512 MiB, and while memory is short, the largest response is not cut', async (t) => {
  const { createResponseMemory } = await import('../src/http/response-memory.ts')
  let closed = 0
  const memory = createResponseMemory(
    () => asHolder('203.0.113.1'),
    () => closed++,
  )
  for (let look = 0; look < 60; look++) memory.share.tighten()
  const server = createServer((_request, response) => {
    memory.add(response, 2.6 * MIB)
    response.end('sent')
  })
  const { socket, received } = connectRaw(t, await listen(t, server))
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await poll(() => received().includes('sent') || closed > 0)
  assert.equal(closed, 0)
})
