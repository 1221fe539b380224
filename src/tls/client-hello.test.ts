import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { test } from 'node:test'
import { connect, type ConnectionOptions } from 'node:tls'
import { fc } from '../../test/support/fast-check.ts'
import { undoLater, type Ending } from '../../test/support/cleanup.ts'
import { requireProgram } from '../../test/support/programs.ts'
import { createHelloReader } from './client-hello.ts'

/** What a client sends first to a server that stays silent. */
async function firstBytes(t: Ending, speak: (port: number) => void): Promise<Buffer> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  undoLater(t, () => void server.close())
  speak((server.address() as AddressInfo).port)
  const [socket] = await once(server, 'connection')
  const [bytes] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  return bytes
}

const helloOf = (t: Ending, options: ConnectionOptions) =>
  firstBytes(t, (port) => {
    connect({ host: '127.0.0.1', port, ...options }).on('error', () => {})
  })

const readClientHello = (bytes: Buffer) => createHelloReader()(bytes)
const read = (bytes: Buffer) => {
  const start = readClientHello(bytes)
  if (start.type !== 'hello') assert.fail(start.type)
  return start.hello
}

test("the server name and the protocols are read from Node's hello, in each version of TLS", async (t) => {
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    const bytes = await helloOf(t, {
      servername: 'QR.Example.com',
      ALPNProtocols: ['h2', 'http/1.1'],
      minVersion: version,
      maxVersion: version,
    })
    assert.deepEqual(read(bytes), { serverName: 'qr.example.com', protocols: ['h2', 'http/1.1'] })
  }
  assert.deepEqual(read(await helloOf(t, {})), { serverName: undefined, protocols: [] })
})

test("OpenSSL's hello is read", async (t) => {
  if (!requireProgram(t, 'openssl', 'openssl')) return
  const bytes = await firstBytes(t, (port) => {
    const args = ['s_client', '-connect', `127.0.0.1:${port}`, '-servername', 'qr.example.com', '-alpn', 'acme-tls/1']
    const child = spawn('openssl', args, { stdio: 'ignore' })
    undoLater(t, () => void child.kill('SIGKILL'))
  })
  assert.deepEqual(read(bytes), { serverName: 'qr.example.com', protocols: ['acme-tls/1'] })
})

test('a hello that is truncated anywhere is incomplete, and one in many records is complete', async (t) => {
  const bytes = await helloOf(t, { servername: 'qr.example.com' })
  for (let at = 0; at < bytes.length; at++)
    assert.equal(readClientHello(bytes.subarray(0, at)).type, 'incomplete', String(at))
  const message = bytes.subarray(5)
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 5 }), (lengths) => {
      const records: Buffer[] = []
      let at = 0
      for (const length of [...lengths, message.length]) {
        const part = message.subarray(at, at + length)
        if (part.length === 0) break
        at += length
        records.push(Buffer.from([0x16, 3, 1, part.length >> 8, part.length & 0xff]), part)
      }
      assert.equal(read(Buffer.concat(records)).serverName, 'qr.example.com')
    }),
  )
})

test('a hello is read the same in whatever chunks it comes', async (t) => {
  const bytes = await helloOf(t, { servername: 'qr.example.com', ALPNProtocols: ['h2'] })
  const read = createHelloReader()
  const results = Array.from(bytes, (byte) => read(Buffer.from([byte])))
  assert.deepEqual(results.at(-1), { type: 'hello', hello: { serverName: 'qr.example.com', protocols: ['h2'] } })
  assert.ok(results.slice(0, -1).every(({ type }) => type === 'incomplete'))
})

test('a hello in more records than clients make is invalid, before it is complete', () => {
  const record = (byte: number) => [0x16, 3, 1, 0, 1, byte]
  const start = [1, 0, 4, 0].flatMap(record)
  const fitting = Buffer.from([...start, ...Array.from({ length: 28 }, () => record(0)).flat()])
  assert.equal(readClientHello(fitting).type, 'incomplete')
  assert.equal(readClientHello(Buffer.concat([fitting, Buffer.from(record(0))])).type, 'invalid')
})

test('bytes after the hello are ignored', async (t) => {
  const bytes = await helloOf(t, { servername: 'qr.example.com' })
  assert.equal(read(Buffer.concat([bytes, Buffer.from('anything')])).serverName, 'qr.example.com')
})

test('any input is parsed without an exception, and a corrupted hello never has an invalid host name', async (t) => {
  const bytes = await helloOf(t, { servername: 'qr.example.com', ALPNProtocols: ['h2'] })
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (random) => void readClientHello(Buffer.from(random))))
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.nat(255), (at, value) => {
      const spoiled = Buffer.from(bytes)
      spoiled[at] = value
      const start = readClientHello(spoiled)
      if (start.type === 'hello' && start.hello.serverName !== undefined) {
        assert.match(start.hello.serverName, /^[a-z0-9.-]{1,253}$/)
      }
    }),
    { numRuns: 2000 },
  )
})

test('bytes that are not TLS, and an endless hello, are invalid', () => {
  const invalid = [
    Buffer.from('GET / HTTP/1.1\r\n'),
    Buffer.from([0x80, 0x2e, 0x01]),
    Buffer.from('1603010000', 'hex'),
    Buffer.from('16030100040200ffff', 'hex'),
    Buffer.from('1603010004010fffff', 'hex'),
    Buffer.from('16020100040100ffff', 'hex'),
  ]
  for (const bytes of invalid) assert.equal(readClientHello(bytes).type, 'invalid', bytes.toString('hex'))
  const name = Buffer.from('a b')
  const extension = Buffer.concat([Buffer.from([0, 0, 0, 8, 0, 6, 0, 0, 3]), name])
  const body = Buffer.concat([Buffer.alloc(34), Buffer.from([0, 0, 0, 0, 0, extension.length]), extension])
  const hello = Buffer.concat([Buffer.from([0x16, 3, 1, 0, body.length + 4, 1, 0, 0, body.length]), body])
  assert.equal(readClientHello(hello).type, 'invalid', 'an invalid name')
})
