import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { catalogue } from '../src/http/problem.ts'
import { endOfFile } from './support/cleanup.ts'
import { filesBelow } from './support/files.ts'
import { create, post, put, startServer, visit, type Created, type TestServer, manage } from './support/server.ts'

const EXAMPLE = 'https://example.com/menu'

const end = endOfFile()
let server: TestServer
let clock = Date.UTC(2026, 10, 21)
before(async () => {
  server = await startServer(end, {}, () => clock)
})

const read = async (link: Created) => (await (await fetch(manage(server, link))).json()) as Record<string, unknown>
const problem = async (response: Response, status: number, code: string) => {
  assert.equal(response.status, status)
  assert.match(response.headers.get('content-type') ?? '', /^application\/problem\+json/)
  const body = (await response.json()) as Record<string, unknown>
  assert.equal(body['code'], code)
  assert.equal(body['status'], status)
  assert.equal(typeof body['title'], 'string')
  assert.equal(typeof body['detail'], 'string')
  assert.match(String(body['request_id']), /^[\da-f]{12}-[\da-z]+$/)
  return body as { detail: string; errors?: { pointer: string; detail: string }[] }
}

describe('creating a link', () => {
  test('returns 201 with the six fields and the short URL as Location', async () => {
    const response = await post(`${server.url}/api/links`, { kind: 'url', target: EXAMPLE })
    assert.equal(response.status, 201)
    assert.equal(response.headers.get('cache-control'), 'no-store')
    const { warnings, ...link } = (await response.json()) as Created & { warnings: { code: string }[] }
    assert.deepEqual(
      warnings.map(({ code }) => code),
      ['local_address'],
    )
    assert.match(link.code, /^[23456789abcdefghjkmnpqrstuvwxyz]{7}$/)
    assert.match(link.token, /^[\w-]{43}$/)
    assert.deepEqual(link, {
      code: link.code,
      short_url: `${server.url}/${link.code}`,
      qr_png: `${server.url}/${link.code}/qr.png`,
      qr_svg: `${server.url}/${link.code}/qr.svg`,
      manage_url: `${server.url}/m/${link.token}`,
      token: link.token,
    })
    assert.equal(response.headers.get('location'), link.short_url)
  })

  test('stores an alias as written, and a visit finds it in any case', async () => {
    const link = await create(server, { target: EXAMPLE, alias: 'Summer_Menu-1' })
    assert.equal(link.code, 'Summer_Menu-1')
    assert.equal((await visit(`${server.url}/sUMMER_mENU-1`)).headers.get('location'), EXAMPLE)
  })

  test('refuses a taken alias in any case, and a reserved one', async () => {
    await create(server, { target: EXAMPLE, alias: 'taken' })
    await problem(await post(`${server.url}/api/links`, { target: EXAMPLE, alias: 'TAKEN' }), 409, 'alias_taken')
    for (const alias of ['api', 'API', 'm', 'healthz', 'readyz', 'assets', 'docs', 'bulk', 'login', 'robots']) {
      await problem(await post(`${server.url}/api/links`, { target: EXAMPLE, alias }), 409, 'alias_reserved')
    }
  })

  test('gives an alias to one of many concurrent requests', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => post(`${server.url}/api/links`, { target: EXAMPLE, alias: 'race' })),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array.from({ length: 19 }, () => 409)])
  })

  test('takes the fields of a kind flat or inside payload, and refuses two values for one field', async () => {
    const flat = await create(server, { kind: 'vcard', firstName: 'Ada' })
    const nested = await create(server, { kind: 'vcard', payload: { firstName: 'Ada' }, firstName: 'Ada' })
    assert.deepEqual((await read(flat))['payload'], (await read(nested))['payload'])
    const both = await post(`${server.url}/api/links`, {
      kind: 'vcard',
      firstName: 'Ada',
      payload: { firstName: 'Bob' },
    })
    const { errors } = await problem(both, 400, 'invalid_request')
    assert.deepEqual(errors, [{ pointer: '/payload/firstName', detail: 'differs from /firstName' }])
  })

  test('lists every invalid field with its pointer and its bound', async () => {
    const body = {
      kind: 'page',
      alias: 'a b',
      title: 'x'.repeat(201),
      payload: { headline: '', links: [{ label: 'x' }, { label: 5, url: 'ftp://x' }] },
    }
    const { errors } = await problem(await post(`${server.url}/api/links`, body), 400, 'invalid_request')
    assert.deepEqual(errors, [
      { pointer: '/alias', detail: 'must be 1 to 64 characters of A-Z, a-z, 0-9, "-" and "_"' },
      { pointer: '/title', detail: 'must be at most 200 characters long' },
      {
        pointer: '/payload/headline',
        detail: 'must not be blank; it must hold no lone surrogates and no control characters but TAB, LF and CR',
      },
      { pointer: '/payload/links/0/url', detail: 'is required' },
      { pointer: '/payload/links/1/label', detail: 'must be a string' },
    ])
  })

  test('ignores unknown fields', async () => {
    const link = await create(server, { target: EXAMPLE, colour: 'red', active: false, payload: { fooled: true } })
    assert.equal((await visit(link.short_url)).status, 302)
  })

  test('never stores a token: no file of the data folder contains one', async () => {
    const link = await create(server, { target: EXAMPLE })
    for (const { name, bytes } of filesBelow(server.dataDir)) assert.equal(bytes.includes(link.token), false, name)
  })
})

describe('retrying a creation with its Idempotency-Key', () => {
  const body = { target: EXAMPLE, title: 'once' }
  const send = (key: string, changed: unknown = body, path = '/api/links') =>
    post(`${server.url}${path}`, changed, { 'idempotency-key': key })

  test('returns the same response, token included, also to a concurrent retry', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => send('first-key-0123456789')))
    const texts = await Promise.all(answers.map((answer) => answer.text()))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 201, 201, 201, 201],
    )
    assert.equal(new Set(texts).size, 1)
    const again = await send('first-key-0123456789')
    assert.equal(await again.text(), texts[0])
    assert.equal(again.headers.get('location'), (JSON.parse(texts[0] ?? '') as Created).short_url)
  })

  test('refuses a different body, path or query under the same key', async () => {
    await send('second-key-0123456789')
    await problem(
      await send('second-key-0123456789', { target: 'https://example.org/' }),
      422,
      'idempotency_key_reused',
    )
    await problem(await send('second-key-0123456789', body, '/api/links?x=1'), 422, 'idempotency_key_reused')
  })

  test('creates another link after 24 hours', async () => {
    const first = (await (await send('third-key-0123456789')).json()) as Created
    clock += 24 * 60 * 60 * 1000
    assert.equal(((await (await send('third-key-0123456789')).json()) as Created).token, first.token)
    clock += 1
    assert.notEqual(((await (await send('third-key-0123456789')).json()) as Created).token, first.token)
  })

  test('does not store a refusal: the corrected request can use the key', async () => {
    await create(server, { target: EXAMPLE, alias: 'in-the-way' })
    await problem(await send('fourth-key-0123456789', { ...body, alias: 'in-the-way' }), 409, 'alias_taken')
    assert.equal((await send('fourth-key-0123456789', { ...body, alias: 'free-way' })).status, 201)
  })

  test('refuses keys that are too short or too long', async () => {
    for (const key of ['', 'short', 'x'.repeat(256)]) await problem(await send(key), 400, 'invalid_request')
  })

  test('stores neither the token nor the key in plain text', async () => {
    const link = (await (await send('fifth-key-0123456789')).json()) as Created
    const rows = await server.services.db.read.selectFrom('idempotency_keys').selectAll().execute()
    assert.ok(rows.length > 0)
    assert.equal(JSON.stringify(rows).includes(link.token), false)
    assert.equal(JSON.stringify(rows).includes('fifth-key'), false)
  })
})

describe('managing a link by its token', () => {
  test('returns every field, empty ones as null', async () => {
    clock = Date.UTC(2026, 10, 21)
    const link = await create(server, { target: EXAMPLE })
    const { token: _, ...addresses } = link
    assert.deepEqual(await read(link), {
      ...addresses,
      kind: 'url',
      target: EXAMPLE,
      payload: null,
      title: null,
      campaign: null,
      utm: {},
      rules: [],
      placements: [],
      has_password: false,
      active: true,
      design: null,
      webhook: null,
      created_at: '2026-11-21T00:00:00.000Z',
      updated_at: '2026-11-21T00:00:00.000Z',
      removed: null,
      totals: { scans: 0, humans: 0, bots: 0, unique_visitors: 0, qr: 0, link: 0, last_scan_at: null },
    })
    const card = await create(server, { kind: 'vcard', org: 'ACME', title: 't', campaign: 'c' })
    assert.deepEqual((await read(card))['payload'], {
      firstName: null,
      lastName: null,
      org: 'ACME',
      jobTitle: null,
      phone: null,
      email: null,
      website: null,
    })
  })

  test('accepts the token as a Bearer too, and responds with 404 without one', async () => {
    const link = await create(server, { target: EXAMPLE })
    const url = `${server.url}/api/manage`
    const headers = { authorization: `Bearer ${link.token}` }
    assert.deepEqual(await (await fetch(url, { headers })).json(), await read(link))
    assert.equal((await put(url, { title: 'x' }, headers)).status, 200)
    assert.equal((await fetch(url, { method: 'DELETE', headers })).status, 200)
    await problem(await fetch(url), 404, 'unknown_token')
    await problem(await fetch(url, { headers }), 404, 'unknown_token')
    await problem(await fetch(`${server.url}/api/manage/${'x'.repeat(43)}`), 404, 'unknown_token')
    await problem(await fetch(`${server.url}/api/manage/short`), 404, 'unknown_token')
  })

  test('an update changes the fields that it names, and the next visit uses them', async () => {
    const link = await create(server, { target: EXAMPLE, title: 'old', utm: { utm_source: 'a' } })
    assert.equal((await visit(link.short_url)).headers.get('location'), `${EXAMPLE}?utm_source=a`)
    clock += 1000
    const response = await put(manage(server, link), { target: 'https://example.org/', utm: { utm_medium: 'b' } })
    const details = (await response.json()) as Record<string, unknown>
    assert.deepEqual(details, await read(link))
    assert.equal(details['title'], 'old')
    assert.equal(details['updated_at'], new Date(clock).toISOString())
    assert.equal((await visit(link.short_url)).headers.get('location'), 'https://example.org/?utm_medium=b')
  })

  test('null clears an optional field, and is refused for a required one', async () => {
    const link = await create(server, {
      kind: 'vcard',
      firstName: 'Ada',
      org: 'ACME',
      target: EXAMPLE,
      utm: { utm_source: 'a' },
    })
    const cleared = await put(manage(server, link), {
      org: null,
      target: null,
      utm: null,
      payload: { email: 'ada@example.com' },
    })
    const details = (await cleared.json()) as Record<string, unknown>
    assert.equal(details['target'], null)
    assert.deepEqual(details['utm'], {})
    assert.equal((details['payload'] as Record<string, unknown>)['email'], 'ada@example.com')
    const { errors } = await problem(await put(manage(server, link), { firstName: null }), 400, 'invalid_request')
    assert.equal(errors?.[0]?.pointer, '/firstName')
    const url = await create(server, { target: EXAMPLE })
    const refused = await problem(await put(manage(server, url), { target: null }), 400, 'invalid_request')
    assert.deepEqual(refused.errors, [{ pointer: '/target', detail: 'is required' }])
  })

  test('an update may repeat kind, alias and code, but not change them', async () => {
    const link = await create(server, { target: EXAMPLE, alias: 'Fixed' })
    assert.equal(
      (await put(manage(server, link), { kind: 'url', alias: 'Fixed', code: 'Fixed', title: 'x' })).status,
      200,
    )
    for (const change of [{ kind: 'page' }, { alias: 'fixed' }, { code: 'other' }, { code: null }]) {
      const { errors } = await problem(await put(manage(server, link), change), 400, 'invalid_request')
      assert.deepEqual(errors, [{ pointer: `/${Object.keys(change)[0]}`, detail: 'cannot be changed' }])
    }
  })

  test('a paused link responds with 404 until it is active again, and keeps its QR image', async () => {
    const link = await create(server, { target: EXAMPLE })
    assert.equal((await visit(link.short_url)).status, 302)
    await put(manage(server, link), { active: false })
    await problem(await visit(link.short_url), 404, 'unknown_code')
    assert.equal((await fetch(link.qr_png)).status, 200)
    await put(manage(server, link), { active: true })
    assert.equal((await visit(link.short_url)).status, 302)
  })

  test('If-Match allows a change of the current revision only', async () => {
    const link = await create(server, { target: EXAMPLE })
    const tag = (await fetch(manage(server, link))).headers.get('etag') ?? ''
    assert.match(tag, /^"\d+"$/)
    const changed = await put(manage(server, link), { title: 'x' }, { 'if-match': tag })
    assert.equal(changed.status, 200)
    assert.notEqual(changed.headers.get('etag'), tag)
    await problem(await put(manage(server, link), { title: 'y' }, { 'if-match': tag }), 412, 'precondition_failed')
    await problem(
      await put(manage(server, link), { title: 'y' }, { 'if-match': `W/${changed.headers.get('etag')}` }),
      412,
      'precondition_failed',
    )
    await problem(
      await fetch(manage(server, link), { method: 'DELETE', headers: { 'if-match': tag } }),
      412,
      'precondition_failed',
    )
    assert.equal(
      (await put(manage(server, link), { title: 'y' }, { 'if-match': `"0", ${changed.headers.get('etag')}` })).status,
      200,
    )
    assert.equal((await put(manage(server, link), { title: 'z' }, { 'if-match': '*' })).status, 200)
  })

  test('an update that changes nothing creates no revision', async () => {
    const link = await create(server, { target: EXAMPLE })
    const tag = (await fetch(manage(server, link))).headers.get('etag')
    assert.equal((await put(manage(server, link), { target: EXAMPLE })).headers.get('etag'), tag)
    assert.equal((await put(manage(server, link), {})).headers.get('etag'), tag)
  })

  test('concurrent updates all succeed, each on top of the last', async () => {
    const link = await create(server, { kind: 'vcard', org: 'ACME' })
    const changes = [
      { firstName: 'Ada' },
      { lastName: 'Lovelace' },
      { phone: '1' },
      { email: 'a@b.example' },
      { jobTitle: 'x' },
    ]
    const answers = await Promise.all(changes.map((change) => put(manage(server, link), change)))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200, 200],
    )
    const { payload } = (await read(link)) as { payload: Record<string, string> }
    for (const [name, value] of changes.flatMap(Object.entries)) assert.equal(payload[name], value)
  })

  test('a deleted link responds with 410, and its code is never issued again', async () => {
    const link = await create(server, { target: EXAMPLE, alias: 'Gone' })
    const response = await fetch(manage(server, link), { method: 'DELETE' })
    assert.deepEqual(await response.json(), { deleted: true, code: 'Gone' })
    await problem(await visit(link.short_url), 410, 'code_gone')
    for (const url of [link.qr_png, link.qr_svg, `${link.short_url}+`])
      await problem(await fetch(url), 410, 'code_gone')
    await problem(await fetch(manage(server, link)), 404, 'unknown_token')
    await problem(await fetch(manage(server, link), { method: 'DELETE' }), 404, 'unknown_token')
    await problem(await put(manage(server, link), { title: 'x' }), 404, 'unknown_token')
    await problem(await post(`${server.url}/api/links`, { target: EXAMPLE, alias: 'gone' }), 409, 'alias_taken')
  })

  test('an update may have what the details have', async () => {
    const bodies = [
      { target: EXAMPLE },
      { kind: 'vcard', firstName: 'Ada', phone: '+44 1', target: EXAMPLE },
      { kind: 'page', headline: 'Menu', links: [{ label: 'a', url: EXAMPLE }] },
      { kind: 'appstore', ios: 'https://apps.apple.com/app/id1', target: EXAMPLE },
    ]
    for (const body of bodies) {
      const link = await create(server, body)
      const details = (await (await fetch(manage(server, link))).json()) as { totals: object }
      const response = await put(manage(server, link), details)
      const { ignored, ...changed } = (await response.json()) as { ignored: string[] }
      assert.deepEqual([response.status, changed], [200, details])
      assert.deepEqual(ignored.slice(0, 3), ['/short_url', '/qr_png', '/qr_svg'])
    }
  })

  test('a payload of null clears the fields of a kind, as far as they are optional', async () => {
    const app = await create(server, { kind: 'appstore', ios: 'https://apps.apple.com/app/id1', target: EXAMPLE })
    assert.equal((await put(manage(server, app), { payload: null })).status, 200)
    assert.equal((await visit(app.short_url, { 'user-agent': 'iPhone' })).headers.get('location'), EXAMPLE)
    const page = await create(server, { kind: 'page', headline: 'Menu', links: [] })
    const refused = await problem(await put(manage(server, page), { payload: null }), 400, 'invalid_request')
    assert.equal(refused.errors?.[0]?.pointer, '/payload/headline')
    const created = await post(`${server.url}/api/links`, { target: EXAMPLE, payload: null })
    await problem(created, 400, 'invalid_request')
  })

  test('a token in the place of a code is not in the error', async () => {
    const { token } = await create(server, { target: EXAMPLE })
    for (const path of [token, `${token}+`, `${token}.vcf`, `${token}/qr.png`, `api/links/${token}/available`])
      assert.ok(!(await (await fetch(`${server.url}/${path}`)).text()).includes(token), path)
  })

  test('responses to a token have headers against caching, referrers and indexing', async () => {
    const link = await create(server, { target: EXAMPLE })
    for (const [url, method] of [
      [manage(server, link)],
      [link.manage_url],
      [`${manage(server, link)}x`],
      [`${link.manage_url}x`],
      [manage(server, link), 'POST'],
      [`${manage(server, link)}/stats`, 'POST'],
      [link.manage_url, 'PATCH'],
      [`${manage(server, link)}/nothing`],
      [`${link.manage_url}/nothing`],
      [`${server.url}/api/manage`, 'PATCH'],
      [`${server.url}/api/manage/%zz`],
    ] as const) {
      const { headers } = await fetch(url, { method: method ?? 'GET' })
      if (url.includes('/api/')) assert.equal(headers.get('access-control-allow-origin'), '*', url)
      assert.equal(headers.get('cache-control'), 'no-store', url)
      assert.equal(headers.get('referrer-policy'), 'no-referrer', url)
      assert.equal(headers.get('x-robots-tag'), 'noindex', url)
    }
  })
})

describe('a visit', () => {
  test('is redirected by an uncacheable 302 with an empty body, for GET and HEAD', async () => {
    const link = await create(server, { target: EXAMPLE })
    for (const method of ['GET', 'HEAD']) {
      const response = await fetch(`${link.short_url}?qr=1`, { method, redirect: 'manual' })
      assert.equal(response.status, 302)
      assert.equal(response.headers.get('location'), EXAMPLE)
      assert.equal(response.headers.get('cache-control'), 'private, no-store')
      assert.equal(await response.text(), '')
    }
  })

  test('does not pass its query on to the target', async () => {
    const link = await create(server, { target: EXAMPLE })
    assert.equal((await visit(`${link.short_url}?qr=1&x=%FF&utm_source=evil`)).headers.get('location'), EXAMPLE)
  })

  test('reaches the same link with a trailing slash or percent-encoding', async () => {
    await create(server, { target: EXAMPLE, alias: 'slash' })
    assert.equal((await visit(`${server.url}/slash/`)).headers.get('location'), EXAMPLE)
    assert.equal((await visit(`${server.url}/%73lash`)).headers.get('location'), EXAMPLE)
  })

  test('of an unknown code gets 404, until the code is created', async () => {
    await problem(await visit(`${server.url}/soon`), 404, 'unknown_code')
    await create(server, { target: EXAMPLE, alias: 'soon' })
    assert.equal((await visit(`${server.url}/soon`)).status, 302)
  })

  test('of an app link goes to the store of the platform, else to the fallback', async () => {
    const stores = { ios: 'https://apple.example.com/', android: 'https://google.example.com/' }
    const agents = {
      ios: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15',
      android: 'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36',
      windowsPhone: 'Mozilla/5.0 (Windows Phone 10.0; Android 6.0.1; Microsoft; Lumia 950) like iPhone',
      desktop: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36',
    }
    const lead = async (body: Record<string, unknown>) => {
      const link = await create(server, { kind: 'appstore', ...body })
      const answers = Object.values(agents).map((agent) => visit(link.short_url, { 'user-agent': agent }))
      return (await Promise.all(answers)).map((answer) => answer.headers.get('location'))
    }
    const { ios, android } = stores
    const other = 'https://other.example.com/'
    assert.deepEqual(await lead({ ...stores, fallback: other, target: EXAMPLE }), [ios, android, other, other])
    assert.deepEqual(await lead({ ...stores, target: other }), [ios, android, other, other])
    assert.deepEqual(await lead({ ...stores }), [ios, android, ios, ios])
    assert.deepEqual(await lead({ android }), [android, android, android, android])
    assert.deepEqual(await lead({ fallback: other }), [other, other, other, other])
    const tagged = `${ios}?utm_source=x`
    assert.deepEqual(await lead({ ios, utm: { utm_source: 'x' } }), [tagged, tagged, tagged, tagged])
  })

  test('of a page or a contact gets an escaped page', async () => {
    const hostile = '"><script>alert(1)</script>&amp;'
    const page = await create(server, {
      kind: 'page',
      headline: hostile,
      description: hostile,
      links: [{ label: hostile, url: 'https://example.com/?"<>' }],
    })
    const card = await create(server, {
      kind: 'vcard',
      firstName: hostile,
      org: hostile,
      phone: hostile,
      email: hostile,
    })
    for (const link of [page, card]) {
      const response = await visit(link.short_url)
      assert.equal(response.status, 200)
      assert.equal(response.headers.get('cache-control'), 'private, no-store')
      assert.match(response.headers.get('content-security-policy') ?? '', /default-src 'none'.*frame-ancestors 'none'/)
      const text = await response.text()
      assert.equal(text.includes('<script'), false)
      assert.ok(text.includes('&lt;script&gt;'))
    }
  })

  test('of a contact downloads a vCard, by its extension or by Accept', async () => {
    const link = await create(server, { kind: 'vcard', firstName: 'Ada', lastName: 'Lovelace', alias: 'ada' })
    for (const response of [
      await visit(`${link.short_url}.vcf`),
      await visit(link.short_url, { accept: 'text/vcard' }),
    ]) {
      assert.equal(response.status, 200)
      assert.equal(response.headers.get('content-type'), 'text/vcard; charset=utf-8')
      assert.equal(response.headers.get('content-disposition'), 'attachment; filename="ada.vcf"')
      assert.match(
        await response.text(),
        /^BEGIN:VCARD\r\nVERSION:3\.0\r\nN:Lovelace;Ada;;;\r\nFN:Ada Lovelace\r\nEND:VCARD\r\n$/,
      )
    }
    const url = await create(server, { target: EXAMPLE })
    await problem(await visit(`${url.short_url}.vcf`), 404, 'not_found')
  })

  test('of <code>+ shows where the link leads without a redirect', async () => {
    const link = await create(server, {
      target: 'https://example.com/?a="<b>',
      utm: { utm_source: 'x' },
      title: 'secret title',
    })
    const response = await visit(`${link.short_url}+`)
    const text = await response.text()
    assert.equal(response.status, 200)
    assert.ok(text.includes('https://<strong>example.com</strong>/?a=&#34;&lt;b&gt;&amp;utm_source=x'))
    assert.equal(text.includes('secret title'), false)
    await put(manage(server, link), { active: false })
    await problem(await visit(`${link.short_url}+`), 404, 'unknown_code')
  })

  test('reaches the target ten years after the creation, because links do not expire', async () => {
    const link = await create(server, { target: EXAMPLE })
    const before = clock
    clock += 10 * 365 * 24 * 60 * 60 * 1000
    assert.equal((await visit(link.short_url)).headers.get('location'), EXAMPLE)
    assert.equal((await fetch(link.qr_svg)).status, 200)
    clock = before
  })
})

describe('the API as a whole', () => {
  test('responds to a wrong method on a known path with 405 and Allow, and to OPTIONS with the methods', async () => {
    const link = await create(server, { target: EXAMPLE })
    const paths: [path: string, allow: string, method: string][] = [
      ['/api/links', 'OPTIONS, POST', 'GET'],
      [`/api/manage/${link.token}`, 'DELETE, GET, HEAD, OPTIONS, PUT', 'POST'],
      ['/api/qr', 'GET, HEAD, OPTIONS, POST', 'DELETE'],
      [`/${link.code}`, 'GET, HEAD, OPTIONS', 'POST'],
      [`/${link.code}/qr.png`, 'GET, HEAD, OPTIONS', 'PROPFIND'],
      ['/', 'GET, HEAD, OPTIONS, POST', 'PUT'],
    ]
    for (const [path, allow, method] of paths) {
      const response = await fetch(server.url + path, { method })
      await problem(response, 405, 'method_not_allowed')
      assert.equal(response.headers.get('allow'), allow)
      const options = await fetch(server.url + path, { method: 'OPTIONS' })
      assert.equal(options.status, 204)
      assert.equal(options.headers.get('allow'), allow)
    }
  })

  test('allows calls from every origin, without credentials', async () => {
    for (const path of ['/api/links', '/api/qr?data=x', '/api/nothing', '/api/manage/x']) {
      const headers = { origin: 'https://shop.example', 'access-control-request-method': 'PUT' }
      const response = await fetch(server.url + path, { method: 'OPTIONS', headers })
      assert.equal(response.headers.get('access-control-allow-origin'), '*', path)
      assert.equal(response.headers.get('access-control-allow-credentials'), null)
      const answer = await fetch(server.url + path, { headers: { origin: 'https://shop.example' } })
      assert.equal(answer.headers.get('access-control-allow-origin'), '*', path)
    }
    const preflight = await fetch(`${server.url}/api/links`, {
      method: 'OPTIONS',
      headers: { 'access-control-request-method': 'POST' },
    })
    assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /Idempotency-Key/)
    assert.equal((await fetch(`${server.url}/`)).headers.get('access-control-allow-origin'), null)
  })

  test('responds to HEAD wherever it does to GET, with the same headers and no body', async () => {
    const link = await create(server, { target: EXAMPLE })
    for (const url of [
      manage(server, link),
      link.qr_png,
      link.qr_svg,
      link.manage_url,
      `${server.url}/`,
      `${server.url}/healthz`,
      `${server.url}/api/qr?data=x`,
      `${server.url}/api/openapi.json`,
      `${link.short_url}+`,
    ]) {
      const [get, head] = await Promise.all([fetch(url), fetch(url, { method: 'HEAD' })])
      assert.equal(head.status, get.status, url)
      assert.equal(head.headers.get('content-type'), get.headers.get('content-type'))
      assert.equal(await head.text(), '')
    }
  })

  test('sends HTML to browsers and JSON to programs, with the same status', async () => {
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
    for (const path of ['/nothing', '/no/such/page', '/m/unknown', '/api/manage/unknown', '/api/qr']) {
      const page = await fetch(server.url + path, { headers: { accept } })
      const json = await fetch(server.url + path)
      assert.equal(page.status, json.status)
      assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
      assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/)
      assert.match(json.headers.get('content-type') ?? '', /^application\/problem\+json/)
    }
  })

  test('lists all problem codes', async () => {
    const listed = (await (await fetch(`${server.url}/api/problems`)).json()) as Record<string, { status: number }>
    assert.deepEqual(
      Object.entries(listed).map(([code, { status }]) => [code, status]),
      Object.entries(catalogue).map(([code, [status]]) => [code, status]),
    )
  })

  test('is live and ready, and not ready while it drains', async (t) => {
    assert.equal((await fetch(`${server.url}/healthz`)).status, 200)
    assert.equal((await fetch(`${server.url}/readyz`)).status, 200)
    const other = await startServer(t)
    other.services.drain()
    await problem(await fetch(`${other.url}/readyz`), 503, 'unavailable')
    assert.equal((await fetch(`${other.url}/healthz`)).status, 200)
  })
})

describe('QR images', () => {
  const image = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(server.url + path, { headers })
    return { response, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
  }

  test('are PNG by default, of exactly the requested size', async () => {
    for (const size of [29, 300, 512, 1001, 4096]) {
      const { headers, bytes } = await image(`/api/qr?data=x&size=${size}`)
      assert.equal(headers.get('content-type'), 'image/png')
      assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [size, size])
    }
    const { bytes } = await image('/api/qr?data=x')
    assert.equal(bytes.readUInt32BE(16), 512)
  })

  test('are SVG on request, without scripts or external resources', async () => {
    const { headers, bytes } = await image('/api/qr?data=x&format=svg&size=1000000&fg=%23112233&bg=transparent')
    assert.equal(headers.get('content-type'), 'image/svg+xml')
    const svg = bytes.toString()
    assert.match(
      svg,
      /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" width="1000000" height="1000000" viewBox="0 0 1000000 1000000"/,
    )
    assert.equal(svg.match(/<path/g)?.length, 1)
    assert.match(svg, /fill="#112233"/)
    assert.doesNotMatch(svg, /<script|href|<rect|url\(/)
  })

  test('of too small a size are refused with the smallest possible size', async () => {
    for (const [query, smallest] of [
      ['data=x', 29],
      ['data=x&margin=0', 21],
      ['data=x&margin=16', 53],
      ['data=x&format=svg', 29],
    ] as const) {
      const refused = await problem(
        await fetch(`${server.url}/api/qr?${query}&size=${smallest - 1}`),
        400,
        'invalid_request',
      )
      assert.deepEqual(refused.errors, [
        { pointer: '/size', detail: `must be at least ${smallest} for this data and margin` },
      ])
      assert.equal((await fetch(`${server.url}/api/qr?${query}&size=${smallest}`)).status, 200)
    }
  })

  test('with a number below its bound, also a negative one, are refused with the bound', async () => {
    for (const [query, pointer, least] of [
      ['size=0', '/size', 1],
      ['size=-512', '/size', 1],
      ['margin=-1', '/margin', 0],
    ] as const) {
      const refused = await problem(await fetch(`${server.url}/api/qr?data=x&${query}`), 400, 'invalid_request')
      assert.deepEqual(refused.errors, [{ pointer, detail: `must be at least ${least}` }])
    }
  })

  test('of too much data are refused with the capacity of the level', async () => {
    for (const [level, bound] of [
      ['L', 2953],
      ['M', 2331],
      ['Q', 1663],
      ['h', 1273],
    ] as const) {
      assert.equal((await fetch(`${server.url}/api/qr?ecl=${level}&data=${'x'.repeat(bound)}`)).status, 200)
      const url = `${server.url}/api/qr?ecl=${level}&data=${'x'.repeat(Math.min(bound + 1, 2954))}`
      const { detail } = await problem(await fetch(url), 400, 'invalid_request')
      assert.match(detail, new RegExp(`at most ${bound} `))
    }
  })

  test('are drawn once: a request with their ETag gets 304', async () => {
    const link = await create(server, { target: EXAMPLE })
    for (const path of ['/api/qr?data=x', `/${link.code}/qr.png`, `/${link.code}/qr.svg`]) {
      const { headers } = await image(path)
      const tag = headers.get('etag') ?? ''
      assert.match(tag, /^"[\w-]+"$/)
      assert.match(headers.get('cache-control') ?? '', /^public/)
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      for (const known of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
        const again = await image(path, { 'if-none-match': known })
        assert.equal(again.response.status, 304)
        assert.equal(again.bytes.length, 0)
        assert.equal(again.headers.get('etag'), tag)
      }
      assert.equal((await image(path, { 'if-none-match': '"other"' })).response.status, 200)
    }
  })

  test('of a link have its code as file name, and stay byte for byte the same when the link changes', async () => {
    const link = await create(server, { target: EXAMPLE, alias: 'Poster' })
    const before = await image('/poster/qr.png')
    assert.equal(before.headers.get('content-disposition'), 'inline; filename="Poster.png"')
    assert.equal((await image('/poster/qr.svg')).headers.get('content-disposition'), 'inline; filename="Poster.svg"')
    await put(manage(server, link), { target: 'https://example.org/', title: 'x', active: false })
    assert.deepEqual((await image('/Poster/qr.png')).bytes, before.bytes)
    await problem(await fetch(`${server.url}/unknown-code/qr.png`), 404, 'unknown_code')
  })

  test('with weak or inverted colours are drawn, and a header says that they scan poorly', async () => {
    const scannability = async (query: string) =>
      (await image(`/api/qr?data=x&${query}`)).headers.get('qr-scannability')
    for (const query of ['fg=fff&bg=000', 'fg=%23ffffff&bg=%23123456', 'fg=bbb&bg=fff', 'fg=00000020'])
      assert.equal(await scannability(query), 'poor', query)
    for (const query of ['', 'fg=%23000', 'fg=123456&bg=ffe', 'bg=transparent', 'fg=000000ff&bg=ffffff00'])
      assert.equal(await scannability(query), null, query)
  })
})
