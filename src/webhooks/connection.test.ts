import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { endianness } from 'node:os'
import { test, type TestContext } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { undoLater } from '../../test/support/cleanup.ts'
import { listen } from '../../test/support/http-server.ts'
import { PATIENCE_MS, poll } from '../../test/support/poll.ts'
import { requireProgram } from '../../test/support/programs.ts'
import { canBound, receiveBuffers } from '../../test/support/receive-buffers.ts'
import { selfSigned } from '../../test/support/self-signed.ts'
import { createGuardedRequest, type GuardedOptions } from './guarded-request.ts'
import { NotNow, createReceivers } from './receivers.ts'
import { createOutgoingMemory } from './outgoing-memory.ts'

const HOST = 'hook.example'
/** That of no other receiver: a connection of another test to a client's port that was this one may be kept for a minute. */
const ADDRESS = '127.41.7.2'

function createRequest({ timeoutMs = PATIENCE_MS, ca }: Given = {}) {
  const memory = createOutgoingMemory()
  const request = createGuardedRequest({
    addressesOf: async (host) => [host.startsWith('ip-') ? host.slice(3, -8).replaceAll('-', '.') : ADDRESS],
    isAllowed: () => true,
    receivers: createReceivers(Date.now),
    memory,
    timeoutMs,
    ca,
  })
  const { signal } = new AbortController()
  const send = (url: string, more: Partial<GuardedOptions> = {}) =>
    request(url, { method: 'POST', body: '{}', signal, ...more })
  return { memory, send }
}

interface Given {
  timeoutMs?: number
  ca?: string
}

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'

/** A receiver that never closes its side, over TLS if it has a certificate. */
async function startKeeping(t: TestContext, answer: (socket: Socket) => void, tls?: { key: string; cert: string }) {
  const onConnection = (socket: Socket) => {
    undoLater(t, () => void socket.destroy())
    socket.on('error', () => {}).once('data', () => answer(socket))
  }
  const server = tls
    ? createTlsServer({ ...tls, allowHalfOpen: true }, onConnection)
    : createServer({ allowHalfOpen: true }, onConnection)
  const port = await listenTcp(t, server)
  return {
    port,
    isGone: () =>
      poll(
        () => statesOf(port).length === 0,
        () => `no connection: ${statesOf(port).join(' ')}`,
      ),
  }
}

async function listenTcp(t: TestContext, server: Server): Promise<number> {
  server.listen(0, '0.0.0.0')
  undoLater(t, () => void server.close())
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** The states (proc(5)) of the connections to a receiver that the kernel has for whoever opened them, or for nobody any more. */
function statesOf(port: number): string[] {
  const bytes = ADDRESS.split('.').map(Number)
  const inOrder = Buffer.from(endianness() === 'LE' ? bytes.toReversed() : bytes)
  const receiver = `${inOrder.toString('hex').toUpperCase()}:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const rows = readFileSync('/proc/self/net/tcp', 'latin1')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
  return rows.flatMap(([, , remote = '', state = '']) => (remote === receiver ? [state] : []))
}

/** Enough for what is to happen at once; the kernel keeps for a minute what its receiver does not close. */
const onLinux = { timeout: PATIENCE_MS / 3, skip: process.platform !== 'linux' }

const endings: [what: string, method: GuardedOptions['method'], answer: (socket: Socket) => void, says: RegExp][] = [
  ['a whole response', 'POST', (socket) => socket.write(OK), /200/],
  ['a whole response to a check', 'HEAD', (socket) => socket.write(OK.slice(0, -2)), /200/],
  ['the beginning of a page', 'GET', (socket) => socket.write(OK.slice(0, -2)), /200/],
  ['too large a response', 'POST', (socket) => socket.write('HTTP/1.1 103 \r\n\r\n'.repeat(600)), /too large/],
  ['what is not HTTP', 'POST', (socket) => socket.write('SSH-2.0-OpenSSH_9.9\r\n'), /not HTTP/],
  ['no response', 'POST', () => {}, /did not respond/],
]
for (const [what, method, answer, says] of endings)
  test(`after ${what}, nothing is left of a connection that its receiver keeps open`, onLinux, async (t) => {
    const { port, isGone } = await startKeeping(t, answer)
    const { send } = createRequest({ timeoutMs: what === 'no response' ? 200 : PATIENCE_MS })
    const body = method === 'POST' ? '{}' : ''
    const said = await send(`http://${HOST}:${port}/`, { method, body }).catch((error: Error) => error)
    assert.match(said instanceof Error ? said.message : String(said.status), says)
    await isGone()
  })

test('nothing is left of the connection of a request that is interrupted', onLinux, async (t) => {
  const interrupt = new AbortController()
  const { port, isGone } = await startKeeping(t, () => interrupt.abort())
  await assert.rejects(createRequest().send(`http://${HOST}:${port}/`, { signal: interrupt.signal }))
  await isGone()
})

test('nothing is left of a connection whose TLS handshake is refused, or never answered', onLinux, async (t) => {
  const answers: [answer: (socket: Socket) => void, says: RegExp][] = [
    [(socket) => socket.write('SSH-2.0-OpenSSH_9.9\r\n'), /TLS is not valid/],
    [() => {}, /did not respond/],
  ]
  for (const [answer, says] of answers) {
    const { port, isGone } = await startKeeping(t, answer)
    await assert.rejects(createRequest({ timeoutMs: 1_000 }).send(`https://${HOST}:${port}/`), says)
    await isGone()
  }
})

test(
  'after a whole response over TLS, nothing is left of a connection that its receiver keeps open',
  onLinux,
  async (t) => {
    if (!requireProgram(t, 'openssl', 'openssl')) return
    const tls = selfSigned(t, HOST)
    const { port, isGone } = await startKeeping(t, (socket) => socket.write(OK), tls)
    assert.deepEqual(await createRequest({ ca: tls.cert }).send(`https://${HOST}:${port}/`), { status: 200 })
    await isGone()
  },
)

test('a receiver that closes its side after its response sees no reset', async (t) => {
  const ends: unknown[] = []
  const server = createHttpServer((request, response) => void response.end(String(request.headers.connection)))
  server.on('connection', (socket: Socket) => {
    socket.on('error', (error) => ends.push(error)).on('close', (isFailed) => ends.push(isFailed))
  })
  const port = await listen(t, server)
  const { send } = createRequest()
  assert.deepEqual(await send(`http://ip-127-0-0-1.example:${port}/`), { status: 200 })
  assert.deepEqual(await send(`http://ip-127-0-0-1.example:${port}/`, { method: 'HEAD', body: '' }), { status: 200 })
  server.close()
  await once(server, 'close')
  assert.deepEqual(ends, [false, false])
})

test('the kernel keeps 64 KiB at most of what a receiver has sent and nobody has read', async (t) => {
  if (!canBound) return t.skip('this Node cannot bound it')
  if (!requireProgram(t, 'ss', 'iproute2')) return
  const { port } = await startKeeping(t, () => {})
  const end = new AbortController()
  const sent = createRequest().send(`http://${HOST}:${port}/`, { signal: end.signal })
  const ended = assert.rejects(sent)
  await poll(() => receiveBuffers(`dport = :${port}`).includes(65_536))
  end.abort()
  await ended
})

/** Requests that are held open, of the receivers of one network and of others. */
async function holdOpen(t: TestContext, { isOneOwner = false }: { isOneOwner?: boolean } = {}) {
  let [arrived, wanted] = [0, 0]
  let onAll = () => {}
  const server = createServer((socket) => {
    undoLater(t, () => void socket.destroy())
    socket.on('error', () => {}).once('data', () => ++arrived === wanted && onAll())
  })
  const port = await listenTcp(t, server)
  const { memory, send } = createRequest()
  const close = new AbortController()
  undoLater(t, () => close.abort())
  const ended: [address: string, error: unknown][] = []
  const all = new Promise<void>((resolve) => (onAll = resolve))
  function open(address: string, network?: string): void {
    wanted++
    send(`http://ip-${address.replaceAll('.', '-')}.example:${port}/`, { network, signal: close.signal }).catch(
      (error: unknown) => ended.push([address, error]),
    )
  }
  for (let at = 1; at <= 12; at++)
    open(isOneOwner ? `127.1.${at}.1` : `127.1.1.${at}`, isOneOwner ? 'stranger' : `owner ${at}`)
  for (let at = 1; at <= 3; at++) open(`127.2.${at}.1`, `honest ${at}`)
  await all
  return { memory, send, port, ended }
}

for (const isOneOwner of [false, true]) {
  const whose = isOneOwner ? 'to receivers of many networks for one owner' : 'to receivers of one network'
  test(`while memory for connections is short, requests ${whose} end before those of others, and count as not sent`, async (t) => {
    const { memory, send, port, ended } = await holdOpen(t, { isOneOwner })
    const { share } = memory
    assert.deepEqual([share.kinds, share.from], [['sockets'], 0.4])
    for (let look = 0; look < 20; look++) share.tighten()
    await new Promise(setImmediate)
    await new Promise(setImmediate)
    assert.equal(ended.length, 7, 'eight are left')
    assert.ok(ended.every(([address, error]) => address.startsWith('127.1.') && error instanceof NotNow))
    const another = send(`http://ip-127-1-1-99.example:${port}/`, { network: 'stranger' })
    await assert.rejects(another, NotNow, 'and none begins')
    for (let look = 0; look < 20; look++) share.relax()
    await assert.rejects(send(`http://ip-127-3-3-3.example:1/`), /refused/)
  })
}
