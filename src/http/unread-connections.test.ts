import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerOptions, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { listen } from '../../test/support/http-server.ts'
import { poll } from '../../test/support/poll.ts'
import { connectRaw } from '../../test/support/raw.ts'
import { asHolder } from '../lib/holder.ts'
import { queueName, readQueues } from './tcp-queues.ts'
import { closeStalledConnections } from './stalled-connections.ts'
import { createUnreadConnections, type UnreadBounds } from './unread-connections.ts'

const MIB = 1024 * 1024
/** The kernel takes it at once, and the client's part of it only what is little beside. */
const body = Buffer.alloc(MIB)
const patient = { idleMs: 600_000, unreadMs: 600_000, everyMs: 600_000 }

/** Serves a mebibyte for any request; the first part of its path is whom it counts for. */
async function serve(
  t: TestContext,
  maxBytes: number,
  options: ServerOptions = {},
  changed: Partial<UnreadBounds> = {},
) {
  const opened: Socket[] = []
  const names: (string | undefined)[] = []
  const reset = { count: 0 }
  const kernel = { isAsked: true, fails: false, looks: 0 }
  const isProxied = ({ reader }: Socket) => reader?.client.startsWith('proxy') === true
  const memory = () => {
    kernel.looks++
    return kernel.isAsked ? Number.POSITIVE_INFINITY : 0
  }
  const unread = createUnreadConnections(
    { onClosed: () => reset.count++, isProxied },
    { maxBytes, lookMs: 10, memory, ...changed },
  )
  const answer = ({ method, socket, url = '' }: IncomingMessage, response: ServerResponse) => {
    const [holder = '', bytes] = url.slice(1).split('?')
    socket.reader = asHolder(holder)
    // Node stops reading what nobody wants.
    if (method === 'POST') return
    response.end(body.subarray(0, bytes === undefined ? MIB : Number(bytes)))
  }
  const server = createServer(options, answer).on('connection', (socket: Socket) => {
    opened.push(socket)
    names.push(queueName(socket))
  })
  const open = closeStalledConnections(server, patient)
  unread.watch(server, () => {
    if (kernel.fails) throw new Error('no tables')
    return open()
  })
  const listening = await listen(t, server)
  return {
    opened,
    names,
    reset,
    kernel,
    unread,
    /** A client that sends more than the server reads, until the kernel takes no more. */
    send: async (holder: string) => {
      const { socket } = connectRaw(t, listening)
      socket.write(`POST /${holder} HTTP/1.1\r\nHost: a\r\nContent-Length: ${8 * MIB}\r\n\r\n`)
      socket.write(Buffer.alloc(8 * MIB))
      const [accepted] = (await once(server, 'connection')) as [Socket]
      return accepted
    },
    /** A client that asks, and reads nothing. */
    ask: async (holder: string, fields = '') => {
      const connection = connectRaw(t, listening)
      connection.socket.pause()
      connection.socket.write(`GET /${holder} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`)
      const [socket] = (await once(server, 'connection')) as [Socket]
      await poll(() => socket.bytesWritten > 0 && socket.writableLength === 0)
      return connection
    },
  }
}

/** The bytes that the kernel has for the client of a connection, also once that was closed. */
async function heldFor(connection: string | undefined): Promise<number> {
  let held = 0
  await readQueues((name, { sent, received }) => {
    if (name === connection) held += sent + received
  })
  return held
}

test('of responses that the kernel has taken, the one is reset that was read least lately, of the network with most', async (t) => {
  const { ask, opened, names, reset, unread } = await serve(t, 2.5 * MIB)
  const honest = await ask('honest.1')
  await poll(() => unread.bytes() > 0)
  const attack = [await ask('attacker.1'), await ask('attacker.1'), await ask('attacker.1')]
  await poll(() => reset.count > 0 && unread.bytes() < 2.5 * MIB)
  const [ofHonest, ...ofAttack] = opened.map(({ destroyed }) => destroyed)
  assert.equal(ofHonest, false)
  assert.deepEqual(ofAttack.toSorted().toReversed(), ofAttack, 'the oldest first')
  for (const [at, isReset] of ofAttack.entries()) if (isReset) assert.equal(await heldFor(names[at + 1]), 0)
  for (const { socket, received } of [honest, ...attack.slice(reset.count)]) {
    socket.resume()
    await poll(() => received().length > MIB)
  }
  await poll(() => unread.bytes() === 0)
})

test('of connections of a client that are looked at for the first time, the one is reset that has least read', async (t) => {
  const { ask, opened, reset, kernel, unread } = await serve(t, 2 * MIB)
  kernel.isAsked = false
  await ask('office.1?400000')
  for (let at = 0; at < 3; at++) await ask('office.1')
  kernel.isAsked = true
  await poll(() => reset.count > 0 && unread.bytes() < 2 * MIB)
  assert.equal(opened[0]?.destroyed, false)
})

test('of requests that are not read, what the kernel has counts as well, but not of a proxy, whose clients are many', async (t) => {
  const { send, reset, unread } = await serve(t, 400_000)
  const proxies = [await send('proxy.1'), await send('proxy.1'), await send('proxy.1'), await send('proxy.1')]
  const honest = await send('honest.1')
  await poll(() => unread.bytes() > 0)
  const attack = [
    await send('attacker.1'),
    await send('attacker.1'),
    await send('attacker.1'),
    await send('attacker.1'),
  ]
  await poll(() => reset.count > 1 && unread.bytes() <= 400_000)
  assert.deepEqual(
    [honest, ...proxies].map(({ destroyed }) => destroyed),
    [false, false, false, false, false],
  )
  for (const { queueName: name, destroyed } of attack) if (destroyed) assert.equal(await heldFor(name), 0)
})

test('a connection stays open beyond its time-out while its client has not read all that the kernel took', async (t) => {
  const { ask, opened, unread } = await serve(t, 64 * MIB, { keepAliveTimeout: 100 })
  const { socket, received, closed } = await ask('phone.1')
  await poll(() => unread.bytes() > 0)
  const [server] = opened
  // Each begins the time anew.
  let timeouts = 0
  server?.on('timeout', () => timeouts++)
  await poll(() => timeouts > 1)
  assert.equal(server?.destroyed, false)
  socket.resume()
  await closed
  assert.ok(received().length > MIB)
})

test('after the last response of a connection, what its client has not read still counts, until it is read', async (t) => {
  const { ask, opened, unread } = await serve(t, 64 * MIB)
  const other = await ask('other.1')
  await poll(() => unread.bytes() > 0)
  other.socket.resume()
  await poll(() => unread.bytes() === 0)
  const { socket, received, closed } = await ask('phone.1', 'Connection: close\r\n')
  await poll(() => unread.bytes() > 0)
  assert.equal(opened[1]?.destroyed, false)
  socket.resume()
  await closed
  assert.ok(received().length > MIB)
  await poll(() => opened[1]?.destroyed === true)
  assert.equal(unread.bytes(), 0)
})

test('after a small last response, a connection stays open until a look has found that its client has it, but not that of a proxy', async (t) => {
  const { ask, opened, kernel, unread } = await serve(t, 64 * MIB)
  await poll(unread.isCrowded)
  kernel.fails = true
  await ask('phone.1?200', 'Connection: close\r\n')
  await ask('proxy.1?200', 'Connection: close\r\n')
  const areDestroyed = () => opened.map(({ destroyed }) => destroyed)
  await poll(() => areDestroyed().includes(true))
  assert.deepEqual(areDestroyed(), [false, true])
  kernel.fails = false
  await poll(() => !areDestroyed().includes(false))
})

test('a connection that has ended with a small response is reset once its client acknowledges nothing, and one that reads a larger one slowly is not', async (t) => {
  // The kernel of a client that is open acknowledges what is small at once.
  const stalled: UnreadBounds['readQueues'] = async (onQueue) => {
    for (const name of names) if (name !== undefined) onQueue(name, { sent: 100, received: 0 })
    return names.length
  }
  const { ask, opened, names, kernel, unread } = await serve(t, 64 * MIB, {}, { readQueues: stalled })
  await poll(unread.isCrowded)
  await ask('attacker.1?200', 'Connection: close\r\n')
  await ask('phone.1?200000', 'Connection: close\r\n')
  const { looks } = kernel
  await poll(() => opened[0]?.destroyed === true)
  assert.ok(kernel.looks - looks > 5, `${kernel.looks - looks} looks`)
  await poll(() => kernel.looks - looks > 100)
  assert.equal(opened[1]?.destroyed, false)
})

test('of many connections that end after small responses at the same time, those of the largest holder wait no longer', async (t) => {
  const { ask, opened, reset, kernel, unread } = await serve(t, 64 * MIB, {}, { mostWaiting: 3 })
  await poll(unread.isCrowded)
  // No look finds out meanwhile what they have read.
  kernel.fails = true
  await ask('honest.1?200', 'Connection: close\r\n')
  for (let at = 0; at < 10; at++) await ask('attacker.1?200', 'Connection: close\r\n')
  const open = opened.filter(({ destroyed }) => !destroyed).map(({ reader }) => reader?.client)
  assert.deepEqual([reset.count, open.toSorted()], [8, ['attacker.1', 'attacker.1', 'honest.1']])
})

test('who closes one side of a connection and reads nothing leaves nothing in the kernel', async (t) => {
  const { ask, opened, names, unread } = await serve(t, 64 * MIB)
  const { socket } = await ask('attacker.1')
  const [name] = names
  await poll(() => unread.bytes() > 0)
  assert.ok((await heldFor(name)) > 0)
  socket.end()
  await poll(() => opened[0]?.destroyed === true)
  assert.equal(await heldFor(name), 0)
})

test('a connection that ends between two looks goes by what the connections of the machine take then', async (t) => {
  const { ask, opened, kernel, unread } = await serve(t, 64 * MIB, {}, { lookMs: 600_000 })
  kernel.isAsked = false
  assert.equal(unread.isCrowded(), false)
  kernel.isAsked = true
  // What is known of it is fresh for so long.
  await poll(unread.isCrowded)
  await ask('phone.1?200', 'Connection: close\r\n')
  assert.equal(opened[0]?.destroyed, false)
})

for (const [connections, pauseMs] of [
  [1, 20],
  [1_000, 80],
  [1_000_000, 500],
] as const)
  test(`a look at ${connections} connections puts off the next by a twentieth of its time, whatever else the event loop does meanwhile`, async (t) => {
    const delays: number[] = []
    const { setTimeout: start } = globalThis
    t.mock.method(globalThis, 'setTimeout', (run: () => void, ms = 0) => {
      delays.push(ms)
      return start(run, ms)
    })
    const { ask } = await serve(
      t,
      64 * MIB,
      {},
      {
        lookMs: 100,
        async readQueues() {
          await new Promise((resolve) => setImmediate(resolve))
          const until = performance.now() + 50
          while (performance.now() < until);
          return connections
        },
      },
    )
    await ask('phone.1?200')
    await poll(() => delays.includes(pauseMs))
  })

test('while connections take little memory, nothing is looked at, and a connection ends as ever', async (t) => {
  const unread = createUnreadConnections({ onClosed() {} }, { maxBytes: 1, lookMs: 10, calmBytes: 2, memory: () => 1 })
  const server = createServer((_request, response) => response.end(body))
  unread.watch(server, closeStalledConnections(server, patient))
  const { socket, received, closed } = connectRaw(t, await listen(t, server))
  const opened = once(server, 'connection') as Promise<[Socket]>
  socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  const [accepted] = await opened
  await poll(() => accepted.destroyed)
  await closed
  assert.ok(received().length > MIB)
  assert.equal(unread.bytes(), 0)
})
