import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { exampleOf } from '../src/web/docs/example.ts'
import { asSegment, readOperations } from './support/contract.ts'
import { pointersOf, read, type Body } from './support/answers.ts'
import { endOfFile } from './support/cleanup.ts'
import { create, post, put, startServer, type Created, type TestServer, manage } from './support/server.ts'

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

const links = () => `${server.url}/api/links`
const bulk = (query = '') => `${server.url}/api/bulk${query}`

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
    const details = await read(fetch(manage(server, page)))
    assert.deepEqual((details['payload'] as { links: object[] }).links, [{ label: 'a', url: EXAMPLE }])
    await put(manage(server, page), { links: [{ label: 'b', url: EXAMPLE, icon: 'mail' }] })
    const changed = await read(fetch(manage(server, page)))
    assert.deepEqual((changed['payload'] as { links: object[] }).links, [{ label: 'b', url: EXAMPLE }])
  })

  test('in a change, whose link decides the kind; what cannot be changed is known', async () => {
    const same = await read(
      put(manage(server, link), { kind: 'url', alias: 'menu', code: 'menu', title: 'x', nmae: 1 }),
    )
    assert.deepEqual([same.status, same.ignored, same.header], [200, ['/nmae'], '/nmae'])
    for (const [name, value] of [
      ['kind', 'page'],
      ['alias', 'other'],
      ['code', 'other'],
    ]) {
      const other = await read(put(manage(server, link), { [name as string]: value }))
      assert.deepEqual([other.status, pointersOf(other), other.ignored], [400, [`/${name}`], undefined])
    }
    const other = await read(put(manage(server, link), { headline: 'x', payload: { links: [] }, description: 'y' }))
    assert.deepEqual([other.status, other.ignored], [200, ['/headline', '/payload/links', '/description']])
    const card = await create(server, { kind: 'vcard', org: 'x' })
    const own = await read(put(manage(server, card), { org: 'y', payload: { email: 'a@example.com' } }))
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
    const rotated = await read(
      post(`${manage(server, await create(server, { target: EXAMPLE }))}/rotate`, { now: true }),
    )
    assert.deepEqual([rotated.status, rotated.ignored], [200, ['/now']])
    const invalid = await read(post(`${links()}?x`, { target: 'x', expires_at: 1 }))
    assert.deepEqual([invalid.status, invalid.ignored, invalid.header], [400, ['/expires_at', '?x'], '/expires_at,?x'])
    const unknown = await read(fetch(`${manage(server, { ...link, token: 'x' })}/stats?since=2026-01-01`))
    assert.deepEqual([unknown.status, unknown.ignored, unknown.header], [404, ['?since'], '?since'])
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
      if (verb === 'HEAD' || !/^application\/(?:problem\+)?json/.test(type) || id === 'openApi') {
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
    for (const alternative of body?.anyOf ?? [body]) {
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
  const scans = await fetch(`${manage(server, link)}/scans.csv?from=2026-01-01`)
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
