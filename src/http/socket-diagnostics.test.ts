import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { undoLater } from '../../test/support/cleanup.ts'
import { poll } from '../../test/support/poll.ts'
import { requireProgram } from '../../test/support/programs.ts'
import { connectRaw } from '../../test/support/raw.ts'
import { asHolder } from '../lib/holder.ts'
import { createQueueReader, readLine } from './socket-diagnostics.ts'
import { queueName, type OnQueue, type QueuesWanted, type Queue } from './tcp-queues.ts'
import { createUnreadConnections } from './unread-connections.ts'

const memoryOf = (received: number) => `skmem:(r${received},rb131072,t0,tb3939840,f1096,w0,o0,bl0,d0)`

/** What a line calls back for. */
function read(line: string): [name: string, queue: Queue][] {
  const found: [string, Queue][] = []
  readLine(line, (...each) => found.push(each))
  return found
}

/** What the kernel has of a connection. */
async function queueOf(connection: string | undefined, read: (onQueue: OnQueue) => Promise<number>): Promise<Queue> {
  let found = { sent: 0, received: 0 }
  await read((name, queue) => void (name === connection && (found = queue)))
  return found
}

const wantedOf = (port: number): QueuesWanted => ({ ports: new Set([port]), signal: new AbortController().signal })

/** A server that reads nothing. */
async function serve(t: TestContext) {
  const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const opened: Socket[] = []
  undoLater(t, async () => {
    for (const socket of opened) socket.destroy()
    await promisify(server.close.bind(server))()
  })
  return {
    server,
    port,
    opened,
    open: async () => {
      const { socket } = connectRaw(t, port)
      const [accepted] = (await once(server, 'connection')) as [Socket]
      opened.push(accepted)
      return { socket, accepted }
    },
  }
}

/** A connection of which a server has not read a byte. */
async function unreadByte(t: TestContext) {
  const { port, open } = await serve(t)
  const { socket, accepted } = await open()
  socket.write('x')
  return { name: queueName(accepted), wanted: wantedOf(port) }
}

test('a line of ss says what the kernel has of a connection, and its ends as the tables of the kernel do', () => {
  const ends = [
    ['127.0.0.1:5244', '198.18.1.2:12301', '127.0.0.1', '198.18.1.2'],
    ['127.0.0.1%lo:5244', '198.18.1.2:12301', '127.0.0.1', '198.18.1.2'],
    ['[::ffff:192.0.2.1]:5244', '[::ffff:198.18.1.2]:12301', '::ffff:192.0.2.1', '::ffff:198.18.1.2'],
    ['[::1]:5244', '[2001:db8:1:2:3:4:5:6]:12301', '::1', '2001:db8:1:2:3:4:5:6'],
    ['[fe80::1]%eth0:5244', '[fe80::2]:12301', 'fe80::1%eth0', 'fe80::2%eth0'],
    ['[fe80::1%eth0]:5244', 'fe80::2%eth0:12301', 'fe80::1', 'fe80::2'],
    // As the C library of Alpine shortens it.
    ['[2001:db8:1::3:4:5:6]:5244', '[::2]:12301', '2001:db8:1:0:3:4:5:6', '0:0:0:0:0:0:0:2'],
  ] as const
  for (const [local, remote, localAddress, remoteAddress] of ends) {
    const name = queueName({ localAddress, localPort: 5244, remoteAddress, remotePort: 12301 })
    assert.deepEqual(
      read(`ESTAB      0      58     ${local}    ${remote} ${memoryOf(23_296_000)}      `),
      [[name, { sent: 58, received: 23_296_000 }]],
      local,
    )
  }
})

test('of a connection of which the kernel has nothing in memory, no line of ss calls back', () => {
  assert.deepEqual(read(`ESTAB 0      0      127.0.0.1:5244 198.18.1.2:12301 ${memoryOf(0)}`), [])
})

test('a line of ss without memory, as of a connection that this side has closed, says what is not read', () => {
  const line = (queues: string) => `FIN-WAIT-2 ${queues} 127.0.0.1:5244 198.18.1.2:12301 timer:(timewait,49sec,0)`
  assert.deepEqual(read(line('0 0')), [])
  assert.deepEqual(
    read(line('7 5')).map(([, queue]) => queue),
    [{ sent: 5, received: 7 }],
  )
})

test('what is not a line of ss is refused', () => {
  const lines = [
    '',
    'usage: ss',
    'ESTAB a 5 127.0.0.1:5244 198.18.1.2:12301',
    'ESTAB 0',
    `ESTAB 0 a 127.0.0.1:5244 198.18.1.2:12301 ${memoryOf(1)}`,
    `ESTAB 0 5 127.0.0.1:5244 198.18.1.2:12301 skmem:(rx)`,
    `ESTAB 0 5 here:5244 [198.18.1:2:12301 ${memoryOf(1)}`,
    memoryOf(1),
  ]
  for (const line of lines) assert.throws(() => read(line), line)
})

test('where ss fails, the tables of the kernel are read, and it is not started again soon', async (t) => {
  const { name, wanted } = await unreadByte(t)
  let starts = 0
  const reader = createQueueReader(async () => {
    starts++
    throw new Error('no ss')
  })
  for (let at = 0; at < 3; at++)
    await poll(async () => (await queueOf(name, (onQueue) => reader(onQueue, wanted))).received === 1)
  assert.equal(starts, 1)
})

test('once the server is closed, neither ss nor the tables of the kernel are read', async (t) => {
  const { wanted } = await unreadByte(t)
  const signal = AbortSignal.abort()
  const found: string[] = []
  const reading = createQueueReader()((name) => found.push(name), { ...wanted, signal })
  await assert.rejects(reading, { name: 'AbortError' })
  assert.deepEqual(found, [])
})

test('what a client has sent before its connection is decrypted counts, until it is decrypted', async (t) => {
  const { server, opened, open } = await serve(t)
  let undecrypted = () => opened
  const unread = createUnreadConnections(
    { onClosed() {}, undecrypted: () => undecrypted() },
    { maxBytes: 64_000, calmBytes: 0, lookMs: 10 },
  )
  unread.watch(server, () => [])
  const { socket } = await open()
  socket.write('x'.repeat(1000))
  await poll(() => unread.bytes() >= 1000)
  undecrypted = () => []
  await poll(() => unread.bytes() === 0)
  undecrypted = () => opened
  socket.write('x'.repeat(200_000))
  await poll(() => opened[0]?.destroyed === true)
  await poll(() => unread.bytes() === 0)
})

test('a client whose few bytes take much memory of the kernel is reset, and one that sends as many in one piece is not', async (t) => {
  if (!requireProgram(t, 'ss', 'iproute2')) return
  const unread = createUnreadConnections({ onClosed() {} }, { maxBytes: 10_000, calmBytes: 0, lookMs: 10 })
  const { server, opened, open } = await serve(t)
  unread.watch(server, () => opened)
  for (const holder of ['honest.1', 'attacker.1']) {
    const { socket, accepted } = await open()
    accepted.reader = asHolder(holder)
    socket.setNoDelay(true)
    const parts = holder === 'honest.1' ? ['x'.repeat(1000)] : Array.from({ length: 1000 }, () => 'x')
    for (const part of parts) await new Promise((resolve) => socket.write(part, resolve))
  }
  await poll(() => opened[1]?.destroyed === true)
  assert.equal(opened[0]?.destroyed, false)
})
