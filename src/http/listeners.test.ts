import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Server } from 'node:net'
import { test } from 'node:test'
import { undoLater } from '../../test/support/cleanup.ts'
import { poll } from '../../test/support/poll.ts'
import { freePort, isOpen } from '../../test/support/ports.ts'
import { requireProgram } from '../../test/support/programs.ts'
import { canBound, receiveBuffers } from '../../test/support/receive-buffers.ts'
import { listenOnSockets } from './listeners.ts'

const host = '127.0.0.1'
const listen = (server: Server) => (options: object) =>
  new Promise<void>((resolve, reject) => server.once('error', reject).listen(options, resolve))

test('a connection to any of the sockets reaches the server; closing them frees the port', async (t) => {
  let connections = 0
  const server = createServer((socket) => {
    connections++
    socket.end()
  })
  const address = { host, port: await freePort(), sockets: 8, allowHalfOpen: true, reusePort: false }
  const { port, close } = await listenOnSockets(server, address, listen(server))
  undoLater(t, () => {
    void close()
    server.close()
  })
  assert.equal(port, address.port)
  for (let at = 0; at < 64; at++) await once(connect(port, host).resume(), 'close')
  assert.equal(connections, 64)
  const other = createServer()
  await assert.rejects(listenOnSockets(other, address, listen(other)), /EADDRINUSE/)
  void close()
  server.close()
  assert.equal(await isOpen(port), false)
})

test('closing ends when the last connection of any of the sockets has ended, and not before', async (t) => {
  let accepted = 0
  const server = createServer((socket) => {
    accepted++
    socket.on('error', () => {})
  })
  const address = { host, port: 0, sockets: 8, allowHalfOpen: true, reusePort: false }
  const { port, close } = await listenOnSockets(server, address, listen(server))
  const clients = Array.from({ length: 32 }, () => connect(port, host).on('error', () => {}))
  undoLater(t, () => clients.forEach((client) => client.destroy()))
  await poll(
    () => accepted === clients.length,
    () => `${accepted} were accepted`,
  )
  let isOver = false
  const own = new Promise((resolve) => server.close(resolve))
  const closed = Promise.all([close(), own]).then(() => (isOver = true))
  for (const client of clients) {
    assert.equal(isOver, false)
    client.resetAndDestroy()
    await once(client, 'close')
  }
  await closed
})

test('processes share a port when they want to, and a system that cannot do that says so', async (t) => {
  const servers = [createServer((socket) => socket.end()), createServer((socket) => socket.end())] as const
  const [first, second] = servers
  const options = { host, sockets: 4, allowHalfOpen: true, reusePort: true }
  const { port, close } = await listenOnSockets(first, { ...options, port: 0 }, listen(first))
  const other = await listenOnSockets(second, { ...options, port }, listen(second))
  undoLater(t, () => {
    for (const server of servers) server.close()
    void Promise.all([close(), other.close()])
  })
  assert.equal(other.port, port)
  const refuse = () => Promise.reject(Object.assign(new Error('listen ENOTSUP'), { code: 'ENOTSUP' }))
  for (const sockets of [1, 4])
    await assert.rejects(listenOnSockets(createServer(), { ...options, sockets, port }, refuse), /SO_REUSEPORT/)
})

for (const sockets of [1, 8])
  test(`the kernel keeps 416 KiB at most of what a client has sent and nobody has read, through any of ${sockets} sockets`, async (t) => {
    if (!canBound) return t.skip('this Node cannot bound it')
    if (!requireProgram(t, 'ss', 'iproute2')) return
    const server = createServer()
    const address = { host, port: 0, sockets, allowHalfOpen: true, reusePort: false }
    const { port, close } = await listenOnSockets(server, address, listen(server))
    undoLater(t, () => {
      void close()
      server.close()
    })
    const openSome = async () => {
      const clients = Array.from({ length: 32 }, () => connect(port, host).on('error', () => {}))
      undoLater(t, () => clients.forEach((client) => client.destroy()))
      await Promise.all(clients.map((client) => once(client, 'connect')))
    }
    const some = () => receiveBuffers(`sport = :${port}`)
    // The first may be opened before the thread that sets it has begun.
    await poll(
      async () => {
        await openSome()
        return some().slice(-32).includes(425_984)
      },
      () => some().join(' '),
    )
    const before = some().filter((bytes) => bytes > 425_984).length
    await openSome()
    assert.equal(some().filter((bytes) => bytes > 425_984).length, before)
  })
