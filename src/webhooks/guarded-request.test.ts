import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { undoLater } from '../../test/support/cleanup.ts'
import { startDns, type Zone } from '../../test/support/dns.ts'
import { listen } from '../../test/support/http-server.ts'
import { PATIENCE_MS } from '../../test/support/poll.ts'
import { requireProgram } from '../../test/support/programs.ts'
import { startReceiver } from '../../test/support/receiver.ts'
import { selfSigned } from '../../test/support/self-signed.ts'
import { createRunQueries } from '../domains/dns-query.ts'
import { createOutgoingMemory } from './outgoing-memory.ts'
import { createReceivers } from './receivers.ts'
import { createGuardedRequest, type GuardedOptions, type GuardedRequestDeps } from './guarded-request.ts'

const options = (more: Partial<GuardedOptions> = {}): GuardedOptions => ({
  method: 'POST',
  body: '{}',
  signal: new AbortController().signal,
  ...more,
})

/** Requests by the names of a DNS server of the test's own. */
async function setUp(t: TestContext, zones: Record<string, Zone>, deps: Partial<GuardedRequestDeps> = {}) {
  const dns = await startDns(t, zones)
  const query = createRunQueries([dns.address])
  const addressesOf = (host: string) =>
    query(async (queries) => (await queries.addressesOf(host)).map(({ address }) => address))
  return {
    dns,
    request: createGuardedRequest({
      addressesOf,
      receivers: createReceivers(Date.now),
      memory: createOutgoingMemory(),
      timeoutMs: PATIENCE_MS,
      ...deps,
    }),
  }
}

const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'

const allowLoopback = { isAllowed: (address: string) => address.startsWith('127.') }

test('no request goes to an address that is not public, by whatever name or notation', async (t) => {
  const { received, port } = await startReceiver(t)
  const special: Record<string, Zone> = {
    'loopback.example': { a: ['127.0.0.1'] },
    'any.example': { a: ['0.0.0.0'] },
    'private.example': { a: ['10.0.0.1', '172.16.0.1', '192.168.0.1', '100.64.0.1'] },
    'metadata.example': { a: ['169.254.169.254', '168.63.129.16'] },
    'loopback6.example': { aaaa: ['::1', '::'] },
    'local6.example': { aaaa: ['fe80::1', 'fc00::1', 'ff02::1'] },
    'mapped.example': { aaaa: ['::ffff:7f00:1', '64:ff9b::7f00:1', '2002:7f00:1::1'] },
    'alias.example': { cname: 'loopback.example' },
  }
  const { request } = await setUp(t, special)
  const literals = ['127.0.0.1', '0.0.0.0', '2130706433', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', '[64:ff9b::7f00:1]']
  for (const host of [...Object.keys(special), ...literals, '169.254.169.254']) {
    await assert.rejects(request(`http://${host}:${port}/`, options()), /its host has no public address/, host)
  }
  assert.equal(received.length, 0)
})

test('of a mixed name, only the public addresses are tried', async (t) => {
  const { received, port } = await startReceiver(t)
  const tried: string[] = []
  const isAllowed = (address: string) => {
    tried.push(address)
    return address === '127.0.0.1'
  }
  const { request } = await setUp(
    t,
    { 'mixed.example': { a: ['127.0.0.2', '127.0.0.1'], aaaa: ['::1'] } },
    { isAllowed },
  )
  assert.deepEqual(await request(`http://mixed.example:${port}/`, options()), { status: 204 })
  assert.deepEqual(tried.sort(), ['127.0.0.1', '127.0.0.2', '::1'])
  assert.deepEqual(
    received.map(({ headers }) => headers.host),
    [`mixed.example:${port}`],
  )
})

async function listenTcp(t: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  undoLater(t, () => void server.close())
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

test('a name is resolved once for a request, so that a second answer cannot lead elsewhere', async (t) => {
  const { received, port } = await startReceiver(t)
  const { dns, request } = await setUp(
    t,
    { 'rebind.example': { a: ['127.0.0.1'] } },
    {
      // The first answer is allowed; from then on the name has another address.
      isAllowed(address) {
        dns.zones['rebind.example'] = { a: ['127.0.0.9'] }
        return address === '127.0.0.1'
      },
    },
  )
  assert.deepEqual(await request(`http://rebind.example:${port}/`, options()), { status: 204 })
  assert.equal(received.length, 1)
  assert.equal(dns.queries.length, 2, 'one query for each kind of address')
  await assert.rejects(request(`http://rebind.example:${port}/`, options()), /no public address/)
  assert.equal(received.length, 1)
})

test('a name that does not exist, or whose servers fail, is an error for the owner', async (t) => {
  const { request } = await setUp(t, { 'fails.example': { fails: 'SERVFAIL' } })
  await assert.rejects(request('http://missing.example/', options()), /its host/)
  await assert.rejects(request('http://fails.example/', options()), /its host/)
})

test('a redirect is a response like others, and is not followed', async (t) => {
  const receiver = await startReceiver(t)
  receiver.respond = (response) => void response.writeHead(302, { location: '/elsewhere' }).end()
  const { request } = await setUp(t, {}, allowLoopback)
  assert.deepEqual(await request(`http://127.0.0.1:${receiver.port}/first`, options()), { status: 302 })
  assert.deepEqual(
    receiver.received.map(({ path }) => path),
    ['/first'],
  )
})

test('a body without end is not read beyond its bound, and the status counts', async (t) => {
  const receiver = await startReceiver(t)
  let written = 0
  receiver.respond = (response) => {
    const write = () => {
      while (!response.destroyed && response.write(Buffer.alloc(16_384))) written += 16_384
    }
    response.on('drain', write).writeHead(200)
    write()
  }
  const { request } = await setUp(t, {}, allowLoopback)
  assert.deepEqual(await request(`http://127.0.0.1:${receiver.port}/`, options()), { status: 200 })
  assert.ok(written < 16 << 20, `${written} bytes`)
})

/** What a receiver may send for as long as it likes, although no more than its body was counted. */
const floods: [name: string, start: string, part: string, isAnswered: boolean][] = [
  ['interim responses', '', 'HTTP/1.1 103 \r\n\r\n', false],
  ['chunks with extensions', CHUNKED, `1;${'x'.repeat(8_000)}\r\na\r\n`, true],
]
for (const [name, start, part, isAnswered] of floods) {
  test(`a response of ${name} without end is not read beyond its bound`, async (t) => {
    const { promise: closed, resolve: onClosed } = Promise.withResolvers<void>()
    let written = 0
    const server = createTcpServer((socket) => {
      const many = Buffer.from(part.repeat(Math.ceil(16_384 / part.length)))
      const write = () => {
        while (!socket.destroyed && socket.write(many)) written += many.length
      }
      socket.on('error', () => {}).on('close', onClosed)
      socket.on('drain', write).once('data', () => {
        socket.write(start)
        write()
      })
    })
    const port = await listenTcp(t, server)
    const { request } = await setUp(t, {}, allowLoopback)
    const sent = request(`http://127.0.0.1:${port}/`, options())
    if (isAnswered) assert.deepEqual(await sent, { status: 200 })
    else await assert.rejects(sent, /its response is too large/)
    await closed
    assert.ok(written < 16 << 20, `${written} bytes`)
  })
}

test('of a body in many small chunks, no more is read', { timeout: PATIENCE_MS / 2 }, async (t) => {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {}).once('data', () => socket.write(CHUNKED + '1\r\na\r\n'.repeat(1_000)))
  })
  const port = await listenTcp(t, server)
  const { request } = await setUp(t, {}, allowLoopback)
  assert.deepEqual(await request(`http://127.0.0.1:${port}/`, options()), { status: 200 })
})

test('headers beyond their bound, and what is not HTTP, are errors', async (t) => {
  const answers = [`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(65_536)}\r\n\r\n`, 'SSH-2.0-OpenSSH_9.9\r\n']
  const server = createTcpServer((socket) => socket.on('error', () => {}).end(answers.shift() ?? ''))
  const port = await listenTcp(t, server)
  const { request } = await setUp(t, {}, allowLoopback)
  await assert.rejects(request(`http://127.0.0.1:${port}/`, options()), /too large headers/)
  await assert.rejects(request(`http://127.0.0.1:${port}/`, options()), /not HTTP/)
})

test('a response that trickles is interrupted in the whole time of a request', async (t) => {
  const sockets: Socket[] = []
  const server = createTcpServer((socket) => {
    sockets.push(socket)
    const timer = setInterval(() => socket.write('H'), 5)
    socket.on('error', () => {}).on('close', () => clearInterval(timer))
    socket.write('HTTP/1.1 200 OK\r\nx: ')
  })
  server.listen(0, '127.0.0.1')
  undoLater(t, () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const { request } = await setUp(t, {}, { ...allowLoopback, timeoutMs: 100 })
  await assert.rejects(request(`http://127.0.0.1:${port}/`, options()), /did not respond in 0.1 seconds/)
  const { request: byName } = await setUp(t, { 'silent.example': { fails: 'silence' } }, { timeoutMs: 100 })
  await assert.rejects(byName('http://silent.example/', options()), /did not respond/)
})

test('a certificate must be valid for the name', async (t) => {
  if (!requireProgram(t, 'openssl', 'openssl')) return
  const { key, cert } = selfSigned(t, 'hook.example')
  const server = createTlsServer({ key, cert }, (_request, response) => void response.writeHead(204).end())
  const port = await listen(t, server)
  const zones = { 'hook.example': { a: ['127.0.0.1'] }, 'other.example': { a: ['127.0.0.1'] } }
  const { request } = await setUp(t, zones, allowLoopback)
  await assert.rejects(request(`https://hook.example:${port}/`, options()), /certificate or TLS is not valid/)
  const trusting = (await setUp(t, zones, { ...allowLoopback, ca: cert })).request
  assert.deepEqual(await trusting(`https://hook.example:${port}/`, options()), { status: 204 })
  await assert.rejects(trusting(`https://other.example:${port}/`, options()), /certificate or TLS is not valid/)
})

test('a closed port, and an interruption, are errors', async (t) => {
  const server = createServer()
  const port = await listen(t, server)
  server.close()
  const { request } = await setUp(t, {}, allowLoopback)
  await assert.rejects(request(`http://127.0.0.1:${port}/`, options()), /refused the connection/)
  const interrupted = options({ signal: AbortSignal.abort() })
  await assert.rejects(request(`http://127.0.0.1:${port}/`, interrupted))
})
