import assert from 'node:assert/strict'
import { once } from 'node:events'
import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { connect, createServer as createPlainServer, type AddressInfo, type Socket } from 'node:net'
import { test } from 'node:test'
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls'
import { undoLater, type Ending } from '../../test/support/cleanup.ts'
import { poll } from '../../test/support/poll.ts'
import { createClientAddress } from '../http/client-address.ts'
import { closeAtOnce } from '../http/close-at-once.ts'
import { createConnectionLimit, type ConnectionLimit } from '../http/connection-limit.ts'
import { asHolder } from '../lib/holder.ts'
import { challengeCertificate } from './challenge-certificate.ts'
import { createHold } from './hold.ts'
import { createAcceptor, createListener, type Accept, type ListenerLimits } from './listener.ts'

type AcceptFor = Parameters<typeof createListener>[0]

async function listen(t: Ending, acceptFor: AcceptFor, limits: Partial<ListenerLimits> = {}) {
  const listener = createListener(acceptFor, { helloMs: 60_000, holdMs: 60_000, ...limits })
  listener.server.listen(0, '127.0.0.1')
  await once(listener.server, 'listening')
  undoLater(t, () => listener.close())
  return { ...listener, port: (listener.server.address() as AddressInfo).port }
}

/** A client that has sent its whole ClientHello. */
function connectWithHello(t: Ending, port: number, more: ConnectionOptions & { localAddress?: string } = {}): Socket {
  const socket = connectTls({ host: '127.0.0.1', port, servername: 'qr.example.com', ...more })
  socket.on('error', () => {})
  undoLater(t, () => void socket.destroy())
  return socket
}

const closed = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()))

test('a connection waits while its certificate is issued, and then continues', async (t) => {
  const certificate = Promise.withResolvers<Accept>()
  const requested = Promise.withResolvers<string | undefined>()
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { port } = await listen(
    t,
    ({ serverName }) => {
      requested.resolve(serverName)
      return { find: () => certificate.promise }
    },
    { helloMs: 5000, holdMs: 30_000 },
  )
  const socket = connectWithHello(t, port)
  assert.equal(await requested.promise, 'qr.example.com')
  // Longer than the time for the first message: that is over when the message is there.
  t.mock.timers.tick(29_000)
  const accepted = Promise.withResolvers<Buffer>()
  certificate.resolve((raw) => raw.once('data', accepted.resolve).resume())
  const bytes = await accepted.promise
  assert.equal(bytes.readUInt8(0), 0x16, 'the first message is unshifted')
  socket.destroy()
})

test('a connection that waits for too long is closed, and no longer counts among those that wait', async (t) => {
  const hold = createHold(2)
  const never = new Promise<Accept>(() => {})
  const { port } = await listen(t, () => ({ find: (connection) => hold.wait(connection, () => never) }), {
    holdMs: 300,
  })
  const sockets = [connectWithHello(t, port), connectWithHello(t, port)]
  const gone: string[] = []
  for (const [at, socket] of sockets.entries()) void closed(socket).then(() => gone.push(`held ${at}`))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  await Promise.all(sockets.map(closed))
  assert.equal(gone.length, 2)
  assert.equal(
    await hold.wait({ holder: asHolder('192.0.2.1'), ended: new AbortController().signal }, async () => 'waited'),
    'waited',
  )
})

test('a connection is closed when its name may have no certificate, or issuing fails', async (t) => {
  for (const acceptFor of [
    () => undefined,
    () => ({ find: () => Promise.resolve(undefined) }),
    () => ({ find: () => Promise.reject(new Error('no certificate')) }),
  ] as AcceptFor[]) {
    const { port } = await listen(t, acceptFor)
    await closed(connectWithHello(t, port))
  }
})

test('a client that sends its ClientHello too slowly is disconnected', async (t) => {
  const { port } = await listen(t, () => assert.fail('there is no complete hello'), { helloMs: 100 })
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {}).resume()
  const bytes = Buffer.from('16030100c8010000c40303', 'hex')
  let at = 0
  const drip = setInterval(() => socket.write(bytes.subarray(at, ++at)), 20)
  undoLater(t, () => clearInterval(drip))
  await closed(socket)
})

test('handshakes that one network begins together wait for each other, and that of another network for few of them', async (t) => {
  const order: string[] = []
  const accept = (raw: Socket) => {
    order.push(raw.remoteAddress ?? '')
    // Longer than a slice, as many handshakes take together.
    for (const end = performance.now() + 5; performance.now() < end;);
    raw.destroy()
  }
  const certificate = Promise.withResolvers<Accept>()
  let waiting = 0
  const { port } = await listen(t, () => ({ find: () => (waiting++, certificate.promise) }))
  const addresses = [...Array.from({ length: 40 }, (_, at) => `127.1.1.${at + 1}`), '127.9.9.9']
  for (const [at, localAddress] of addresses.entries()) {
    connectWithHello(t, port, { localAddress })
    await poll(() => waiting === at + 1)
  }
  certificate.resolve(accept)
  await poll(() => order.length === addresses.length)
  assert.ok(order.indexOf('127.9.9.9') < 5, `${order.indexOf('127.9.9.9')} began before`)
})

test('only key agreements that clients have in common are taken: others cost up to five times as much', async (t) => {
  const { key, chain } = challengeCertificate('qr.example.com', 'token.thumbprint', Date.now())
  const { accept } = createAcceptor({ key, chain }, randomBytes(48), (socket) => void socket.end())
  const { port } = await listen(t, () => accept)
  const outcome = async (ecdhCurve: string) => {
    const socket = connectTls({ host: '127.0.0.1', port, ecdhCurve, rejectUnauthorized: false })
    undoLater(t, () => void socket.destroy())
    return once(socket, 'secureConnect').then(
      () => 'secure',
      () => 'refused',
    )
  }
  for (const group of ['X25519', 'P-256', 'P-384', 'P-521:P-256']) assert.equal(await outcome(group), 'secure', group)
  for (const group of ['P-521', 'X448']) assert.equal(await outcome(group), 'refused', group)
})

test('close ends the connections that no TLS server has taken over yet', async (t) => {
  const { port, close } = await listen(t, () => ({ find: () => new Promise<Accept>(() => {}) }))
  const [silent, held] = [connect(port, '127.0.0.1'), connectWithHello(t, port)]
  silent.on('error', () => {}).resume()
  await Promise.all([once(silent, 'connect'), once(held, 'connect')])
  const ended = [closed(silent), closed(held)]
  await close()
  await Promise.all(ended)
})

/** Serves HTTPS within a limit. @returns opens a connection, which is decrypted */
async function serveEncrypted(t: Ending, limit: ConnectionLimit, server: Server): Promise<() => Promise<TLSSocket>> {
  const identity = challengeCertificate('qr.example.com', 'answer', Date.now())
  const { accept } = createAcceptor(identity, randomBytes(48), (socket) => void server.emit('connection', socket))
  const { port, server: listening } = await listen(t, () => accept)
  limit.count(listening)
  limit.count(server)
  return async () => {
    const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false }).on('error', () => {})
    undoLater(t, () => void socket.destroy())
    await once(socket, 'secureConnect')
    return socket.resume()
  }
}

test('past the limit of connections one that rests is closed below its encryption, and one that is in use stays', async (t) => {
  const limit = createConnectionLimit({ client: createClientAddress([], () => {}), max: 2 })
  const inUse = new Set<Socket>()
  limit.observe({ restingSince: (socket) => (inUse.has(socket) ? Infinity : undefined) })
  const server = createServer(({ socket }) => void inUse.add(socket))
  const open = await serveEncrypted(t, limit, server)
  const used = await open()
  used.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await poll(() => inUse.size === 1)
  const resting = await open()
  const next = await open()
  await poll(() => resting.destroyed)
  assert.deepEqual([used.destroyed, next.destroyed, limit.metrics[0]?.read()], [false, false, 2])
})

test('one that says little by much is closed while the event loop is late, and one that says as much stays', async (t) => {
  const limit = createConnectionLimit({ client: createClientAddress([], () => {}), lateMs: -Infinity })
  const server = createServer((request) => void request.resume())
  const open = await serveEncrypted(t, limit, server)
  const [honest, hollow] = [await open(), await open()]
  for (const each of [honest, hollow]) each.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n')
  honest.write('x'.repeat(500_000))
  // Each byte is a record of 23.
  for (let at = 0; at < 10_000 && !hollow.destroyed; at++) await new Promise((resolve) => hollow.write('x', resolve))
  await poll(() => hollow.destroyed)
  assert.equal(honest.destroyed, false)
})

test('a connection whose client does not read is reset, also below its encryption, and one whose client has read all is closed', async (t) => {
  const identity = challengeCertificate('qr.example.com', 'answer', Date.now())
  const written = new Map<number, Socket>()
  const onOpen = (socket: Socket) => {
    socket.on('error', () => {})
    socket.once('data', (chunk) => {
      // More than the kernel takes.
      socket.write(Buffer.alloc(chunk.toString() === 'large' ? 32 * 1024 * 1024 : 1))
      written.set(socket.remotePort ?? 0, socket)
    })
  }
  const { accept } = createAcceptor(identity, randomBytes(48), onOpen)
  const encrypted = await listen(t, () => accept)
  const plain = createPlainServer(onOpen).listen(0, '127.0.0.1')
  await once(plain, 'listening')
  undoLater(t, () => void plain.close())
  const end = async (client: Socket, size: string) => {
    undoLater(t, () => void client.destroy())
    const errors: string[] = []
    client.on('error', ({ code = '' }: NodeJS.ErrnoException) => errors.push(code))
    client.write(size)
    await poll(() => written.has(client.localPort ?? 0))
    const served = written.get(client.localPort ?? 0)
    if (served === undefined) throw new Error('unreachable')
    if (size === 'small') await once(client.resume(), 'data')
    closeAtOnce(served)
    assert.equal(served.destroyed, true)
    if (!served.closed) await once(served, 'close')
    client.resume()
    await closed(client)
    return errors
  }
  for (const size of ['large', 'small']) {
    const raw = connect((plain.address() as AddressInfo).port, '127.0.0.1').pause()
    const tls = connectTls({ host: '127.0.0.1', port: encrypted.port, rejectUnauthorized: false })
    await once(tls, 'secureConnect')
    for (const client of [raw, tls.pause()])
      assert.deepEqual(await end(client, size), size === 'large' ? ['ECONNRESET'] : [])
  }
})
