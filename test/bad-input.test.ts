import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { fc } from './support/fast-check.ts'
import { kinds } from '../src/links/kinds/index.ts'
import { endOfFile } from './support/cleanup.ts'
import { asSegment, readOperations } from './support/contract.ts'
import { fromSchema } from './support/from-schema.ts'
import { bodyOf } from './support/kinds.ts'
import { create, startServer, type Created, type TestServer } from './support/server.ts'

const end = endOfFile()
let server: TestServer
let link: Created
before(async () => {
  server = await startServer(end)
  link = await create(server, { target: 'https://example.com/', alias: 'victim' })
})

/** Everything that is stored, so that a test can assert that nothing was added. */
async function stored(): Promise<string> {
  const { read } = server.services.db
  const tables = ['codes', 'links', 'revisions', 'shares', 'idempotency_keys', 'reports', 'rules', 'audit'] as const
  const rows = await Promise.all(tables.map((table) => read.selectFrom(table).selectAll().execute()))
  // The other columns change when an event is sent.
  const webhooks = await read.selectFrom('webhooks').select(['link_id', 'address', 'events', 'secret']).execute()
  return JSON.stringify([rows, webhooks])
}

async function send(
  method: string,
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  type = 'application/json',
  more = {},
) {
  return fetch(server.url + path, { method, body, headers: { 'content-type': type, ...more } })
}

/** Asserts that the response is a problem of the catalogue, and that the store is unchanged. */
async function refuses(status: number, code: string, request: () => Promise<Response>, input: string): Promise<void> {
  const before = await stored()
  const response = await request()
  const body = (await response.json()) as { code: string }
  assert.deepEqual([response.status, body.code], [status, code], `${input}: ${JSON.stringify(body)}`)
  assert.equal(await stored(), before, input)
}

const long = 'x'.repeat(2001)
const wrongTexts: [name: string, json: string][] = [
  ['a number', '5'],
  ['null', 'null'],
  ['a boolean', 'true'],
  ['an array', '["x"]'],
  ['an object', '{"a":"x"}'],
  ['a huge number', '1e400'],
  ['a control character', '"a\\u0000b"'],
  ['an escape character', '"a\\u001bb"'],
  ['a C1 control character', '"a\\u0085b"'],
  ['a lone surrogate', '"a\\ud800b"'],
  ['too long a text', JSON.stringify(long)],
]

describe('an invalid field gets a 400 that names it, and nothing is written', () => {
  const common = ['target', 'title', 'campaign', 'alias', 'rules']
  for (const kind of kinds) {
    const fields = [...common, ...Object.keys(kind.fields.properties).filter((name) => name !== 'links')]
    test(`in a creation of kind ${kind.name}`, async () => {
      for (const name of fields) {
        for (const [description, json] of wrongTexts) {
          if (name === 'description' && json === JSON.stringify(long)) continue
          const rest = JSON.stringify({ ...bodyOf(kind), [name]: undefined }).slice(0, -1)
          await refuses(
            400,
            'invalid_request',
            () => send('POST', '/api/links', `${rest},"${name}":${json}}`),
            `${name}: ${description}`,
          )
        }
      }
    })
  }

  test('in an update, where only null has another meaning', async () => {
    for (const name of ['target', 'title', 'campaign']) {
      for (const [description, json] of wrongTexts) {
        if (description === 'null') continue
        await refuses(
          400,
          'invalid_request',
          () => send('PUT', `/api/manage/${link.token}`, `{"${name}":${json}}`),
          `${name}: ${description}`,
        )
      }
    }
    for (const json of [
      '""',
      '"1234567"',
      JSON.stringify(long),
      '12345678',
      '["12345678"]',
      '"1234567\\u0000"',
      '"1234567\\n"',
      '"1234567\\ud800"',
    ]) {
      for (const [method, path, rest] of [
        ['PUT', `/api/manage/${link.token}`, '{'],
        ['POST', '/api/links', '{"target":"https://example.com/",'],
      ] as const)
        await refuses(
          400,
          'invalid_request',
          () => send(method, path, `${rest}"password":${json}}`),
          `password: ${json}`,
        )
    }
    for (const json of ['null', '1', '"true"', '[]']) {
      await refuses(
        400,
        'invalid_request',
        () => send('PUT', `/api/manage/${link.token}`, `{"active":${json}}`),
        `active: ${json}`,
      )
    }
  })

  test('in a row of a change of many links, and around its rows', async () => {
    const { token } = link
    const rows = ['target', 'title', 'campaign', 'token', 'if_match', 'design', 'payload'].flatMap((name) =>
      wrongTexts.map(
        ([, json]) => `{${name === 'token' ? '' : `"token":"${token}",`}"active":false,"${name}":${json}}`,
      ),
    )
    const fields = ['target', 'campaign', 'token', 'if_match']
    const bodies = [
      ...['null', '5', '"x"', '{}', 'true', '[]'].map((json) => `{"changes":${json}}`),
      ...['null', '5', '"x"', '[]', '{}', '{"token":null}'].map((json) => `{"changes":[${json}]}`),
      ...fields.map((name) => `{"changes":[{"token":"${token}","title":"x","${name}":{"a":1}}]}`),
      `{"changes":[{"token":"${token}","title":"x"},{"token":"${token}","title":"y"}],"atomic":true}`,
    ]
    assert.ok(rows.length > 70)
    const before = await stored()
    for (const body of bodies) {
      const response = await send('POST', '/api/manage', body)
      assert.equal(response.status, 400, body)
      assert.equal(await stored(), before, body)
    }
    for (const row of rows) {
      // Null clears a title, a campaign, a design or the payload, and unknown fields of the payload are ignored.
      if (/"(?:title|campaign|design|payload)":null|"payload":\{/.test(row)) continue
      const response = await send('POST', '/api/manage', `{"changes":[${row}]}`)
      assert.equal(response.status, 400, row)
      assert.equal(await stored(), before, row)
    }
  })

  test('in a revert', async () => {
    const numbers = ['0', '-1', '1.5', '1e400', '2147483648', '"1"', 'null', 'true', '[1]', '{"a":1}', '"\\ud800"']
    for (const body of [...numbers.map((json) => `{"revision":${json}}`), '{}', '[]', '1', 'null', '{"Revision":1}'])
      await refuses(400, 'invalid_request', () => send('POST', `/api/manage/${link.token}/revert`, body), body)
    const unknown = '{"revision":2147483647}'
    await refuses(404, 'unknown_revision', () => send('POST', `/api/manage/${link.token}/revert`, unknown), unknown)
  })

  test('in a share', async () => {
    const names = wrongTexts.filter(([what]) => what !== 'a boolean').map(([, json]) => `{"name":${json}}`)
    const flags = ['null', '1', '0', '"true"', '[]', '{}', '1e400'].flatMap((json) => [
      `{"csv":${json}}`,
      `{"destination":${json}}`,
    ])
    const long = JSON.stringify('😀'.repeat(101))
    for (const body of [...names, ...flags, `{"name":true}`, `{"name":${long}}`, '[]', '1', 'null', '"x"', '[{}]'])
      await refuses(400, 'invalid_request', () => send('POST', `/api/manage/${link.token}/share`, body), body)
    for (const body of ['{', '{"name":"\\x"}', '{"name":"a","name":"b"}', '{"csv":True}'])
      await refuses(400, 'malformed_json', () => send('POST', `/api/manage/${link.token}/share`, body), body)
  })

  test('in kind, payload, utm and the links of a page', async () => {
    const bodies = [
      '{"kind":"nothing","target":"https://example.com/"}',
      '{"kind":5,"target":"https://example.com/"}',
      '{"kind":null,"target":"https://example.com/"}',
      '{"kind":"toString","target":"https://example.com/"}',
      '{"target":"https://example.com/","payload":null}',
      '{"target":"https://example.com/","payload":[]}',
      '{"target":"https://example.com/","payload":"x"}',
      '{"target":"https://example.com/","utm":null}',
      '{"target":"https://example.com/","utm":[]}',
      '{"target":"https://example.com/","utm":{"utm_source":5}}',
      '{"target":"https://example.com/","utm":{"utm_source":null}}',
      '{"target":"https://example.com/","utm":{"UTM":"x"}}',
      '{"target":"https://example.com/","utm":{"":"x"}}',
      `{"target":"https://example.com/","utm":{"${'a'.repeat(41)}":"x"}}`,
      `{"target":"https://example.com/","utm":{"a":"${'x'.repeat(201)}"}}`,
      `{"target":"https://example.com/","utm":${JSON.stringify(Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`a${at}`, 'x'])))}}`,
      '{"target":"https://example.com/","utm":{"a":"\\ud800"}}',
      '{}',
      '{"kind":"url"}',
      '{"kind":"appstore"}',
      '{"kind":"vcard","email":"a@example.com"}',
      '{"kind":"vcard","firstName":" ","org":""}',
      '{"kind":"page"}',
      '{"kind":"page","headline":"x","links":{}}',
      '{"kind":"page","headline":"x","links":["x"]}',
      '{"kind":"page","headline":"x","links":[{"label":"x"}]}',
      '{"kind":"page","headline":"x","links":[{"label":"","url":"https://example.com/"}]}',
      '{"kind":"page","headline":"x","links":[{"label":"x","url":"http://localhost/"}]}',
      `{"kind":"page","headline":"x","links":${JSON.stringify(Array.from({ length: 101 }, () => ({ label: 'x', url: 'https://example.com/' })))}}`,
    ]
    for (const body of bodies)
      await refuses(400, 'invalid_request', () => send('POST', '/api/links', body), body.slice(0, 100))
  })

  test('in every field that takes a URL', async () => {
    const bad = 'http://192.168.0.1/'
    const bodies = [
      { target: bad },
      { target: 'https://example.com/', rules: [{ when: {}, then: { target: bad } }] },
      { kind: 'appstore', ios: bad },
      { kind: 'appstore', ios: 'https://example.com/', android: bad },
      { kind: 'appstore', ios: 'https://example.com/', fallback: bad },
      { kind: 'appstore', ios: 'https://example.com/', target: bad },
      { kind: 'vcard', org: 'x', website: bad },
      { kind: 'event', summary: 'x', start: '2027-06-12', url: bad },
      { kind: 'vcard', org: 'x', target: bad },
      { kind: 'page', headline: 'x', links: [{ label: 'x', url: bad }] },
      { kind: 'page', headline: 'x', payload: { links: [{ label: 'x', url: bad }] } },
    ]
    for (const body of bodies) {
      await refuses(
        400,
        'invalid_request',
        () => send('POST', '/api/links', JSON.stringify(body)),
        JSON.stringify(body),
      )
    }
  })

  test('in a webhook', async () => {
    const url = 'https://example.com/hook'
    const events = ['link.changed']
    const long = `https://example.com/${'x'.repeat(2048)}`
    const addresses = [
      'http://localhost/',
      'https://example.com:25/',
      'https://127.1/',
      'https://u:p@example.com/',
      long,
    ]
    const texts = [5, null, true, [url], { url }, '', 'x', 'javascript:alert(1)', `${url}\u0000`, ...addresses]
    const lists = [
      5,
      null,
      'link.changed',
      {},
      [],
      ['x'],
      [null],
      [['link.changed']],
      ['toString'],
      ['link.changed', 'x'],
    ]
    lists.push(
      [...events, ...events],
      Array.from({ length: 5_000 }, () => 'link.changed'),
    )
    const webhooks = [
      5,
      true,
      url,
      [],
      [url],
      {},
      { url },
      { events },
      ...texts.map((text) => ({ url: text, events })),
      ...lists.map((list) => ({ url, events: list })),
      ...[5, null, '', 'x', 'whsec_abc', ['new']].map((secret) => ({ url, events, secret })),
    ]
    for (const webhook of webhooks) {
      const what = JSON.stringify(webhook).slice(0, 100)
      const body = { target: 'https://example.com/', webhook }
      for (const [method, path] of [
        ['POST', '/api/links'],
        ['PUT', `/api/manage/${link.token}`],
      ] as const) {
        await refuses(400, 'invalid_request', () => send(method, path, JSON.stringify(body)), `${method} ${what}`)
      }
    }
    await refuses(
      400,
      'invalid_request',
      () => send('POST', '/api/links', `{"target":"${url}","webhook":null}`),
      'null',
    )
  })

  test('in the parameters of a QR image', async () => {
    const queries = [
      '',
      'data=',
      `data=${'x'.repeat(2954)}`,
      `data=${'ü'.repeat(1477)}`,
      `data=${'x'.repeat(2332)}`,
      `data=${'x'.repeat(1274)}&ecl=H`,
      'data=x&data=y',
      'data=x&size=0',
      'data=x&size=4097',
      'data=x&size=28',
      'data=x&size=1000001&format=svg',
      'data=x&size=1.5',
      'data=x&size=-1',
      'data=x&size=1e3',
      'data=x&size=0x10',
      'data=x&size=',
      'data=x&size=abc',
      'data=x&size=99999999999999999999',
      'data=x&size=%20300',
      'data=x&size=300&size=300',
      'data=x&margin=-1',
      'data=x&margin=17',
      'data=x&margin=x',
      'data=x&format=gif',
      'data=x&format=PNG',
      'data=x&ecl=X',
      'data=x&ecl=',
      'data=x&ecl=LL',
      'data=x&fg=red',
      'data=x&fg=%23ggg',
      'data=x&fg=%23ff',
      'data=x&fg=%23fffff',
      'data=x&fg=',
      'data=x&fg=transparent',
      'data=x&bg=%23',
      'data=x&bg=none',
      'data=x&fg=fff',
      'data=x&fg=%23eee&bg=%23fff',
      'data=x&fg=%2300000000',
      'data=x&fg=ffffff&bg=transparent',
    ]
    for (const query of queries) {
      await refuses(400, 'invalid_request', () => fetch(`${server.url}/api/qr?${query}`), query.slice(0, 60))
    }
    for (const query of ['size=0', 'margin=99', 'fg=x', 'size=1&size=2']) {
      await refuses(400, 'invalid_request', () => fetch(`${link.qr_png}?${query}`), query)
    }
  })
})

describe('a body that cannot be read is refused, and nothing is written', () => {
  const target = '"target":"https://example.com/"'
  const posts = async (
    status: number,
    code: string,
    bodies: (string | Uint8Array<ArrayBuffer>)[],
    type?: string,
    more = {},
  ): Promise<void> => {
    for (const body of bodies) {
      await refuses(status, code, () => send('POST', '/api/links', body, type, more), String(body).slice(0, 80))
    }
  }

  test('malformed JSON', () =>
    posts(400, 'malformed_json', [
      '{',
      '{"target":',
      `{${target}`,
      `{${target},}`,
      `{${target}}x`,
      `{${target},"title":"a\u0001"}`,
      'undefined',
      "{'target':1}",
      '{"title":"\\x"}',
      '[',
      '"',
      '01',
      new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
      `{${target},"title":"a","title":"b"}`,
      `{${target},"\\u0074arget":"https://example.org/"}`,
      `{${target},"utm":{"a":"1","a":"1"}}`,
      `{${target},"__proto__":{"title":"x"}}`,
      `{${target},"payload":{"__proto__":null}}`,
      `{${target},"x":${'['.repeat(40)}${']'.repeat(40)}}`,
      '['.repeat(100_000),
    ]))

  test('JSON that is not an object, and a missing body', () =>
    posts(400, 'invalid_request', ['[]', 'null', '5', '"text"', 'true', `[{${target}}]`, '']))

  test('another content type', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
      'text/json',
    ]) {
      await posts(415, 'unsupported_media_type', [`{${target}}`], type)
    }
  })

  test('any Content-Encoding', async () => {
    for (const encoding of ['gzip', 'br', 'identity', 'x']) {
      await posts(415, 'unsupported_media_type', [`{${target}}`], undefined, { 'content-encoding': encoding })
    }
  })

  test('more than 512 KiB, which a design may have', async () => {
    const padding = 512 * 1024 - `{${target},"x":""}`.length
    await posts(413, 'body_too_large', [`{${target},"x":"${'x'.repeat(padding + 1)}"}`])
    assert.equal((await send('POST', '/api/links', `{${target},"x":"${'x'.repeat(padding)}"}`)).status, 201)
  })
})

test('a deletion with a token generated from the OpenAPI schema gets a 404 and deletes nothing', async () => {
  const deletion = (await readOperations(server.url)).find(
    ({ method, path }) => method === 'DELETE' && path.includes('{token}'),
  )
  assert.ok(deletion)
  await fc.assert(
    fc.asyncProperty(fromSchema({ type: 'string' }, 50), async (token) => {
      const text = typeof token === 'string' ? token : JSON.stringify(token)
      const path = deletion.path.replace('{token}', asSegment(text))
      await refuses(404, 'unknown_token', () => fetch(server.url + path, { method: 'DELETE' }), path)
    }),
    { numRuns: 50, examples: [['x'.repeat(43)]] },
  )
})
