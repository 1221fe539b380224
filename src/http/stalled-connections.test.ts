import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { listen } from '../../test/support/http-server.ts'
import { poll } from '../../test/support/poll.ts'
import { connectRaw } from '../../test/support/raw.ts'
import { closeStalledConnections } from './stalled-connections.ts'

test('a connection that sends empty lines instead of requests is closed, and an active one is not', async (t) => {
  const server = createServer({ keepAliveTimeout: 60_000 }, (_request, response) => response.end('<served>'))
  closeStalledConnections(server, { idleMs: 300, unreadMs: 600_000, everyMs: 30 })
  const port = await listen(t, server)
  const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

  const [idle, busy] = [connectRaw(t, port), connectRaw(t, port)]
  idle.socket.write(request)
  await poll(() => idle.received().includes('<served>'))
  const answers = () => busy.received().split('<served>').length - 1
  for (let sent = 0; !idle.socket.closed; sent++) {
    idle.socket.write('\r\n')
    busy.socket.write(request)
    await poll(() => answers() === sent + 1)
  }
  assert.equal(busy.socket.destroyed, false)
})

test('a connection is open for as long as may pass without a write, whenever the sweeps come', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const server = createServer()
  closeStalledConnections(server, { idleMs: 200, unreadMs: 600_000, everyMs: 100 })
  const port = await listen(t, server)
  const opened = once(server, 'connection')
  const { socket } = connectRaw(t, port)
  const [connection] = (await opened) as [Socket]
  // The first comes at once after the connection.
  t.mock.timers.tick(100)
  t.mock.timers.tick(100)
  assert.equal(connection.destroyed, false)
  t.mock.timers.tick(100)
  assert.equal(connection.destroyed, true)
  await once(socket, 'close')
})

/** Far more than the kernel buffers for one connection. */
const LARGE = 32 * 1024 * 1024

test('a client may take longer to read a large response than a connection may be idle', async (t) => {
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    response.end(request.url === '/large' ? Buffer.alloc(LARGE) : '<served>')
  })
  closeStalledConnections(server, { idleMs: 300, unreadMs: 600_000, everyMs: 30 })
  const port = await listen(t, server)

  const slow = connectRaw(t, port)
  let bytes = 0
  slow.socket.on('data', (part: Buffer) => (bytes += part.length))
  slow.socket.write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n')
  await poll(() => bytes > 0)
  slow.socket.pause()
  // A later idle connection is closed before this one reads on.
  const idle = connectRaw(t, port)
  idle.socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await idle.closed
  slow.socket.resume()
  await poll(() => bytes > LARGE)
})

test('a connection whose response is never read is closed', async (t) => {
  const server = createServer((_request, response) => response.end(Buffer.alloc(LARGE)))
  closeStalledConnections(server, { idleMs: 10, unreadMs: 300, everyMs: 30 })
  const port = await listen(t, server)
  const closed = once(server, 'connection').then(([connection]) => once(connection as Socket, 'close'))
  const { socket } = connectRaw(t, port)
  socket.pause()
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await closed
  assert.equal(await promisify(server.getConnections.bind(server))(), 0)
})
