import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fc } from './support/fast-check.ts'
import { connectRaw } from './support/raw.ts'
import { seedOf } from './support/random.ts'
import { bodyOf, fileEndings, kindsWithFile } from './support/kinds.ts'
import { create, startServer, type Created } from './support/server.ts'

/** `npm run test:faults` sends more. */
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 2000)
const AT_ONCE = 20
/** How long to wait for a response: requests whose body is incomplete get none. */
const QUIET_MS = 100

/** Sends a request on a connection of its own, and reads the response. */
async function askOnce(url: string): Promise<void> {
  const [response] = (await once(get(url, { agent: false }), 'response')) as [IncomingMessage]
  await once(response.resume(), 'end')
}

const methods = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('GET', 'GET', 'GET', 'POST', 'POST', 'PUT', 'HEAD', 'DELETE') },
  { weight: 1, arbitrary: fc.constantFrom(...'PATCH OPTIONS TRACE QUERY PROPFIND CONNECT FOO get'.split(' ')) },
)
const paths =
  '/ /api/links /api/bulk /api/qr /api/domains /api/domains/x.example.com /api/manage /api/manage/x/stats /m/x /report /healthz /readyz /metrics /api/openapi.json /api/problems /api/reports /.well-known/security.txt /internal/tls-ask /assets/quirl.svg /x.vcf /x+ /x.Q /x/qr.png /%2e%2e /%00 /%ff /constructor /__proto__ /api/__proto__ //x /.'.split(
    ' ',
  )
const headerNames =
  'Connection Accept Accept-Encoding Authorization If-Match If-None-Match Idempotency-Key X-Forwarded-For X-Forwarded-Proto Sec-Purpose User-Agent Referer Range Upgrade Content-Encoding DNT Origin'.split(
    ' ',
  )
const framing = 'Host Content-Length Transfer-Encoding Expect'.split(' ')
const headerValues =
  'quirl.example|localhost|127.0.0.1:3000|[::1]|0|5|-1|1e3|99999999999999999999|chunked|gzip, chunked|100-continue|close|keep-alive|upgrade|h2c|text/html|text/csv|application/json|application/json; charset=x|multipart/form-data; boundary=b|multipart/form-data|application/x-www-form-urlencoded|Bearer x|*|"1"|W/"1", *|0123456789abcdef|::ffff:1.2.3.4|1.2.3.4, x|prefetch|bytes=0-1|\u00ff'.split(
    '|',
  )
const bodies = [
  '{"target":"https://example.com/"}',
  '{"kind":"page","headline":"x","links":[{"label":"a","url":"https://example.com"}]}',
  '[{"target":"https://example.com/"},5,null]',
  '{"csv":"target\\nhttps://example.com/"}',
  '{"data":"x","design":{"shape":"dots","logo":{"image":"data:image/svg+xml;base64,PHN2Zy8+"}}}',
  '{"domain":"qr.example.com"}',
  'target=https%3A%2F%2Fexample.com&utm_source=%zz&=&&a',
  'action=delete&sure=yes',
  '--b\r\nContent-Disposition: form-data; name="logo"; filename="x"\r\n\r\nx\r\n--b--\r\n',
  '5\r\nhello\r\n0\r\n\r\n',
  '',
]

/** Any byte; those with a meaning in HTTP more often. */
const byte = fc.oneof(
  fc.constantFrom(...'\r\n\t\0 :;,"%&=/\\{}[]?#.0aA'.split('')),
  fc.nat(255).map((code) => String.fromCharCode(code)),
)
const text = (size: number) => fc.string({ unit: byte, maxLength: size })
const oneOf = (values: string[]) => fc.constantFrom(...values)

/** Almost valid requests of existing paths. */
function requests(own: string[]): fc.Arbitrary<string> {
  const known = fc.constantFrom(...paths, ...own)
  const odd = fc.array(fc.oneof(known, text(20)), { maxLength: 4 }).map((parts) => `/${parts.join('/')}`)
  const path = fc.oneof({ weight: 8, arbitrary: known }, { weight: 1, arbitrary: odd })
  const query = fc.array(
    fc.tuple(oneOf('days tz size format data fg ecl margin qr atomic dry_run kind'.split(' ')), text(12)),
    {
      maxLength: 4,
    },
  )
  const target = fc.tuple(path, query).map(([at, pairs]) => {
    const search = pairs.map(([key, value]) => `${key}=${escape(value)}`).join('&')
    return search === '' ? at : `${at}?${search}`
  })
  const value = fc.oneof({ weight: 30, arbitrary: oneOf(headerValues) }, { weight: 1, arbitrary: text(30) })
  const name = fc.oneof({ weight: 30, arbitrary: oneOf(headerNames) }, { weight: 1, arbitrary: oneOf(framing) })
  return fc
    .record({
      method: methods,
      target: fc.oneof({ weight: 19, arbitrary: target }, { weight: 1, arbitrary: text(40) }),
      version: fc.oneof({ weight: 9, arbitrary: fc.constant('1.1') }, { weight: 1, arbitrary: oneOf(['1.0', '2.0']) }),
      type: fc.option(oneOf(types), { freq: 9 }),
      headers: fc.array(fc.tuple(name, value), { maxLength: 4 }),
      body: fc.oneof({ weight: 4, arbitrary: oneOf(bodies) }, { weight: 1, arbitrary: text(200) }),
      hasLength: fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
    })
    .map(({ method, target: to, version, type, headers, body, hasLength }) => {
      const all = [['Host', 'quirl.example'], ...headers]
      if (type !== null) all.push(['Content-Type', type])
      if (hasLength) all.push(['Content-Length', String(body.length)])
      const lines = all.map(([header, content]) => `${header}: ${content}\r\n`)
      return `${method} ${to} HTTP/${version}\r\n${lines.join('')}\r\n${body}`
    })
}

const types =
  'application/json|application/json|application/x-www-form-urlencoded|multipart/form-data; boundary=b|text/csv|text/plain'.split(
    '|',
  )

/** Damages a text: removes, doubles or replaces parts. */
function damaged(whole: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const damage = fc.record({ at: fc.nat(), length: fc.nat({ max: 40 }), put: text(10), twice: fc.boolean() })
  return fc.tuple(whole, fc.array(damage, { maxLength: 3 })).map(([before, damages]) =>
    damages.reduce((now, { at, length, put, twice }) => {
      const start = at % (now.length + 1)
      const part = now.slice(start, start + length)
      return now.slice(0, start) + (twice ? part + part : put) + now.slice(start + length)
    }, before),
  )
}

test(`${REQUESTS} damaged requests cause no internal error and no log line`, async (t) => {
  const server = await startServer(t)
  const link = await create(server, { target: 'https://example.com/' })
  const withFiles = await Promise.all(kindsWithFile.map((kind) => create(server, bodyOf(kind))))
  const [contact] = withFiles as [Created]
  const port = Number(new URL(server.url).port)
  const own = [
    ...['', '+', '.Q', '/qr.png', '/qr.svg', '/qr.pdf', '/print.pdf'].map((end) => `/${link.code}${end}`),
    ...withFiles.flatMap(({ code }) => ['', ...fileEndings].map((end) => `/${code}${end}`)),
    ...['', '/stats', '/scans.csv'].map((end) => `/api/manage/${contact.token}${end}`),
    `/m/${contact.token}`,
  ]
  const statuses = new Map<number, number>()

  async function send(bytes: string): Promise<void> {
    const { socket, received, closed } = connectRaw({ after: () => {} }, port)
    const quiet = async () => {
      for (let before = -1; before < received().length;) {
        before = received().length
        await sleep(QUIET_MS)
        // However slow the machine is, the service has read the bytes when it answers a later connection, and another one after it.
        for (let later = 0; later < 2; later++) await askOnce(`${server.url}/healthz`)
      }
    }
    socket.write(Buffer.from(bytes, 'latin1'))
    socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    // A client that resets its connection at any time must not end the service.
    if (bytes.length % 4 === 0) setTimeout(() => socket.resetAndDestroy(), bytes.length % 5)
    await Promise.race([closed, quiet()])
    socket.destroy()
    for (const [, code] of received().matchAll(/^HTTP\/1\.1 (\d{3}) /gm)) {
      const status = Number(code)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      assert.ok(status < 500 || status === 501 || status === 503, `${status} for ${JSON.stringify(bytes)}`)
    }
    const errors = server.logged.filter(({ level }) => Number(level) >= 50)
    assert.deepEqual(errors, [], `logged for ${JSON.stringify(bytes)}`)
  }

  const seed = seedOf(t)
  const whole = requests(own)
  const inputs = fc.oneof(
    { weight: 10, arbitrary: whole },
    { weight: 10, arbitrary: damaged(whole) },
    { weight: 1, arbitrary: text(300) },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(inputs, { minLength: AT_ONCE, maxLength: AT_ONCE }), async (batch) => {
      await Promise.all(batch.map(send))
    }),
    { numRuns: REQUESTS / AT_ONCE, seed, endOnFailure: true },
  )
  const healthy = await fetch(`${server.url}/healthz`)
  assert.equal(healthy.status, 200)
  t.diagnostic(`answers by status: ${JSON.stringify(Object.fromEntries([...statuses].sort(([a], [b]) => a - b)))}`)
  assert.ok((statuses.get(200) ?? 0) > REQUESTS / 50, 'hardly a request got through')
})
