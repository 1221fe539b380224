import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { insertLink } from '../src/links/create-store.ts'
import type { Suspension } from '../src/links/link.ts'
import { suspend } from '../src/links/suspension.ts'
import { examplesOf } from './support/guide.ts'
import { requireProgram } from './support/programs.ts'
import { create, post, put, startServer, visit, withoutWarnings } from './support/server.ts'
import { newLink } from './support/stored-links.ts'

interface Share {
  id: string
  name: string | null
  csv: boolean
  destination: boolean
  created_at: string
}
type Created = Share & { share_url: string; share_token: string }

const START = Date.UTC(2026, 10, 21, 9, 30)
const DESTINATION = 'https://example.com/where-it-leads'
const RULES = [{ when: { os: ['iOS'] }, then: { target: 'https://example.com/by-a-rule' } }]
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const problemOf = async (response: Response) => [response.status, ((await response.json()) as { code: string }).code]

/** A service with a link that was visited three times, once by its QR code. */
async function startWithLink(t: TestContext, env: Record<string, string> = {}) {
  const server = await startServer(t, env, () => START)
  const link = await create(server, { target: DESTINATION, alias: 'menu', title: 'Menü <&>' })
  for (const path of ['', '', '?qr=1']) {
    await visit(link.short_url + path, { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' })
  }
  const manage = `${server.url}/api/manage/${link.token}`
  return {
    ...server,
    link,
    manage,
    share: async (options: object = {}): Promise<Created> => {
      const response = await post(`${manage}/share`, options)
      assert.equal(response.status, 201)
      return withoutWarnings((await response.json()) as Created)
    },
    list: async () => ((await (await fetch(`${manage}/shares`)).json()) as { shares: Share[] }).shares,
    api: (token: string, path = 'stats') => fetch(`${server.url}/api/share/${token}/${path}`),
  }
}

test('the token of a share is returned once; the list has everything else', async (t) => {
  const { url, services, manage, share, list, link } = await startWithLink(t)
  const { share_url: address, share_token: token, ...first } = await share({ name: 'agency', csv: true })
  assert.equal(address, `${url}/s/${token}`)
  assert.match(token, /^share_[\w-]{43}$/)
  const { id, ...rest } = first
  assert.deepEqual(rest, { name: 'agency', csv: true, destination: false, created_at: new Date(START).toISOString() })
  const response = await fetch(`${manage}/share`, { method: 'POST' })
  assert.equal(response.headers.get('cache-control'), 'no-store')
  const second = (await response.json()) as Created
  assert.deepEqual([second.name, second.csv, second.destination], [null, false, false])
  const listed = await list()
  assert.deepEqual(new Set(listed.map((each) => each.id)), new Set([id, second.id]))
  assert.deepEqual(
    listed.find((each) => each.id === id),
    first,
  )
  assert.doesNotMatch(JSON.stringify(listed), /share_/)
  const stored = JSON.stringify(await services.db.read.selectFrom('shares').selectAll().execute())
  assert.ok(!stored.includes(token.slice(6)) && !stored.includes(link.token))
})

test('the statistics of a share are those of its link, with the same parameters', async (t) => {
  const { manage, share, api, url } = await startWithLink(t)
  const { share_token: token } = await share()
  for (const query of ['', '?days=7', '?days=365&tz=Europe/Berlin&audience=human', '?audience=bot']) {
    const shared = await api(token, `stats${query}`)
    assert.equal(shared.headers.get('cache-control'), 'no-store')
    const stats = (await shared.json()) as { totals: { scans: number } }
    assert.deepEqual(stats, await (await fetch(`${manage}/stats${query}`)).json(), query)
    assert.equal(stats.totals.scans, query === '?audience=bot' ? 0 : 3)
    assert.deepEqual(await (await fetch(`${url}/api/share/stats${query}`, { headers: bearer(token) })).json(), stats)
  }
  for (const query of ['?days=0', '?days=366', '?tz=Nowhere', '?audience=dogs'])
    assert.deepEqual(await problemOf(await api(token, `stats${query}`)), [400, 'invalid_request'], query)
})

test('single scans are exported only by a share that includes them', async (t) => {
  const { manage, share, api, url } = await startWithLink(t)
  const [bare, full] = [await share(), await share({ csv: true })]
  assert.deepEqual(await problemOf(await api(bare.share_token, 'scans.csv')), [403, 'forbidden'])
  const csv = await (await api(full.share_token, 'scans.csv')).text()
  assert.equal(csv, await (await fetch(`${manage}/scans.csv`)).text())
  assert.equal(csv.split('\r\n').length, 5)
  const byHeader = await fetch(`${url}/api/share/scans.csv`, { headers: bearer(full.share_token) })
  assert.equal(await byHeader.text(), csv)
})

describe('where the link leads', () => {
  const secrets = async (t: TestContext, options: object) => {
    const { share, api, url, link } = await startWithLink(t)
    const { share_token: token, share_url: address } = await share({ csv: true, ...options })
    const texts = [
      await (await api(token)).text(),
      await (await api(token, 'scans.csv')).text(),
      await (await fetch(address)).text(),
      await (await fetch(`${url}/s/${token}?days=0`, { headers: { accept: 'text/html' } })).text(),
    ]
    for (const text of texts) assert.ok(!text.includes(link.token))
    return texts
  }

  const destinationsOf = async (response: Response) =>
    ((await response.json()) as { destinations?: string[] }).destinations

  test('includes the destinations of rules', async (t) => {
    const { manage, share, api } = await startWithLink(t)
    assert.equal((await put(manage, { rules: RULES })).status, 200)
    const { share_token: token, share_url: address } = await share({ destination: true })
    assert.deepEqual(await destinationsOf(await api(token)), [DESTINATION, 'https://example.com/by-a-rule'])
    assert.match(await (await fetch(address)).text(), /by-a-rule/)
    const { share_token: bare, share_url: page } = await share()
    assert.doesNotMatch((await (await api(bare)).text()) + (await (await fetch(page)).text()), /by-a-rule/)
  })

  test('is left out while a password protects the link', async (t) => {
    const { manage, share, api } = await startWithLink(t)
    const { share_token: token, share_url: address } = await share({ destination: true })
    assert.equal((await put(manage, { password: 'correct horse' })).status, 200)
    const texts = [await (await api(token)).text(), await (await fetch(address)).text()]
    for (const text of texts) assert.doesNotMatch(text, /where-it-leads/)
    assert.equal((await put(manage, { password: null })).status, 200)
    assert.deepEqual(await destinationsOf(await api(token)), [DESTINATION])
  })

  test('is in none of the answers of a share by default', async (t) => {
    for (const text of await secrets(t, {})) assert.doesNotMatch(text, /where-it-leads/)
  })

  test('is on the page and in the statistics when the owner asks for it', async (t) => {
    const [stats = '', csv = '', page = ''] = await secrets(t, { destination: true })
    assert.deepEqual((JSON.parse(stats) as { destinations: string[] }).destinations, [DESTINATION])
    assert.match(page, /<code>https:\/\/example.com\/where-it-leads<\/code>/)
    assert.doesNotMatch(csv, /where-it-leads/)
  })
})

test('the page shows title, totals, a bar and a row for each day, and escapes what it shows', async (t) => {
  const { share, link } = await startWithLink(t)
  const { share_url: url } = await share({ name: 'secret name' })
  const response = await fetch(`${url}?days=7`)
  const page = await response.text()
  assert.deepEqual(
    ['content-type', 'cache-control', 'referrer-policy', 'x-robots-tag'].map((name) => response.headers.get(name)),
    ['text/html; charset=utf-8', 'no-store', 'no-referrer', 'noindex'],
  )
  assert.match(page, /<h1 lang="" dir="auto">Menü &lt;&amp;&gt;<\/h1>/)
  assert.ok(page.includes(link.short_url))
  assert.match(page, /<dt>Visits by people<\/dt>\s*<dd>\s*<b>3<\/b>/)
  assert.equal(page.split(/<th scope="row">\w+, \d+ Nov 2026</).length, 8)
  assert.match(page, /<title>Sat, 21 Nov 2026: Visits 3, Unique visitors 1<\/title>\s*<rect/)
  assert.match(page, /Firefox/)
  assert.doesNotMatch(page, /scans\.csv|<script>|method="post"|style=|secret name|\/stream/)
  // What is no window gets the usual one, as on the page of the owner.
  assert.equal((await (await fetch(`${url}?days=400`)).text()).split(/<th scope="row">\w+, \d+ \w+ 2026</).length, 31)
  assert.match(await (await fetch((await share({ csv: true })).share_url)).text(), /\/scans\.csv"/)
})

test('a revoked share answers like an unknown one at once, and the others go on', async (t) => {
  const { manage, share, api, list, url, link } = await startWithLink(t)
  const [first, second] = [await share(), await share()]
  const revoked = await fetch(`${manage}/shares/${first.id}`, { method: 'DELETE' })
  assert.deepEqual([revoked.status, await revoked.json()], [200, { deleted: true, id: first.id }])
  assert.deepEqual(await problemOf(await api(first.share_token)), [404, 'unknown_token'])
  assert.equal((await fetch(first.share_url)).status, 404)
  assert.equal((await api(second.share_token)).status, 200)
  for (const id of [first.id, 'x', 'constructor', '%00', second.share_token]) {
    const response = await fetch(`${manage}/shares/${id}`, { method: 'DELETE' })
    assert.deepEqual(await problemOf(response), [404, 'unknown_share'], id)
  }
  const other = await create({ url }, { target: DESTINATION })
  const stranger = await fetch(`${url}/api/manage/${other.token}/shares/${second.id}`, { method: 'DELETE' })
  assert.deepEqual(await problemOf(stranger), [404, 'unknown_share'])
  const byHeader = await fetch(`${url}/api/manage/shares/${second.id}`, {
    method: 'DELETE',
    headers: bearer(link.token),
  })
  assert.deepEqual([byHeader.status, await list()], [200, []])
})

test('a link has at most twenty shares; after a revocation there is room for another', async (t) => {
  const { manage, share, list } = await startWithLink(t)
  const shares = await Promise.all(Array.from({ length: 20 }, () => share()))
  assert.deepEqual(await problemOf(await post(`${manage}/share`, {})), [409, 'too_many_shares'])
  assert.equal((await list()).length, 20)
  await fetch(`${manage}/shares/${shares[0]?.id}`, { method: 'DELETE' })
  await share()
})

test('a retry with the same Idempotency-Key returns the same share, and creates no second one', async (t) => {
  const { manage, list, url, link } = await startWithLink(t)
  const headers = { 'idempotency-key': 'a random key of the client' }
  const create1 = (body: object) => post(`${manage}/share`, body, headers)
  const [first, second] = await Promise.all([create1({ name: 'a' }), create1({ name: 'a' })])
  assert.deepEqual([first.status, await first.json()], [second.status, await second.json()])
  assert.equal((await list()).length, 1)
  assert.deepEqual(await problemOf(await create1({ name: 'b' })), [422, 'idempotency_key_reused'])
  assert.deepEqual(await problemOf(await post(`${manage}/share`, {}, { 'idempotency-key': 'short' })), [
    400,
    'invalid_request',
  ])
  const other = await create({ url }, { target: DESTINATION })
  const byHeader = (token: string) =>
    post(`${url}/api/manage/share`, {}, { 'idempotency-key': 'x'.repeat(20), ...bearer(token) })
  assert.equal((await byHeader(link.token)).status, 201)
  assert.deepEqual(await problemOf(await byHeader(other.token)), [422, 'idempotency_key_reused'])
})

test('a share is charged as a change, and one that is refused, or a retry, is not', async (t) => {
  const { manage, link, url } = await startWithLink(t, { LIMIT_CHANGES: '3' })
  const keyed = () => post(`${manage}/share`, {}, { 'idempotency-key': 'the key of one share' })
  assert.equal((await post(`${manage}/share`, { name: 'x'.repeat(101) })).status, 400)
  assert.equal((await keyed()).status, 201)
  assert.equal((await keyed()).status, 201)
  const byHeader = await post(`${url}/api/manage/share`, {}, bearer(link.token))
  assert.equal(byHeader.status, 201)
  assert.match(byHeader.headers.get('ratelimit') ?? '', /^"changes";r=1;t=\d+$/)
  assert.equal((await put(manage, { title: 'Menu' })).status, 200)
  assert.deepEqual(await problemOf(await post(`${manage}/share`, {})), [429, 'rate_limited'])
  assert.equal((await keyed()).status, 201)
})

test('a creation with an Idempotency-Key is charged as that of a link, a retry and one without are not', async (t) => {
  const { manage } = await startWithLink(t, { LIMIT_LINKS: '2' })
  const keyed = (key: string) => post(`${manage}/share`, {}, { 'idempotency-key': `a random key ${key}` })
  assert.equal((await keyed('one')).status, 201)
  assert.deepEqual(await problemOf(await keyed('two')), [429, 'rate_limited'])
  assert.equal((await keyed('one')).status, 201)
  assert.equal((await post(`${manage}/share`, {})).status, 201)
})

test('a paused link and one that was removed for abuse show their statistics; the latter hides where it led', async (t) => {
  const { manage, share, api, services, link } = await startWithLink(t)
  const { share_token: token, share_url: url } = await share({ destination: true })
  await put(manage, { active: false })
  const paused = (await (await api(token)).json()) as { totals: { scans: number }; destinations?: string[] }
  assert.deepEqual([paused.totals.scans, paused.destinations], [3, [DESTINATION]])
  assert.match(await (await fetch(url)).text(), /The link is paused/)

  const removal: Suspension = { at: START, reason: 'it harms', source: 'operator', expression: null }
  assert.equal((await suspend(services.db.write, [await services.links.findByToken(link.token)], removal)).size, 1)
  const removed = (await (await api(token)).json()) as typeof paused
  assert.deepEqual([removed.totals.scans, removed.destinations], [3, undefined])
  const page = await (await fetch(url)).text()
  assert.match(page, /blocked for abuse/)
  assert.doesNotMatch(page, /where-it-leads|it harms/)
})

test('the shares of a link are deleted with it', async (t) => {
  const { manage, share, api, services } = await startWithLink(t)
  const { share_token: token, share_url: url } = await share()
  assert.equal((await fetch(manage, { method: 'DELETE' })).status, 200)
  assert.deepEqual(await problemOf(await api(token)), [404, 'unknown_token'])
  assert.equal((await fetch(url)).status, 404)
  assert.deepEqual(await services.db.read.selectFrom('shares').selectAll().execute(), [])
})

interface Document {
  paths: Record<string, Record<string, object>>
}

/** Every request of the API that takes a token below a path, in its path or in a header. */
async function requestsBelow(url: string, prefix: string, token: string) {
  const { paths } = (await (await fetch(`${url}/api/openapi.json`)).json()) as Document
  return Object.entries(paths)
    .filter(([path]) => path === prefix || path.startsWith(`${prefix}/`))
    .flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => ({
        method: method.toUpperCase(),
        address: url + path.replace('{token}', token).replaceAll(/\{\w+\}/g, 'x'),
        headers: path.includes('{token}') ? {} : bearer(token),
      })),
    )
}

test("an owner's token and a share's never stand in for each other, on any route", async (t) => {
  const { url, link, share, list } = await startWithLink(t)
  const { share_token: token } = await share({ csv: true, destination: true })
  const header = { method: 'DELETE', address: `${url}/api/manage/shares/x`, headers: bearer(token) }
  const owner = [header, ...(await requestsBelow(url, '/api/manage', token))].filter(({ method }) => method !== 'POST')
  const posts = (await requestsBelow(url, '/api/manage', token)).filter(({ method }) => method === 'POST')
  const shared = await requestsBelow(url, '/api/share', link.token)
  assert.ok(owner.length >= 15 && posts.length >= 2 && shared.length === 6)
  for (const { method, address, headers } of [...owner, ...shared]) {
    const response = await fetch(address, { method, headers })
    assert.deepEqual(await problemOf(response), [404, 'unknown_token'], `${method} ${address}`)
  }
  for (const { address, headers } of posts) {
    // A request with rows of its own tokens takes none from its header.
    const response = await post(address, {}, headers)
    assert.ok([400, 404].includes(response.status), `${address}: ${response.status}`)
  }
  for (const [path, other] of [
    ['m', token],
    ['s', link.token],
  ] as const) {
    assert.equal((await fetch(`${url}/${path}/${other}`)).status, 404)
  }
  const form = new URLSearchParams({ action: 'delete', sure: 'yes' })
  assert.equal((await fetch(`${url}/m/${token}`, { method: 'POST', body: form })).status, 404)
  assert.equal((await list()).length, 1)
})

test('wrong tokens are charged like those of owners, and right ones are not', async (t) => {
  const { url, api, share } = await startWithLink(t, { LIMIT_MISSES: '3' })
  const { share_token: token } = await share({ csv: true })
  const wrong = `share_${'x'.repeat(43)}`
  assert.deepEqual(await problemOf(await api(wrong)), [404, 'unknown_token'])
  assert.deepEqual(await problemOf(await api(wrong, 'scans.csv')), [404, 'unknown_token'])
  assert.equal((await fetch(`${url}/s/${wrong}`)).status, 404)
  for (const path of ['stats', 'scans.csv'])
    assert.deepEqual(await problemOf(await api(wrong, path)), [429, 'rate_limited'])
  assert.equal((await fetch(`${url}/s/${wrong}`)).status, 429)
  assert.equal((await fetch(`${url}/api/share/stats`)).status, 429)
  assert.equal((await api(token)).status, 200)
})

test('no alias can be the first word of the page, and a link that has it goes on', async (t) => {
  const { url, services } = await startWithLink(t)
  const response = await post(`${url}/api/links`, { target: DESTINATION, alias: 'S' })
  assert.deepEqual(await problemOf(response), [409, 'alias_reserved'])
  const link = { ...newLink('s'), payload: {}, rules: [], password: null, target: DESTINATION }
  assert.equal(await insertLink(services.db, link), true)
  for (const address of [`${url}/s`, `${url}/s?qr=1`]) assert.equal((await visit(address)).status, 302, address)
  assert.equal((await fetch(`${url}/s/qr.png`)).status, 200)
})

test('the examples of the guide', async (t) => {
  if (!requireProgram(t, 'curl', 'curl')) return
  const server = await startWithLink(t)
  const { run, shown } = examplesOf('Shares')
  const at = { url: server.url, token: server.link.token }
  const created = (await run(0, at)) as Created
  const [example, listed] = shown as [Created, { shares: Share[] }]
  const variable = (text: unknown) =>
    JSON.parse(JSON.stringify(text).replaceAll(server.url, 'http://localhost:3000')) as object
  const { share_url: u1, share_token: t1, id, ...rest } = example
  assert.deepEqual(variable({ ...created, share_url: u1, share_token: t1, id }), {
    share_url: u1,
    share_token: t1,
    id,
    ...rest,
  })
  assert.deepEqual(await run(1, at), { shares: listed.shares.map((each) => ({ ...each, id: created.id })) })
  Object.assign(process.env, { S: created.share_token, ID: created.id })
  const stats = (await run(2, at)) as { days: number; totals: { scans: number } }
  assert.deepEqual([stats.days, stats.totals.scans], [7, 3])
  assert.deepEqual(await run(3, at), { deleted: true, id: created.id })
})

test('the statistics and the page of a share have the answers of rules', async (t) => {
  const { manage, link, share, api } = await startWithLink(t)
  assert.equal((await put(manage, { rules: RULES })).status, 200)
  await visit(link.short_url, { 'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0' })
  const { share_token: token, share_url: address } = await share()
  const stats = (await (await api(token)).json()) as { breakdowns: { answer: { value: string; scans: number }[] } }
  const answers = stats.breakdowns.answer.map(({ value, scans }) => [value, scans])
  assert.deepEqual(answers, [
    ['link', 3],
    ['1', 1],
  ])
  assert.deepEqual(stats, await (await fetch(`${manage}/stats`)).json())
  const page = await (await fetch(address)).text()
  for (const text of ['Rules', 'No rule: the destination', 'Rule 1']) assert.ok(page.includes(text), text)
})

test('shares stay when the token of their link is rotated; the new token revokes them', async (t) => {
  const { manage, url, share, api } = await startWithLink(t)
  const { share_token: token, id } = await share()
  const { token: next } = (await (await fetch(`${manage}/rotate`, { method: 'POST' })).json()) as { token: string }
  const shares = await (await fetch(`${url}/api/manage/${next}/shares`)).json()
  assert.deepEqual(
    (shares as { shares: Share[] }).shares.map((each) => each.id),
    [id],
  )
  assert.equal((await api(token)).status, 200)
  assert.deepEqual(await problemOf(await post(`${manage}/share`, {})), [404, 'unknown_token'])
  assert.equal((await fetch(`${url}/api/manage/${next}/shares/${id}`, { method: 'DELETE' })).status, 200)
  assert.deepEqual(await problemOf(await api(token)), [404, 'unknown_token'])
})
