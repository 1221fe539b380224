import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { before, describe, test } from 'node:test'
import { createQuirlClient } from '../src/client/client.ts'
import { callApi } from '../src/web/client/call-api.ts'
import type { Schema } from '../src/web/docs/document.ts'
import { exampleOf } from '../src/web/docs/example.ts'
import { sharedWindows, testsIn } from './support/browser.ts'
import { asSegment, readOperations } from './support/contract.ts'
import { endOfFile } from './support/cleanup.ts'
import { create, post, put, startServer, type Created, type TestServer } from './support/server.ts'

// What the service says of input that a route does not know.

const EXAMPLE = 'https://example.com/menu'
const STRICT = { prefer: 'handling=strict' }
const end = endOfFile()
let server: TestServer
let link: Created
before(async () => {
  server = await startServer(end, { BASE_URL: 'https://go.bakery.shop' })
  link = await create(server, { target: EXAMPLE, alias: 'menu' })
})

interface Body {
  ignored?: string[]
  errors?: { pointer: string; detail: string }[]
  results?: { code?: string; ignored?: string[]; error?: { code: string; errors: { pointer: string }[] } }[]
  [name: string]: unknown
}

interface Answer extends Body {
  status: number
  header: string | null
  applied: string | null
}

async function read(sent: Promise<Response>): Promise<Answer> {
  const response = await sent
  const { status, headers } = response
  const text = await response.text()
  const body = /json/.test(headers.get('content-type') ?? '') ? (JSON.parse(text) as Body) : {}
  return { ...body, status, header: headers.get('quirl-ignored'), applied: headers.get('preference-applied') }
}

const links = () => `${server.url}/api/links`
const bulk = (query = '') => `${server.url}/api/bulk${query}`
const manage = ({ token }: Created = link) => `${server.url}/api/manage/${token}`
const pointersOf = ({ errors = [] }: Answer) => errors.map(({ pointer }) => pointer)

describe('a member or a parameter that a route does not know is ignored, and said', () => {
  test('in the answer and its header; nothing is said of a request that has none', async () => {
    const answer = await read(post(`${links()}?from=1&from=2`, { target: EXAMPLE, expires_at: { deep: [1] } }))
    assert.deepEqual([answer.status, answer.ignored], [201, ['/expires_at', '?from']])
    assert.deepEqual([answer.header, answer.applied], ['/expires_at,?from', null])
    const known = await read(post(links(), { target: EXAMPLE, utm: { anything: 'x', my_own: 'y' } }))
    assert.deepEqual([known.status, 'ignored' in known, known.header], [201, false, null])
  })

  test('inside of objects and lists, and where only another kind has it', async () => {
    for (const [body, expected] of [
      [{ target: EXAMPLE, payload: { foo: 1, headline: 'x' } }, ['/payload/foo', '/payload/headline']],
      [{ target: EXAMPLE, headline: 'x', firstName: 'y' }, ['/headline', '/firstName']],
      [{ kind: 'vcard', org: 'x', headline: 'y', payload: { ios: EXAMPLE } }, ['/headline', '/payload/ios']],
      [{ kind: 'page', headline: 'x', links: [{ label: 'a', url: EXAMPLE, x: 1 }] }, ['/links/0/x']],
      [
        { kind: 'page', payload: { headline: 'x', links: [{ label: 'a', url: EXAMPLE, 'y/~': 1 }], target: EXAMPLE } },
        ['/payload/links/0/y~1~0'],
      ],
      [{ target: EXAMPLE, webhook: { url: EXAMPLE, events: ['link.changed'], retries: 3 } }, ['/webhook/retries']],
    ] as const)
      assert.deepEqual((await read(post(links(), body))).ignored, expected, JSON.stringify(body))
  })

  test('it is not stored either', async () => {
    const body = { kind: 'page', headline: 'x', links: [{ label: 'a', url: EXAMPLE, icon: 'mail' }] }
    const page = await create(server, body)
    const details = await read(fetch(manage(page)))
    assert.deepEqual((details['payload'] as { links: object[] }).links, [{ label: 'a', url: EXAMPLE }])
    await put(manage(page), { links: [{ label: 'b', url: EXAMPLE, icon: 'mail' }] })
    const changed = await read(fetch(manage(page)))
    assert.deepEqual((changed['payload'] as { links: object[] }).links, [{ label: 'b', url: EXAMPLE }])
  })

  test('in a change, whose link decides the kind; what cannot be changed is known', async () => {
    const same = await read(put(manage(), { kind: 'url', alias: 'menu', code: 'menu', title: 'x', nmae: 1 }))
    assert.deepEqual([same.status, same.ignored, same.header], [200, ['/nmae'], '/nmae'])
    for (const [name, value] of [
      ['kind', 'page'],
      ['alias', 'other'],
      ['code', 'other'],
    ]) {
      const other = await read(put(manage(), { [name as string]: value }))
      assert.deepEqual([other.status, pointersOf(other), other.ignored], [400, [`/${name}`], undefined])
    }
    const other = await read(put(manage(), { headline: 'x', payload: { links: [] }, description: 'y' }))
    assert.deepEqual([other.status, other.ignored], [200, ['/headline', '/payload/links', '/description']])
    const card = await create(server, { kind: 'vcard', org: 'x' })
    const own = await read(put(manage(card), { org: 'y', payload: { email: 'a@example.com' } }))
    assert.deepEqual([own.status, own.ignored], [200, undefined])
  })

  test('by the row in bulk, with pointers into it; the header has those from the top of the body', async () => {
    const rows = [{ target: EXAMPLE }, { target: EXAMPLE, expires_at: 1, kind: 'url' }, { target: 'x', headline: 1 }]
    const answer = await read(post(bulk('?days=3'), rows))
    assert.deepEqual([answer.status, answer.ignored], [201, ['?days']])
    assert.deepEqual(
      answer.results?.map(({ ignored }) => ignored),
      [undefined, ['/expires_at'], ['/headline']],
    )
    assert.equal(answer.header, '?days,/1/expires_at,/2/headline')
    const failed = await read(post(bulk(), rows.slice(2)))
    assert.deepEqual([failed.status, failed.results?.[0]?.ignored], [400, ['/headline']])
    const checked = await read(post(bulk('?dry_run=true'), rows))
    assert.deepEqual([checked.status, checked.results?.[1]?.ignored], [200, ['/expires_at']])
  })

  test('by the row in changes of many links', async () => {
    const [card, other] = [await create(server, { kind: 'vcard', org: 'x' }), await create(server, { target: EXAMPLE })]
    const changes = [
      { token: card.token, org: 'y', expires_at: 1 },
      { token: other.token, org: 'y', title: 'z' },
      { token: 'x', expires_at: 1 },
      { token: link.token, title: 'z', if_match: '"1000"' },
    ]
    const answer = await read(post(`${server.url}/api/manage`, { changes, note: 'x' }))
    assert.deepEqual([answer.status, answer.ignored], [200, ['/note']])
    assert.deepEqual(
      answer.results?.map(({ ignored }) => ignored),
      [['/expires_at'], ['/org'], ['/expires_at'], undefined],
    )
    assert.equal(answer.header, '/note,/changes/0/expires_at,/changes/2/expires_at,/changes/1/org')
  })

  test('an unknown column of a CSV is named once, and its cells are no fields', async () => {
    const csv = `target,Colour,Colour,a/b\n${EXAMPLE},red,blue,x\n${EXAMPLE},,,\n`
    const bodies = [
      read(post(bulk(), { csv, colour: 1 })),
      read(fetch(bulk(), { method: 'POST', body: csv, headers: { 'content-type': 'text/csv' } })),
    ]
    const [wrapped, plain] = await Promise.all(bodies)
    assert.deepEqual([wrapped?.status, wrapped?.ignored], [201, ['/colour', '/csv/Colour', '/csv/a~1b']])
    assert.deepEqual(
      [plain?.status, plain?.ignored, plain?.header],
      [201, ['/csv/Colour', '/csv/a~1b'], '/csv/Colour,/csv/a~1b'],
    )
    assert.ok(plain?.results?.every((row) => row.code !== undefined && row.ignored === undefined))
  })

  test('also of a body that a route does not take, and of a request that is refused', async () => {
    const rotated = await read(post(`${manage(await create(server, { target: EXAMPLE }))}/rotate`, { now: true }))
    assert.deepEqual([rotated.status, rotated.ignored], [200, ['/now']])
    const invalid = await read(post(`${links()}?x`, { target: 'x', expires_at: 1 }))
    assert.deepEqual([invalid.status, invalid.ignored, invalid.header], [400, ['/expires_at', '?x'], '/expires_at,?x'])
    const unknown = await read(fetch(`${manage({ ...link, token: 'x' })}/stats?from=2026-01-01`))
    assert.deepEqual([unknown.status, unknown.ignored, unknown.header], [404, ['?from'], '?from'])
  })
})

test('every operation of the API says of an unknown parameter that it is ignored, whatever it answers', async () => {
  const operations = (await readOperations(server.url)).filter(({ path }) => path.startsWith('/api/'))
  assert.ok(operations.length > 40)
  for (const { method, path, id } of operations) {
    const victim = await create(server, { target: EXAMPLE })
    const filled = path
      .replace('{token}', victim.token)
      .replace('{code}', 'menu')
      .replaceAll(/\{\w+\}/g, asSegment('x'))
    const query = id === 'makeQr' ? 'data=x&' : ''
    const headers = { authorization: `Bearer ${victim.token}` }
    for (const verb of method === 'GET' ? ['GET', 'HEAD'] : [method]) {
      const response = await fetch(`${server.url}${filled}?${query}nonsense=1`, { method: verb, headers })
      assert.equal(response.headers.get('quirl-ignored'), '?nonsense', `${verb} ${path}`)
      const type = response.headers.get('content-type') ?? ''
      // The document has a form of its own, in which it would be a fault.
      if (verb === 'HEAD' || !type.includes('json') || id === 'openApi') {
        await response.body?.cancel()
        continue
      }
      assert.deepEqual(((await response.json()) as Body).ignored, ['?nonsense'], `${method} ${path}`)
    }
  }
})

test('nothing that the document describes is said to be unknown: no member of a body, and no parameter', async () => {
  const known = { origin: server.url, code: 'menu', token: link.token }
  for (const { method, path, id, parameters, body } of await readOperations(server.url)) {
    if (!path.startsWith('/api/') || method === 'DELETE') continue
    const names = parameters.filter((each) => each.in === 'query').map(({ name }) => name)
    const filled = path.replace('{token}', link.token).replaceAll(/\{\w+\}/g, asSegment('x'))
    const query = new URLSearchParams(names.map((name) => [name, 'x']))
    for (const alternative of (body?.anyOf as Schema[] | undefined) ?? [body]) {
      const sent = alternative === undefined ? undefined : JSON.stringify(exampleOf(alternative, {}, known))
      const headers = { authorization: `Bearer ${link.token}`, ...(sent && { 'content-type': 'application/json' }) }
      const response = await fetch(`${server.url}${filled}?${query.toString()}`, {
        method,
        headers,
        ...(sent !== undefined && { body: sent }),
      })
      assert.equal(response.headers.get('quirl-ignored'), null, `${id} ${sent}`)
      await response.body?.cancel()
    }
  }
})

test('statistics of many links, which are sent in pieces, say it as well', async () => {
  const answer = await read(post(`${server.url}/api/stats`, { tokens: [link.token], previous: true }))
  assert.deepEqual([answer.status, answer.ignored, answer.header], [200, ['/previous'], '/previous'])
})

test('an image, a CSV, a 304 and an answer for browsers have the header', async () => {
  const image = `${server.url}/api/qr?data=x&colour=red`
  const first = await fetch(image)
  assert.deepEqual([first.status, first.headers.get('quirl-ignored')], [200, '?colour'])
  assert.match(first.headers.get('vary') ?? '', /prefer/)
  const again = await fetch(image, { headers: { 'if-none-match': first.headers.get('etag') ?? '' } })
  assert.deepEqual([again.status, again.headers.get('quirl-ignored')], [304, '?colour'])
  const csv = await post(bulk('?format=csv'), [{ target: EXAMPLE, expires_at: 1 }])
  assert.deepEqual([csv.status, csv.headers.get('quirl-ignored')], [201, '/0/expires_at'])
  const scans = await fetch(`${manage()}/scans.csv?from=2026-01-01`)
  assert.deepEqual([scans.status, scans.headers.get('quirl-ignored')], [200, '?from'])
  const page = await fetch(`${server.url}/api/manage/x?y`, { headers: { accept: 'text/html' } })
  assert.deepEqual([page.status, page.headers.get('quirl-ignored')], [404, '?y'])
  await Promise.all([first, again, csv, scans, page].map((each) => each.text()))
})

test('a path or a method without a route ignores nothing, and neither does a preflight', async () => {
  for (const [method, path] of [
    ['GET', '/api/nothing?x'],
    ['PATCH', '/api/links?x'],
    ['OPTIONS', '/api/qr?data=x'],
    ['GET', '/menu?x'],
  ] as const) {
    const response = await fetch(server.url + path, { method, redirect: 'manual', headers: STRICT })
    assert.deepEqual([response.headers.get('quirl-ignored'), response.headers.get('preference-applied')], [null, null])
    await response.text()
  }
})

describe('what is said is bounded', () => {
  test('at most 20 pointers, each with a name that is cut, and 1 KiB of whole pointers in the header', async () => {
    const wide = Object.fromEntries(Array.from({ length: 4000 }, (_, at) => [`n${at}`, {}]))
    const answer = await read(post(links(), { target: EXAMPLE, ...wide }))
    assert.deepEqual([answer.status, answer.ignored?.length], [201, 20])
    const long = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`${at}-${'ü'.repeat(1000)}`, 1]))
    const cut = await read(post(links(), { target: EXAMPLE, ...long }))
    assert.ok(cut.ignored?.every((pointer) => pointer.length === 101))
    assert.ok(cut.header !== null && cut.header.length > 0 && cut.header.length <= 1024, String(cut.header?.length))
    assert.ok(cut.ignored?.includes(decodeURIComponent(cut.header)))
    let deep: unknown = 1
    for (let level = 0; level < 28; level++) deep = { payload: deep }
    assert.deepEqual((await read(post(links(), { target: EXAMPLE, payload: deep }))).ignored, ['/payload/payload'])
  })

  test('the header is percent-encoded, so that a comma only separates', async () => {
    const answer = await read(post(links(), { target: EXAMPLE, 'a,b': 1, 'ü %': 1 }))
    assert.deepEqual(answer.header?.split(',').map(decodeURIComponent), ['/a,b', '/ü %'])
    assert.match(answer.header ?? '', /^[\x21-\x7e]+$/)
    const control = await read(post(links(), { target: EXAMPLE, 'a\r\nb\u0000': 1, '\ud800': 1 }))
    assert.deepEqual(control.ignored, ['/a\uFFFD\uFFFDb\uFFFD', '/\uFFFD'])
  })
})

describe('with Prefer: handling=strict it is refused', () => {
  test('with the pointer, the name that is near, and Preference-Applied', async () => {
    const answer = await read(post(`${links()}?dryrun=1`, { target: EXAMPLE, tittle: 'x', expires_at: 1 }, STRICT))
    assert.deepEqual([answer.status, answer['code'], answer.applied], [400, 'invalid_request', 'handling=strict'])
    assert.deepEqual(answer.errors, [
      { pointer: '/tittle', detail: 'is not known here; did you mean "title"?' },
      { pointer: '/expires_at', detail: 'is not known here' },
      { pointer: '?dryrun', detail: 'is not known here' },
    ])
    assert.deepEqual([answer.ignored, answer.header], [undefined, null])
    const known = await read(post(links(), { target: EXAMPLE }, { prefer: 'respond-async, Handling="Strict"; x=y' }))
    assert.deepEqual([known.status, known.applied], [201, 'handling=strict'])
    const lenient = await read(post(links(), { target: EXAMPLE, x: 1 }, { prefer: 'handling=lenient' }))
    assert.deepEqual([lenient.status, lenient.applied, lenient.ignored], [201, null, ['/x']])
  })

  test('also in a query, an image and a change, which then changes nothing', async () => {
    const stats = await read(fetch(`${manage()}/stats?day=3`, { headers: STRICT }))
    assert.deepEqual(stats.errors, [{ pointer: '?day', detail: 'is not known here; did you mean "days"?' }])
    const image = await read(fetch(`${server.url}/api/qr?data=x&Size=5`, { headers: STRICT }))
    assert.deepEqual([image.status, pointersOf(image), image.applied], [400, ['?Size'], 'handling=strict'])
    const drawn = await read(fetch(`${server.url}/api/qr?data=x`, { headers: STRICT }))
    assert.deepEqual([drawn.status, drawn.applied], [200, 'handling=strict'])
    const before = await read(fetch(manage()))
    const refused = await read(put(manage(), { title: 'strict', headline: 'x' }, STRICT))
    assert.deepEqual([refused.status, pointersOf(refused)], [400, ['/headline']])
    assert.equal((await read(fetch(manage())))['title'], before['title'])
  })

  test('in bulk it is the error of that row, and of an unknown column that of the request', async () => {
    const rows = [{ target: EXAMPLE }, { target: EXAMPLE, tagret: EXAMPLE }, { target: EXAMPLE, headline: 'x' }]
    const answer = await read(post(bulk(), rows, STRICT))
    assert.deepEqual([answer.status, answer.applied, answer.header], [201, 'handling=strict', null])
    assert.deepEqual(
      answer.results?.map(({ code, error }) => code !== undefined || [error?.code, error?.errors]),
      [
        true,
        ['invalid_request', [{ pointer: '/tagret', detail: 'is not known here; did you mean "target"?' }]],
        ['invalid_request', [{ pointer: '/headline', detail: 'is not known here' }]],
      ],
    )
    const atomic = await read(post(bulk('?atomic=true'), rows, STRICT))
    assert.deepEqual([atomic.status, atomic['code']], [400, 'nothing_created'])
    const csv = await read(post(bulk(), { csv: `target,titel\n${EXAMPLE},x\n` }, STRICT))
    assert.deepEqual(csv.errors, [{ pointer: '/csv/titel', detail: 'is not known here; did you mean "title"?' }])
    const table = await post(bulk('?format=csv'), rows, STRICT)
    assert.match(
      await table.text(),
      /\r\n1,,https:\/\/example\.com\/menu,.*invalid_request: \/tagret is not known here/,
    )
  })

  test('in changes it is the error of the row, also where the kind of its link decides', async () => {
    const [first, second] = [
      await create(server, { target: EXAMPLE }),
      await create(server, { kind: 'vcard', org: 'x' }),
    ]
    const changes = [
      { token: first.token, title: 'x', org: 'y' },
      { token: second.token, org: 'y' },
      { token: 'x', tilte: 'z' },
    ]
    const answer = await read(post(`${server.url}/api/manage`, { changes }, STRICT))
    assert.deepEqual(
      answer.results?.map(({ error }) => error && [error.code, error.errors[0]?.pointer]),
      [['invalid_request', '/org'], undefined, ['invalid_request', '/tilte']],
    )
    assert.equal((await read(fetch(manage(first))))['title'], null)
    const misplaced = await read(post(`${server.url}/api/manage`, { changes, atomic: true }, STRICT))
    assert.deepEqual(misplaced.errors, [{ pointer: '/atomic', detail: 'is a parameter of the query' }])
  })

  test('a cached answer to the same request without it stands for it nowhere', async () => {
    const { headers } = await fetch(`${server.url}/api/openapi.json?v=2`)
    assert.match(headers.get('vary') ?? '', /prefer/)
  })
})

describe('a retry with an Idempotency-Key', () => {
  const keyed = (key: string, more = {}) => ({ 'idempotency-key': `notices-${key}-0123456789`, ...more })

  test('is answered as the first request, also in what was ignored', async () => {
    for (const [name, url, body] of [
      ['one', `${links()}?x`, { target: EXAMPLE, expires_at: 1 }],
      ['many', bulk('?y'), [{ target: EXAMPLE, expires_at: 1 }]],
    ] as const) {
      const first = await read(post(url, body, keyed(name)))
      assert.equal(first.status, 201)
      assert.ok(first.header?.includes('expires_at'))
      assert.deepEqual(await read(post(url, body, keyed(name))), first)
    }
    const rows = [{ target: EXAMPLE }, { target: EXAMPLE, expires_at: 1 }]
    const first = await read(post(bulk(), rows, keyed('rows', STRICT)))
    assert.deepEqual([first.status, first['failed']], [201, 1])
    assert.deepEqual(await read(post(bulk(), rows, keyed('rows', STRICT))), first)
  })

  test('must have the same Prefer, Quirl-Collection and Quirl-Domain', async () => {
    const all = { prefer: 'handling=lenient', 'quirl-collection': 'a', 'quirl-domain': 'b' }
    const body = { target: EXAMPLE }
    for (const url of [links(), bulk(), `${manage(await create(server, body))}/share`]) {
      const sent = url === bulk() ? [body] : url === links() ? body : { name: 'x' }
      const key = `headers-${new URL(url).pathname.slice(-5)}`
      const first = await read(post(url, sent, keyed(key, all)))
      assert.equal(first.status, 201)
      for (const name of Object.keys(all)) {
        const { [name]: _left, ...rest } = all as Record<string, string>
        for (const other of [rest, { ...all, [name]: 'c' }])
          assert.equal((await read(post(url, sent, keyed(key, other)))).status, 422, `${url} ${name}`)
      }
      assert.deepEqual(await read(post(url, sent, keyed(key, all))), first)
    }
    const rotated = await create(server, body)
    const rotate = (headers: object) => post(`${manage(rotated)}/rotate`, undefined, keyed('rotate', headers))
    assert.equal((await rotate(STRICT)).status, 200)
    assert.equal((await rotate({})).status, 422)
    assert.equal((await rotate(STRICT)).status, 200)
  })
})

describe('our own clients ask for strict handling', () => {
  test('the typed client does in each request, also with a token', async () => {
    for (const token of [undefined, link.token]) {
      const preferred: (string | null)[] = []
      const client = createQuirlClient({
        server: server.url,
        token,
        fetch: (request) => {
          preferred.push(request.headers.get('prefer'))
          return fetch(request)
        },
      })
      const misspelled = { target: EXAMPLE, tilte: 'x' }
      const { error } = await client.POST('/api/links', { body: misspelled })
      assert.deepEqual(error?.errors, [{ pointer: '/tilte', detail: 'is not known here; did you mean "title"?' }])
      await client.GET('/api/qr', { params: { query: { data: 'x' } }, parseAs: 'text' })
      assert.deepEqual(preferred, ['handling=strict', 'handling=strict'])
    }
  })

  test('the scripts of the pages call the API by one function, which does', async (t) => {
    const folder = new URL('../src/web/client/', import.meta.url)
    const callers = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => {
      return name.endsWith('.ts') && /\bfetch\([`'"]\/api/.test(readFileSync(new URL(name, folder), 'utf8'))
    })
    assert.deepEqual(callers, [])
    const fetched = t.mock.method(globalThis, 'fetch', async () => new Response())
    await callApi('/api/stats', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
    const [path, init] = (fetched.mock.calls[0]?.arguments ?? []) as [string?, RequestInit?]
    assert.deepEqual([path, init?.method, init?.body], ['/api/stats', 'POST', '{}'])
    const headers = Object.fromEntries(new Headers(init?.headers))
    assert.deepEqual(headers, { 'content-type': 'application/json', prefer: 'handling=strict' })
  })
})

const inBrowser = testsIn(sharedWindows(end, () => server.url))

inBrowser(
  'the start page does when it asks whether a code is free, and shows the answer',
  async (page) => {
    const asked: [string, string | undefined][] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.startsWith('/api/')) asked.push([pathname, request.headers()['prefer']])
    })
    await page.goto(`${server.url}/`)
    await page.locator('form summary').first().click()
    await page.locator('input[name=alias]').first().fill('menu')
    await page.locator('#code-state.taken').waitFor()
    assert.deepEqual(asked, [['/api/links/menu/available', 'handling=strict']])
  },
  { scripts: true },
)

test('pages of every origin may send these headers, and read those of the answer', async () => {
  const preflight = await fetch(links(), {
    method: 'OPTIONS',
    headers: { origin: 'https://example.com', 'access-control-request-method': 'POST' },
  })
  const allowed = (preflight.headers.get('access-control-allow-headers') ?? '').split(', ')
  for (const name of ['Prefer', 'Quirl-Collection', 'Quirl-Domain']) assert.ok(allowed.includes(name), name)
  const exposed = (preflight.headers.get('access-control-expose-headers') ?? '').split(', ')
  for (const name of ['Quirl-Ignored', 'Quirl-Warning', 'Quirl-Raw-Missing', 'Preference-Applied'])
    assert.ok(exposed.includes(name), name)
})
