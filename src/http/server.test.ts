import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { listen } from '../../test/support/http-server.ts'
import { connectRaw } from '../../test/support/raw.ts'
import { createConnections } from './server.ts'

test('what is wrong with the body of a request is not answered in the place of an earlier response', async (t) => {
  const connections = createConnections(() => 'id')
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

test('a visit that waits for its turn is answered when its client has closed its side meanwhile', async (t) => {
  const server = createConnections(() => 'id').serve(
    (_request, response) => {
      // So long that a turn has time for a few.
      for (const end = performance.now() + 1; performance.now() < end;);
      setImmediate(() => response.end('answered'))
    },
    () => 'visit',
  )
  const port = await listen(t, server)
  const clients = Array.from({ length: 50 }, () => connectRaw(t, port))
  // All requests are there at once.
  for (let accepted = 0; accepted < clients.length; accepted++) await once(server, 'connection')
  for (const { socket } of clients) socket.end('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await Promise.all(clients.map(({ closed }) => closed))
  assert.equal(clients.filter(({ received }) => received().endsWith('answered')).length, clients.length)
})
