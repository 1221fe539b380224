import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import Fastify from 'fastify'
import { fc, runs } from '../../test/support/fast-check.ts'
import { MAX_LOGO_URI } from '../qr/design/schema.ts'
import { Problem } from '../http/problem.ts'
import { filledFields, formOf } from './form-body.ts'
import { FORM_LIMIT, readForms } from './read-form.ts'

const URLENCODED = 'application/x-www-form-urlencoded'
const MULTIPART = 'multipart/form-data; boundary=edge'

const app = Fastify()
readForms(app)
app.setErrorHandler((error, _request, reply) =>
  reply.code(error instanceof Problem ? error.status : 500).send({ detail: (error as Error).message }),
)
app.post('/form', { bodyLimit: FORM_LIMIT }, async (request) => [...formOf(request.body)])
app.post('/file', { bodyLimit: FORM_LIMIT, config: { acceptsFile: true } }, async (request) => [
  ...formOf(request.body),
])

async function send(url: string, type: string, payload: string | Buffer) {
  const { statusCode, body } = await app.inject({ method: 'POST', url, headers: { 'content-type': type }, payload })
  return { status: statusCode, body: JSON.parse(body) as [string, string][] & { detail: string } }
}

describe('a urlencoded form', () => {
  test('is parsed as the URL standard defines', async () => {
    const piece = fc.constantFrom('a', '=', '&', '+', '%20', '%ff', '%zz', '?', 'ü', '%C3%BC', ';', '"', ' ')
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 20 }), async (pieces) => {
        // URLSearchParams would drop a "?" at the start, and a form must not.
        const text = `x&${pieces.join('')}`
        assert.deepEqual((await send('/form', URLENCODED, text)).body, [...new URLSearchParams(text)])
      }),
      { numRuns: 500 },
    )
  })

  test('of more than 1,000 fields is refused before it is parsed', async () => {
    for (const text of ['a&'.repeat(520_000), '&'.repeat(1_000), `${'a=b&'.repeat(1_000)}a=b`]) {
      const { status, body } = await send('/form', URLENCODED, text)
      assert.deepEqual([status, body.detail], [400, 'the body must have at most 1000 fields'])
    }
    assert.equal((await send('/form', URLENCODED, `${'a=b&'.repeat(999)}a=b`)).body.length, 1_000)
  })

  test('with 100 of the longest buttons fits, and a form over 1 MiB gets a 413 on every route', async () => {
    const label = encodeURIComponent('😀'.repeat(100))
    const buttons = `&link_label=${label}&link_url=${'%26'.repeat(2_048)}`.repeat(100)
    const texts = `headline=${encodeURIComponent('😀'.repeat(200))}&description=${encodeURIComponent('😀'.repeat(2_000))}`
    assert.equal((await send('/form', URLENCODED, texts + buttons)).body.length, 202)
    for (const url of ['/form', '/file']) {
      assert.equal((await send(url, URLENCODED, `a=${'x'.repeat(FORM_LIMIT)}`)).status, 413)
    }
  })

  test('with an address of a million characters is read in linear time', () => {
    const fields = [{ name: 'target', label: '', input: 'url' as const }]
    const filled = (target: string) => filledFields(new URLSearchParams({ target }), fields)['target']
    const dots = `${'a.'.repeat(500_000)}:`
    assert.equal(filled(dots), dots)
    for (const address of ['example.com', 'example.com/a:b', 'a.b?c', 'a.b.c#d']) {
      assert.equal(filled(address), `https://${address}`)
    }
    for (const address of [
      'example',
      '.com',
      'com.',
      'a.b:80',
      'http://a.b',
      'a b.c',
      'a.b c',
      '/a.b',
      'mailto:a@b.c',
    ]) {
      assert.equal(filled(address), address)
    }
  })
})

describe('a multipart form', () => {
  const part = (name: string, text: string, more = '') =>
    `--edge\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${text}\r\n`

  test('keeps empty fields, reads a file as its data URI, and leaves out a file that was not chosen', async () => {
    const file = part('logo', '<svg/>', '; filename="a.svg"')
    const none = part('other', '', '; filename=""')
    const { body } = await send('/file', MULTIPART, `${part('a', 'ü=&')}${part('b', '')}${file}--edge--\r\n`)
    assert.deepEqual(new Set(body.map(String)), new Set(['a,ü=&', 'b,', 'logo,data:image/svg+xml;base64,PHN2Zy8+']))
    assert.deepEqual((await send('/file', MULTIPART, `${part('a', '1')}${none}--edge--`)).body, [['a', '1']])
  })

  test('with more than 1,000 fields, two files or endless headers is refused', async () => {
    const files = part('logo', 'x', '; filename="a"').repeat(2)
    const heads = `--edge\r\n${'a: b\r\n'.repeat(1_000)}\r\nx\r\n`
    assert.equal((await send('/file', MULTIPART, `${part('a', 'b').repeat(1_000)}--edge--\r\n`)).body.length, 1_000)
    for (const body of [part('a', 'b').repeat(1_001), files, heads]) {
      assert.equal((await send('/file', MULTIPART, `${body}--edge--\r\n`)).status, 400)
    }
    const long = `multipart/form-data; boundary=${'e'.repeat(71)}`
    assert.equal((await send('/file', long, `--${'e'.repeat(71)}--`)).status, 400)
  })

  test('may be 2 MiB on a route that accepts files; a file that is too large is cut but still too large', async () => {
    const body = `${part('logo', 'x'.repeat(1_500_000), '; filename="a"')}--edge--\r\n`
    assert.equal((await send('/form', MULTIPART, body)).status, 413)
    const [logo] = (await send('/file', MULTIPART, body)).body
    assert.ok(logo !== undefined && logo[1].length > MAX_LOGO_URI && logo[1].length < MAX_LOGO_URI + 100)
    assert.equal((await send('/file', MULTIPART, Buffer.alloc(3_000_000))).status, 413)
  })

  test('gets a 200 or a 400, whatever it holds', async () => {
    const pieces = fc.constantFrom(
      '--edge',
      '--edge--',
      '\r\n',
      '\r\n\r\n',
      '\n',
      '-',
      'x',
      'Content-Disposition: form-data; name="a"',
      'Content-Disposition: form-data; name="a"; filename="b"',
      'Content-Disposition: form-data; name="a"; filename=""',
      'Content-Type: text/plain; charset=utf-16',
      'Content-Type: application/octet-stream',
      part('a', ''),
      part('a', 'b'),
      part('a', 'b', '; filename="c"'),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(pieces, { maxLength: 12 }), async (parts) => {
        const { status } = await send('/file', MULTIPART, parts.join(''))
        assert.ok(status === 200 || status === 400, String(status))
      }),
      { numRuns: runs(300) },
    )
  })
})
