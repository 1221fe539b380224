import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:https'
import { createServer as createTcpServer, type AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { TLSSocket, TlsOptions } from 'node:tls'
import { undoLater } from '../../test/support/cleanup.ts'
import { listen } from '../../test/support/http-server.ts'
import { PATIENCE_MS } from '../../test/support/poll.ts'
import { requireProgram } from '../../test/support/programs.ts'
import { selfSigned } from '../../test/support/self-signed.ts'
import { createGuardedRequest } from './guarded-request.ts'
import { createOutgoingMemory } from './outgoing-memory.ts'
import { createReceivers } from './receivers.ts'

const HOST = 'hook.example'

/** Sends a request to a port of this machine, by a name whose certificate is trusted. */
function sendTo(port: number, ca: string) {
  const request = createGuardedRequest({
    addressesOf: async () => ['127.0.0.1'],
    isAllowed: () => true,
    receivers: createReceivers(Date.now),
    memory: createOutgoingMemory(),
    timeoutMs: PATIENCE_MS,
    ca,
  })
  const { signal } = new AbortController()
  return request(`https://${HOST}:${port}/`, { method: 'POST', body: '{}', signal })
}

test('a response of its whole size arrives, with the certificates that servers usually have', async (t) => {
  if (!requireProgram(t, 'openssl', 'openssl')) return
  const { key, cert } = selfSigned(t, HOST, 'rsa')
  const server = createServer({ key, cert: cert.repeat(5) }, (_request, response) => {
    response.writeHead(200, { 'x-long': 'x'.repeat(8_000) }).end(Buffer.alloc(60_000))
  })
  assert.deepEqual(await sendTo(await listen(t, server), cert), { status: 200 })
})

test('more certificates than usual servers have are not read', async (t) => {
  if (!requireProgram(t, 'openssl', 'openssl')) return
  const { key, cert } = selfSigned(t, HOST, 'rsa')
  const server = createServer(
    { key, cert: cert.repeat(60) },
    (_request, response) => void response.writeHead(204).end(),
  )
  await assert.rejects(sendTo(await listen(t, server), cert), /its TLS messages are too many or too large/)
})

test('a server gets no key exchange for which it chooses the prime, nor a second handshake', async (t) => {
  if (!requireProgram(t, 'openssl', 'openssl')) return
  const { key, cert } = selfSigned(t, HOST, 'rsa')
  const tls12: TlsOptions = { key, cert, maxVersion: 'TLSv1.2' }
  const ownPrime = { ...tls12, dhparam: 'auto', ciphers: 'DHE-RSA-AES128-GCM-SHA256' }
  const answering = createServer(ownPrime, (_request, response) => void response.writeHead(204).end())
  await assert.rejects(sendTo(await listen(t, answering), cert), /certificate or TLS is not valid/)

  let handshakes = 0
  const server = createServer({ ...tls12, requestCert: true, rejectUnauthorized: false }, (request, response) => {
    const socket = request.socket as TLSSocket
    const again = () => {
      if (++handshakes > 20) return void response.writeHead(204).end()
      socket.renegotiate({ requestCert: true, rejectUnauthorized: false }, (error) => error === null && again())
    }
    again()
  })
  await assert.rejects(sendTo(await listen(t, server), cert))
  assert.equal(handshakes, 1)
})

test('key updates without end are not read', { timeout: PATIENCE_MS }, async (t) => {
  if (!requireProgram(t, 'openssl', 'openssl')) return
  const { cert, certFile, keyFile } = selfSigned(t, HOST)
  const free = createTcpServer().listen(0)
  await once(free, 'listening')
  const { port } = free.address() as AddressInfo
  free.close()
  const options = ['-accept', String(port), '-cert', certFile, '-key', keyFile, '-tls1_3']
  const server = spawn('openssl', ['s_server', ...options], { stdio: ['pipe', 'pipe', 'ignore'] })
  undoLater(t, () => void server.kill())
  let output = ''
  const read = (text: string) =>
    new Promise<void>((resolve) => {
      server.stdout.on('data', (chunk: Buffer) => (output += String(chunk)).includes(text) && resolve())
    })
  await read('ACCEPT')
  const sent = sendTo(port, cert)
  await read('POST / HTTP/1.1')
  // The server sends one for each line that it reads at a time.
  const timer = setInterval(() => server.stdin.write('k\n'), 1)
  server.stdin.on('error', () => {})
  undoLater(t, () => clearInterval(timer))
  await assert.rejects(sent, /its TLS messages are too many or too large/)
})
