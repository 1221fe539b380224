import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { undoLater } from '../../test/support/cleanup.ts'
import { poll } from '../../test/support/poll.ts'
import { parseNetworks } from '../lib/network.ts'
import { createClientAddress } from './client-address.ts'
import { createConnectionLimit, type ConnectionLimit } from './connection-limit.ts'

const client = createClientAddress(parseNetworks('127.0.9.9') ?? [], () => {})

/** Serves with a limit; `open` connects from an address of loopback, and resolves when the connection was served or closed. */
async function serve(t: TestContext, limit: ConnectionLimit, server: Server = createServer()) {
  const accepted = new Map<number, Socket>()
  limit.count(server)
  server.on('connection', (socket) => {
    accepted.set(
      socket.remotePort ?? 0,
      socket.on('error', () => {}),
    )
    socket.write('hello')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  undoLater(t, () => void server.close())
  const { port } = server.address() as AddressInfo
  return async (localAddress: string) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {})
    undoLater(t, () => void socket.destroy())
    const isServed = await new Promise<boolean>((resolve) => {
      socket.once('data', () => resolve(true)).once('close', () => resolve(false))
    })
    const isOpen = () => isServed && !socket.destroyed
    return { socket, isServed, isOpen, accepted: accepted.get(socket.localPort ?? 0) }
  }
}

const areOpen = (connections: { isOpen: () => boolean }[]) => connections.map(({ isOpen }) => isOpen())

test('one client may have all connections; past the limit the one that has been idle for longest is closed for the next', async (t) => {
  const limit = createConnectionLimit({ client, max: 3 })
  const working = new Set<Socket | undefined>()
  limit.observe({ restingSince: (socket) => (working.has(socket) ? Infinity : undefined) })
  const open = await serve(t, limit)
  const all = [await open('127.0.1.1'), await open('127.0.1.1'), await open('127.0.1.1')]
  assert.deepEqual(areOpen(all), [true, true, true])
  working.add(all[0]?.accepted)
  const next = await open('127.0.1.1')
  await poll(() => all[1]?.isOpen() === false)
  assert.deepEqual(areOpen([...all, next]), [true, false, true, true])
  const [connections, refused] = limit.metrics
  assert.deepEqual([connections?.read(), refused?.read()], [3, 1])
  next.socket.destroy()
  await poll(() => connections?.read() === 2)
  assert.equal((await open('127.0.2.1')).isServed, true)
  assert.equal(refused?.read(), 1)
})

test('the connections of one network, from however many addresses, leave every other network its share', async (t) => {
  const limit = createConnectionLimit({ client, max: 8 })
  const open = await serve(t, limit)
  const attack = async () => {
    for (let at = 1; at <= 20; at++) await open(`127.0.1.${at}`)
  }
  await attack()
  const honest = []
  for (const address of ['127.0.2.1', '127.0.2.2', '127.0.3.1', '127.0.4.1']) honest.push(await open(address))
  await attack()
  assert.deepEqual(areOpen(honest), [true, true, true, true])
  assert.equal(limit.metrics[0]?.read(), 8)
})

test('an encrypted connection counts as three, which is what it takes in memory', async (t) => {
  const limit = createConnectionLimit({ client, max: 100, memory: 9 })
  const open = await serve(t, limit, createServer())
  const all = [await open('127.0.1.1'), await open('127.0.1.1'), await open('127.0.1.1'), await open('127.0.1.1')]
  await poll(() => areOpen(all).filter(Boolean).length === 3)
  assert.equal(limit.metrics[0]?.read(), 3)
  const plain = createConnectionLimit({ client, max: 100, memory: 9 })
  const openPlain = await serve(t, plain, createHttpServer())
  for (let at = 0; at < 9; at++) assert.equal((await openPlain('127.0.1.1')).isServed, true)
  assert.equal(plain.metrics[0]?.read(), 9)
})

test('the connections of a trusted proxy are not bounded as those of one client, and none of them is closed for others', async (t) => {
  const limit = createConnectionLimit({ client, max: 4 })
  const open = await serve(t, limit)
  const attacker = [await open('127.0.1.1'), await open('127.0.1.2'), await open('127.0.1.3')]
  const proxied = []
  for (let at = 0; at < 3; at++) proxied.push(await open('127.0.9.9'))
  assert.deepEqual(areOpen(proxied), [true, true, true])
  await poll(() => areOpen(attacker).filter(Boolean).length === 1)
  for (let at = 0; at < 5; at++) await open('127.0.1.4')
  assert.deepEqual(areOpen(proxied), [true, true, true])
})

test('while memory runs short, the connections of a trusted proxy stay, and further ones are accepted; those of others give way', async (t) => {
  const limit = createConnectionLimit({ client, max: 100, memory: 48 })
  const open = await serve(t, limit)
  const [proxied, direct] = [[await open('127.0.9.9')], [await open('127.0.1.1')]]
  for (let at = 0; at < 5; at++) {
    proxied.push(await open('127.0.9.9'))
    direct.push(await open('127.0.1.1'))
  }
  for (let at = 0; at < 40; at++) limit.shares[0]?.tighten()
  await poll(() => direct.filter(({ isOpen }) => isOpen()).length === 2)
  for (let at = 0; at < 5; at++) proxied.push(await open('127.0.9.9'))
  assert.deepEqual(new Set(areOpen(proxied)), new Set([true]))
  direct.push(await open('127.0.1.1'), await open('127.0.2.1'))
  await poll(() => direct.filter(({ isOpen }) => isOpen()).length === 2)
  assert.equal(direct.at(-1)?.isOpen(), true, 'that of a network with fewer stays')
})

test('while what the kernel has for connections is short, few may be open, whatever other memory there is', async (t) => {
  const limit = createConnectionLimit({ client, max: 4_000, memory: 4_000 })
  const open = await serve(t, limit)
  const honest = [await open('127.0.2.1'), await open('127.0.3.1')]
  const proxied = [await open('127.0.9.9')]
  const attack: Awaited<ReturnType<typeof open>>[] = []
  for (let at = 0; at < 30; at++) attack.push(await open('127.0.1.1'))
  const ofAttack = () => attack.filter(({ isOpen }) => isOpen()).length
  const [ofProcess, ofSockets] = limit.shares
  for (let at = 0; at < 40; at++) {
    ofSockets?.tighten()
    ofProcess?.relax()
  }
  // Those of a TLS server count for three each.
  await poll(() => ofAttack() === 0)
  assert.deepEqual(areOpen([...honest, ...proxied]), [true, true, true])
  ofSockets?.relax()
  for (let at = 0; at < 10; at++) attack.push(await open('127.0.1.1'))
  await poll(() => ofAttack() === 3)
  assert.deepEqual(areOpen(honest), [true, true])
})

test('a connection of an HTTP server that was closed at once does no harm to it', async (t) => {
  const limit = createConnectionLimit({ client, max: 1 })
  const server = createHttpServer((_request, response) => response.end('fine'))
  limit.count(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  undoLater(t, () => void server.close())
  const { port } = server.address() as AddressInfo
  // Each on a connection of its own: one that is kept may be closed just when it is used again.
  const ask = async () => (await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } })).text()
  for (let at = 0; at < 20; at++) assert.equal(await ask(), 'fine')
  const others = Array.from({ length: 50 }, (_, at) =>
    connect({ port, host: '127.0.0.1', localAddress: `127.0.${at}.1` }),
  )
  for (const other of others) other.on('error', () => {})
  await poll(() => (limit.metrics[1]?.read() ?? 0) >= 49)
  for (const other of others) other.destroy()
  await poll(() => limit.metrics[0]?.read() === 0)
  assert.equal(await ask(), 'fine')
})

test('while connections take much memory, one that the service closes is reset, but not one of a trusted proxy, nor one whose client has closed its side', async (t) => {
  const limit = createConnectionLimit({ client })
  const open = await serve(t, limit, createServer({ allowHalfOpen: true }))
  const endOf = async (address: string, isHalfClosed = false) => {
    const { socket, accepted } = await open(address)
    if (isHalfClosed) {
      socket.end()
      await once(accepted?.resume() as Socket, 'end')
    }
    const ended = new Promise((resolve) => {
      socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code)).once('end', () => resolve('end'))
    })
    accepted?.destroy()
    return ended
  }
  assert.equal(await endOf('127.0.1.1'), 'end')
  limit.observe({ isCrowded: () => true })
  assert.equal(await endOf('127.0.1.1'), 'ECONNRESET')
  assert.equal(await endOf('127.0.9.9'), 'end')
  assert.equal(await endOf('127.0.1.1', true), 'end')
})

/** Sends a request and resets its connection at once. */
const LEAVE = `
  const socket = require('net').connect(Number(process.argv[1]), '127.0.0.1', () => {
    socket.write('GET / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n', () => socket.resetAndDestroy())
  })`

test('a request whose client has reset its connection before it is accepted is not carried out: nobody could be charged for it', async (t) => {
  const clients: (string | undefined)[] = []
  const server = createHttpServer(({ socket }, response) => {
    clients.push(socket.remoteAddress)
    response.end()
  })
  createConnectionLimit({ client }).count(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  undoLater(t, () => void server.close())
  const { port } = server.address() as AddressInfo
  // Nothing is accepted meanwhile.
  for (let at = 0; at < 3; at++) execFileSync(process.execPath, ['-e', LEAVE, String(port)])
  const response = await fetch(`http://127.0.0.1:${port}/`)
  assert.deepEqual([response.status, clients], [200, ['127.0.0.1']])
})
