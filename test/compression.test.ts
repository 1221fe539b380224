import assert from 'node:assert/strict'
import { request, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { before, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { stylesheets } from '../src/styles/stylesheets.ts'
import { endOfFile } from './support/cleanup.ts'
import { create, startServer, type TestServer } from './support/server.ts'

const end = endOfFile()
let server: TestServer
before(async () => {
  server = await startServer(end)
})

interface Received {
  encoding: string | undefined
  vary: string | undefined
  body: Buffer
  length: string | undefined
}

/** Sends a request as it is: `fetch` would decompress the response. */
async function receive(path: string, accepted?: string, method = 'GET'): Promise<Received> {
  const headers = accepted === undefined ? {} : { 'accept-encoding': accepted }
  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    request(server.url + path, { method, headers }, resolve)
      .on('error', reject)
      .end(),
  )
  const { vary, 'content-encoding': encoding, 'content-length': length } = response.headers
  return { encoding, vary, length, body: await buffer(response) }
}

const BROWSER = 'gzip, deflate, br, zstd'

test('HTML, CSS, JSON and SVG are compressed for who accepts it, and are the same otherwise', async () => {
  const image = `/api/qr?format=svg&data=${'x'.repeat(300)}`
  for (const path of ['/report', stylesheets.site.path, '/api/openapi.json', '/api/problems', image]) {
    const plain = await receive(path)
    assert.equal(plain.encoding, undefined, path)
    assert.match(plain.vary ?? '', /accept-encoding/, path)
    const brotli = await receive(path, BROWSER)
    assert.deepEqual([brotli.encoding, brotliDecompressSync(brotli.body)], ['br', plain.body], path)
    const zipped = await receive(path, 'gzip')
    assert.deepEqual([zipped.encoding, gunzipSync(zipped.body)], ['gzip', plain.body], path)
    assert.ok(brotli.body.length < plain.body.length / 2, `${path}: ${brotli.body.length} of ${plain.body.length}`)
    assert.equal(brotli.length, String(brotli.body.length), path)
    assert.deepEqual((await receive(path, BROWSER)).body, brotli.body, path)
  }
})

test('a client that refuses an encoding, or names none of ours, gets another or none', async () => {
  const encodings: [string, string | undefined][] = [
    ['br;q=0, gzip', 'gzip'],
    ['gzip;q=1, br;q=0.5', 'gzip'],
    ['*', 'br'],
    ['*;q=0, identity', undefined],
    ['identity', undefined],
    ['deflate, zstd', undefined],
    ['', undefined],
    [`gzip, ${'x, '.repeat(1_000)}`, undefined],
  ]
  for (const [accepted, expected] of encodings) {
    assert.equal((await receive('/report', accepted)).encoding, expected, accepted)
  }
})

test('small bodies and PNG images are not compressed', async () => {
  const { code } = await create(server, { target: 'https://example.com/' })
  for (const path of ['/healthz', '/api/links', `/${code}/qr.png?size=2048`]) {
    const { encoding, vary } = await receive(path, BROWSER)
    assert.deepEqual([encoding, vary], [undefined, undefined], path)
  }
})

test('HEAD has the headers of GET and no body', async () => {
  const got = await receive('/report', BROWSER)
  const head = await receive('/report', BROWSER, 'HEAD')
  assert.deepEqual([head.encoding, head.length, head.body.length], ['br', got.length, 0])
})
