import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { before, describe, test } from 'node:test'
import { createQuirlClient } from '../src/client/client.ts'
import { callApi } from '../src/web/client/call-api.ts'
import { pointersOf, read } from './support/answers.ts'
import { sharedWindows, testsIn } from './support/browser.ts'
import { endOfFile } from './support/cleanup.ts'
import { create, post, put, startServer, type Created, type TestServer, manage } from './support/server.ts'

// Input that a route does not know, refused on request; and retries, which are answered as the first request.

const EXAMPLE = 'https://example.com/menu'
const STRICT = { prefer: 'handling=strict' }
const end = endOfFile()
let server: TestServer
let link: Created
before(async () => {
  server = await startServer(end, { BASE_URL: 'https://go.bakery.shop' })
  link = await create(server, { target: EXAMPLE, alias: 'menu' })
})

const links = () => `${server.url}/api/links`
const bulk = (query = '') => `${server.url}/api/bulk${query}`

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
    const stats = await read(fetch(`${manage(server, link)}/stats?day=3`, { headers: STRICT }))
    assert.deepEqual(stats.errors, [{ pointer: '?day', detail: 'is not known here; did you mean "days"?' }])
    const image = await read(fetch(`${server.url}/api/qr?data=x&Size=5`, { headers: STRICT }))
    assert.deepEqual([image.status, pointersOf(image), image.applied], [400, ['?Size'], 'handling=strict'])
    const drawn = await read(fetch(`${server.url}/api/qr?data=x`, { headers: STRICT }))
    assert.deepEqual([drawn.status, drawn.applied], [200, 'handling=strict'])
    const before = await read(fetch(manage(server, link)))
    const refused = await read(put(manage(server, link), { title: 'strict', headline: 'x' }, STRICT))
    assert.deepEqual([refused.status, pointersOf(refused)], [400, ['/headline']])
    assert.equal((await read(fetch(manage(server, link))))['title'], before['title'])
  })

  test('in the paths of a link in a collection as in its own, also where the token is in the header', async () => {
    const made = await read(post(`${server.url}/api/collections`, {}))
    const token = String(made['token'])
    await post(links(), { target: EXAMPLE, alias: 'collected' }, { 'quirl-collection': token })
    const headers = { ...STRICT, authorization: `Bearer ${token}` }
    for (const path of [`${token}/links/collected`, 'links/collected']) {
      const ofLink = `${server.url}/api/collections/${path}`
      const known = await read(fetch(`${ofLink}/stats?days=3`, { headers }))
      assert.deepEqual([known.status, known.applied], [200, 'handling=strict'])
      assert.deepEqual(pointersOf(await read(fetch(`${ofLink}/stats?day=3`, { headers }))), ['?day'])
      assert.equal((await put(ofLink, { title: 'x' }, headers)).status, 200)
      assert.deepEqual(pointersOf(await read(put(ofLink, { tilte: 'x' }, headers))), ['/tilte'])
    }
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
    const csv = await read(post(bulk(), { csv: `target,titl\n${EXAMPLE},x\n` }, STRICT))
    assert.deepEqual(csv.errors, [{ pointer: '/csv/titl', detail: 'is not known here; did you mean "title"?' }])
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
    assert.equal((await read(fetch(manage(server, first))))['title'], null)
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
    const collection = (await (await post(`${server.url}/api/collections`, {})).json()) as { token: string }
    const all = { prefer: 'handling=lenient', 'quirl-collection': collection.token, 'quirl-domain': 'b' }
    const body = { target: EXAMPLE }
    for (const url of [links(), bulk(), `${manage(server, await create(server, body))}/share`]) {
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
    const rotate = (headers: object) => post(`${manage(server, rotated)}/rotate`, undefined, keyed('rotate', headers))
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
