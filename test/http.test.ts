import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { suite, test } from 'node:test'
import { endOfFile } from './support/cleanup.ts'
import { ask } from './support/http.ts'
import { poll } from './support/poll.ts'
import { connectRaw, exchange } from './support/raw.ts'
import { create, startServer } from './support/server.ts'

const server = await startServer(endOfFile())
const port = Number(new URL(server.url).port)
const host = 'Host: quirl.example\r\n'

/** The status, the media type and the JSON body of a response. */
function parse(received: string): { status: number; type: string; body: Record<string, unknown> } {
  const [head = '', body = ''] = received.split('\r\n\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1])
  const type = /^content-type: (.*)$/im.exec(head)?.[1] ?? ''
  return { status, type, body: body === '' ? {} : JSON.parse(body) }
}

/** Whether a body is as long as its Content-Length says. */
function isWhole(received: string): boolean {
  const [head = '', body] = received.split('\r\n\r\n')
  return body !== undefined && body.length === Number(/^content-length: (\d+)$/im.exec(head)?.[1])
}

test('the time-outs are 5 seconds for headers, and 10 for a whole request and an idle connection', () => {
  const { headersTimeout, requestTimeout, keepAliveTimeout } = server.app.server
  assert.deepEqual([headersTimeout, requestTimeout, keepAliveTimeout], [5_000, 10_000, 10_000])
})

const refused: [fault: string, request: string, status: number, code: string][] = [
  ['a method that HTTP does not know', `FOO / HTTP/1.1\r\n${host}\r\n`, 501, 'not_implemented'],
  ['CONNECT', `CONNECT a:80 HTTP/1.1\r\n${host}\r\n`, 501, 'not_implemented'],
  ['QUERY of a path that has no QUERY', `QUERY /api/links HTTP/1.1\r\n${host}\r\n`, 405, 'method_not_allowed'],
  ['QUERY of a possible code', `QUERY /x HTTP/1.1\r\n${host}\r\n`, 405, 'method_not_allowed'],
  ['QUERY of an unknown path', `QUERY /x/y/z HTTP/1.1\r\n${host}\r\n`, 404, 'not_found'],
  ['no Host', 'GET /healthz HTTP/1.1\r\n\r\n', 400, 'invalid_request'],
  ['two Hosts', `GET /healthz HTTP/1.1\r\n${host}hOsT: other.example\r\n\r\n`, 400, 'invalid_request'],
  ['an invalid Host', 'GET / HTTP/1.1\r\nHost: a/b@c d\r\n\r\n', 400, 'invalid_request'],
  ['an unknown expectation', `GET / HTTP/1.1\r\n${host}Expect: much\r\n\r\n`, 417, 'expectation_failed'],
  [
    'HTTP/1.0 with Transfer-Encoding',
    `POST /api/links HTTP/1.0\r\n${host}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
    'invalid_request',
  ],
  [
    'a length beside Transfer-Encoding',
    `POST /api/links HTTP/1.1\r\n${host}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
    'invalid_request',
  ],
  ['a target on another host', `GET http://other.example/ HTTP/1.1\r\n${host}\r\n`, 400, 'invalid_request'],
  ['a target with a user', `GET http://a@quirl.example/ HTTP/1.1\r\n${host}\r\n`, 400, 'invalid_request'],
  ['a target of another scheme', `GET ftp://quirl.example/ HTTP/1.1\r\n${host}\r\n`, 400, 'invalid_request'],
  ['too many headers', `GET / HTTP/1.1\r\n${host}${'a: b\r\n'.repeat(4000)}\r\n`, 431, 'headers_too_large'],
  ['a hundred headers and one', `GET / HTTP/1.1\r\n${host}${'a: b\r\n'.repeat(100)}\r\n`, 431, 'headers_too_large'],
  [
    'a hundred headers and many more, before a body that does not come',
    `POST /api/links HTTP/1.1\r\n${host}Content-Length: 10\r\n${'a: b\r\n'.repeat(900)}\r\n`,
    431,
    'headers_too_large',
  ],
  ['the first bytes of TLS', '\x16\x03\x01\x02\x00\x01\x00', 400, 'invalid_request'],
  [
    'chunks with long extensions',
    `POST /api/links HTTP/1.1\r\n${host}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1;${'a'.repeat(20_000)}\r\n`,
    413,
    'body_too_large',
  ],
  [
    'a body in thousands of tiny chunks',
    `POST /api/links HTTP/1.1\r\n${host}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\na\r\n'.repeat(5000)}`,
    413,
    'body_too_large',
  ],
]

suite('a response to an invalid request is a problem, for', () => {
  for (const [fault, request, status, code] of refused) {
    test(fault, async (t) => {
      const { status: received, type, body } = parse(await exchange(t, port, Buffer.from(request, 'latin1'), isWhole))
      assert.equal(received, status)
      assert.match(type, /^application\/problem\+json/)
      assert.deepEqual([body['status'], body['code']], [status, code])
      assert.equal(typeof body['request_id'], 'string')
    })
  }
})

test('a request may have a hundred headers, and one with more ends its connection', async (t) => {
  const fields = (count: number) => `GET /healthz HTTP/1.1\r\n${host}${'a: b\r\n'.repeat(count - 1)}\r\n`
  const statuses = [
    ...(await exchange(t, port, `${fields(100)}${fields(101)}${fields(1)}`)).matchAll(/HTTP\/1\.1 (\d+)/g),
  ]
  assert.deepEqual(
    statuses.map(([, status]) => status),
    ['200', '431'],
  )
})

test('a target in absolute form is served like its path', async (t) => {
  for (const target of ['http://quirl.example/healthz', 'HTTP://QUIRL.example:80/healthz']) {
    const { status, body } = parse(await exchange(t, port, `GET ${target} HTTP/1.1\r\n${host}\r\n`, isWhole))
    assert.deepEqual([status, body], [200, { status: 'ok' }])
  }
  const page = await exchange(t, port, `GET http://quirl.example HTTP/1.1\r\n${host}Connection: close\r\n\r\n`)
  assert.match(page, /^HTTP\/1\.1 200 /)
})

test('invalid bytes behind pipelined requests get their response after those', async (t) => {
  const { code } = await create(server, { target: 'https://example.com/' })
  const visits = `GET /${code} HTTP/1.1\r\n${host}\r\n`.repeat(50)
  const received = await exchange(t, port, `${visits}nonsense\r\n\r\n`)
  const statuses = [...received.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => status)
  assert.deepEqual(statuses, [...Array.from({ length: 50 }, () => '302'), '400'])
})

test('an invalid body gets its response after the requests before it', async (t) => {
  const before = `GET /api/manage/${'a'.repeat(40)} HTTP/1.1\r\n${host}\r\n`
  const type = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n'
  const received = await exchange(t, port, `${before}POST /api/links HTTP/1.1\r\n${host}${type}\r\nZZ\r\n`)
  const statuses = [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status)
  assert.deepEqual(statuses, ['404', '400'])
})

test('an upload that its client aborts logs no error', async (t) => {
  const before = server.logged.length
  for (const [path, type] of [
    ['/api/links', 'application/json'],
    ['/api/bulk', 'text/csv'],
    ['/', 'application/x-www-form-urlencoded'],
    ['/', 'multipart/form-data; boundary=x'],
  ]) {
    const { socket, closed } = connectRaw(t, port)
    const seen = once(server.app.server, 'request') as Promise<[IncomingMessage]>
    socket.write(`POST ${path} HTTP/1.1\r\n${host}Content-Type: ${type}\r\nContent-Length: 1000\r\n\r\n{"target"`)
    const [request] = await seen
    socket.destroy()
    await closed
    await poll(() => request.socket.closed)
  }
  assert.deepEqual(server.logged.slice(before), [])
})

test('the OpenAPI document has an ETag for each origin, and a request with it gets 304', async () => {
  const url = `${server.url}/api/openapi.json`
  const first = await ask(url)
  const tag = first.headers.etag ?? ''
  assert.match(tag, /^"[\w-]{22}"$/)
  const again = await ask(url, { headers: { 'if-none-match': tag } })
  assert.deepEqual([again.status, again.body], [304, ''])
  const elsewhere = await ask(url, { headers: { host: 'localhost:1234', 'if-none-match': tag } })
  assert.equal(elsewhere.status, 200)
  assert.deepEqual(JSON.parse(elsewhere.body).servers, [{ url: 'http://localhost:1234' }])
})

test('a client that resets its connection while CONNECT is answered does not end the service', async (t) => {
  const { socket } = connectRaw(t, port)
  // An error without a listener would be an uncaught exception, which fails this test.
  const ended = new Promise<void>((resolve) => {
    server.app.server.prependOnceListener('connect', (_request, connection) => {
      connection.once('close', () => resolve())
      socket.resetAndDestroy()
    })
  })
  socket.write(`CONNECT a:80 HTTP/1.1\r\n${host}\r\n`)
  await ended
  assert.equal((await fetch(`${server.url}/healthz`)).status, 200)
})
