import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { examplesOf } from './support/guide.ts'
import { requireProgram } from './support/programs.ts'
import { oneOf, seededRandom } from './support/random.ts'
import { create, post, startServer, visit, type Created, type TestServer } from './support/server.ts'

interface Counts {
  totals: Record<string, number>
  unique_visitors: number
  series: { date: string; scans: number; unique_visitors: number }[]
}
type Row = { index: number } & (
  | (Counts & { code: string })
  | { error: { code: string; detail: string; errors: object[] } }
)
interface ManyStats {
  days: number
  from: string
  to: string
  timezone: string
  audience: string
  links: Row[]
  total: Counts & { links: number }
}

const DAY = 86_400_000
const END = Date.UTC(2026, 10, 21, 22, 30)
const agents = [
  'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1',
  'Googlebot/2.1',
  '',
]

async function createMany(server: Pick<TestServer, 'url'>, count: number): Promise<Created[]> {
  const rows = Array.from({ length: count }, () => ({ target: 'https://example.com/' }))
  const response = await post(`${server.url}/api/bulk`, rows)
  return ((await response.json()) as { results: Created[] }).results
}

async function statsOf(server: Pick<TestServer, 'url'>, body: object): Promise<ManyStats> {
  const response = await post(`${server.url}/api/stats`, body)
  const text = await response.text()
  assert.equal(response.status, 200, text)
  return JSON.parse(text) as ManyStats
}

const problemOf = async (response: Response) => [response.status, ((await response.json()) as { code: string }).code]

async function singleStats({ url }: Pick<TestServer, 'url'>, token: string, query: Record<string, string>) {
  const response = await fetch(`${url}/api/manage/${token}/stats?${new URLSearchParams(query).toString()}`)
  return (await response.json()) as Counts & ManyStats & { code: string }
}

/** What a row must be, according to the statistics of one link. */
async function compare(server: TestServer, links: Created[], query: { days?: number; tz?: string; audience?: string }) {
  const many = await statsOf(server, { tokens: links.map(({ token }) => token), ...query })
  const parameters = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]))
  const sums = new Map<string, number>()
  const add = (name: string, value: number) => sums.set(name, (sums.get(name) ?? 0) + value)
  for (const [index, link] of links.entries()) {
    const {
      code,
      totals,
      unique_visitors: visitors,
      series,
      ...single
    } = await singleStats(server, link.token, parameters)
    assert.deepEqual(many.links[index], { index, code, totals, unique_visitors: visitors, series })
    const { days, from, to, timezone, audience } = single
    assert.deepEqual(
      [many.days, many.from, many.to, many.timezone, many.audience],
      [days, from, to, timezone, audience],
    )
    for (const [name, value] of Object.entries(totals)) add(name, value)
    for (const day of series) {
      add(`${day.date} scans`, day.scans)
      add(`${day.date} visitors`, day.unique_visitors)
    }
  }
  const { total } = many
  assert.equal(total.links, links.length)
  for (const [name, value] of Object.entries(total.totals)) assert.equal(value, sums.get(name), name)
  assert.equal(total.unique_visitors, total.totals['unique_visitors'])
  for (const day of total.series) {
    assert.deepEqual(
      [day.scans, day.unique_visitors],
      [sums.get(`${day.date} scans`), sums.get(`${day.date} visitors`)],
    )
  }
  return many
}

test('the statistics of 500 links are those of 500 single requests, and their sum', async (t) => {
  const random = seededRandom(t)
  let now = END - 40 * DAY
  const server = await startServer(t, {}, () => now)
  const links = await createMany(server, 500)
  // Over several months' ends, at any time of the day; most links have no scan.
  while (now < END) {
    const { short_url: url } = oneOf(random, links.slice(0, 60))
    await visit(url + oneOf(random, ['', '?qr=1']), { 'user-agent': oneOf(random, agents) })
    now += Math.floor(random() * 0.1 * DAY)
  }
  now = END
  const many = await compare(server, links, {})
  assert.ok((many.total.totals['scans'] ?? 0) > 100)
  const some = links.slice(0, 70)
  await compare(server, some, { days: 365, tz: 'Asia/Kolkata' })
  await compare(server, some, { days: 45, tz: 'America/St_Johns', audience: 'human' })
  await compare(server, some, { days: 2, audience: 'bot', tz: 'Europe/Berlin' })
  await compare(server, links.slice(0, 1), { days: 1, tz: 'Pacific/Kiritimati' })
})

async function startWithLinks(t: TestContext, count: number, env: Record<string, string> = {}) {
  const server = await startServer(t, env, () => END)
  return { ...server, links: await createMany(server, count) }
}

const wrong = 'x'.repeat(43)

test('a wrong token is the error of its row, a repeated one counts once, and no token is in the response', async (t) => {
  const server = await startWithLinks(t, 2)
  const [a, b] = server.links as [Created, Created]
  for (const { short_url: url } of [a, a, b]) await visit(url)
  const share = (await (await post(`${server.url}/api/manage/${b.token}/share`, {})).json()) as { share_token: string }
  const tokens = [a.token, wrong, b.token, a.token, '', share.share_token, 'a\u0000b\ud800', b.code]
  const response = await post(`${server.url}/api/stats`, { tokens, days: 1 })
  assert.deepEqual(
    ['content-type', 'cache-control'].map((name) => response.headers.get(name)),
    ['application/json; charset=utf-8', 'no-store'],
  )
  const text = await response.text()
  const { links, total } = JSON.parse(text) as ManyStats
  assert.deepEqual(
    links.map((row) => ('error' in row ? row.error.code : row.totals['scans'])),
    [2, 'unknown_token', 1, 2, ...Array.from({ length: 4 }, () => 'unknown_token')],
  )
  assert.deepEqual(
    links.map(({ index }) => index),
    tokens.map((_, index) => index),
  )
  const [, row] = links
  assert.ok(row && 'error' in row)
  assert.deepEqual(Object.keys(row.error), ['code', 'detail', 'errors'])
  assert.deepEqual([total.links, total.totals['scans']], [2, 3])
  for (const token of [a.token, b.token, wrong, share.share_token]) assert.ok(!text.includes(token))
})

test('a request without any right token has a total of zero', async (t) => {
  const server = await startServer(t)
  const { links, total } = await statsOf(server, { tokens: [wrong], days: 2 })
  assert.equal(links.length, 1)
  assert.deepEqual([total.links, total.totals['scans'], total.series.map(({ scans }) => scans)], [0, 0, [0, 0]])
})

test('each wrong token is charged; once the quota is used up, no further one is looked up', async (t) => {
  const server = await startWithLinks(t, 2, { LIMIT_MISSES: '3' })
  const [a, b] = server.links.map(({ token }) => token) as [string, string]
  const codesOf = async (tokens: string[]) =>
    (await statsOf(server, { tokens, days: 1 })).links.map((row) => ('error' in row ? row.error.code : 'ok'))
  assert.deepEqual(await codesOf([a, wrong, wrong, b]), ['ok', 'unknown_token', 'unknown_token', 'ok'])
  const all = [a, wrong, wrong, ...Array.from({ length: 300 }, () => b)]
  assert.deepEqual(await codesOf(all), ['ok', 'unknown_token', ...Array.from({ length: 301 }, () => 'rate_limited')])
  assert.equal((await fetch(`${server.url}/api/manage/${wrong}`)).status, 429)
  assert.deepEqual(await codesOf([a, b]), ['ok', 'ok'])
})

test('the statistics have the scans of visits that were just answered', async (t) => {
  const server = await startServer(t)
  const link = await create(server, { target: 'https://example.com/' })
  for (let count = 1; count <= 5; count++) {
    await visit(link.short_url)
    assert.equal((await statsOf(server, { tokens: [link.token] })).total.totals['scans'], count)
  }
})

test('hostile bodies get a 400 that names the field, before any token is looked up', async (t) => {
  const server = await startServer(t, { LIMIT_MISSES: '1' })
  const refused = async (body: string, code = 'invalid_request', pointer?: string) => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${server.url}/api/stats`, { method: 'POST', body, headers })
    const problem = (await response.json()) as { code: string; errors?: { pointer: string }[] }
    assert.deepEqual([response.status, problem.code], [400, code], body.slice(0, 100))
    if (pointer !== undefined) assert.equal(problem.errors?.[0]?.pointer, pointer, body.slice(0, 100))
  }
  for (const body of ['null', '[]', '1', '"x"', 'true']) await refused(body)
  await refused('{}', 'invalid_request', '/tokens')
  for (const json of ['null', '"x"', '{}', '5', '[]', 'true'])
    await refused(`{"tokens":${json}}`, 'invalid_request', '/tokens')
  for (const json of ['null', '5', '{}', '[]', 'true', '1e400'])
    await refused(`{"tokens":["${wrong}",${json}]}`, 'invalid_request', '/tokens/1')
  const tokens = `"tokens":["${wrong}"]`
  for (const json of ['0', '-1', '366', '1.5', '"30"', 'null', '1e400', '[]'])
    await refused(`{${tokens},"days":${json}}`, 'invalid_request', '/days')
  for (const json of ['"Nowhere"', '5', 'null', `"${'x'.repeat(65)}"`, '""', '"UTC\\u0000"'])
    await refused(`{${tokens},"tz":${json}}`, 'invalid_request', '/tz')
  for (const json of ['"dogs"', 'null', '["all"]', '"ALL"'])
    await refused(`{${tokens},"audience":${json}}`, 'invalid_request', '/audience')
  const many = (count: number) => `"tokens":${JSON.stringify(Array.from({ length: count }, () => wrong))}`
  await refused(`{${many(501)}}`, 'invalid_request', '/tokens')
  await refused(`{${many(500)},"days":81}`, 'invalid_request', '/days')
  await refused(`{${many(110)},"days":365}`, 'invalid_request', '/days')
  for (const body of ['{', `{${tokens},${tokens}}`, '{"tokens":[}']) await refused(body, 'malformed_json')
  const large = JSON.stringify({ tokens: ['x'.repeat(65 * 1024)] })
  assert.deepEqual(await problemOf(await post(`${server.url}/api/stats`, large)), [413, 'body_too_large'])
  assert.equal((await fetch(`${server.url}/api/stats`)).status, 405)
  assert.equal((await fetch(`${server.url}/api/manage/${wrong}`)).status, 404)
})

test('the largest response is complete, and a client that goes away leaves no slot taken', async (t) => {
  const server = await startWithLinks(t, 500)
  const body = { tokens: server.links.map(({ token }) => token), days: 80 }
  const { links, total } = await statsOf(server, body)
  assert.deepEqual([links.length, total.links, total.series.length], [500, 500, 80])
  // More than a client may have in progress.
  for (let request = 0; request < 20; request++) {
    const response = await post(`${server.url}/api/stats`, body)
    assert.equal(response.status, 200)
    await response.body?.cancel()
  }
  assert.equal((await statsOf(server, body)).links.length, 500)
})

test('the example of the guide', async (t) => {
  if (!requireProgram(t, 'curl', 'curl')) return
  const server = await startServer(t, {}, () => END)
  const a = await create(server, { target: 'https://example.com/menu', alias: 'menu' })
  const b = await create(server, { target: 'https://example.com/card', alias: 'card' })
  await visit(`${a.short_url}?qr=1`, { 'user-agent': agents[0] ?? '' })
  await visit(b.short_url, { 'user-agent': agents[0] ?? '' })
  Object.assign(process.env, { T2: b.token })
  const { run, shown } = examplesOf('Statistics of many links')
  assert.deepEqual([await run(0, { url: server.url, token: a.token })], shown)
})

test('a rotated token reads statistics for an hour, or until the new one is used, be it here', async (t) => {
  const clock = { now: END }
  const server = await startServer(t, {}, () => clock.now)
  const [used, unused] = await createMany(server, 2)
  assert.ok(used !== undefined && unused !== undefined)
  const rotate = async ({ token }: Created) => {
    const response = await fetch(`${server.url}/api/manage/${token}/rotate`, { method: 'POST' })
    return ((await response.json()) as { token: string }).token
  }
  const [next] = [await rotate(used), await rotate(unused)]
  const read = async (...tokens: string[]) =>
    (await statsOf(server, { tokens })).links.map((row) => ('error' in row ? row.error.code : row.code))
  assert.deepEqual(await read(used.token, unused.token), [used.code, unused.code])
  assert.deepEqual(await read(next), [used.code])
  assert.deepEqual(await read(used.token, unused.token, next), ['unknown_token', unused.code, used.code])
  clock.now += 60 * 60 * 1000
  assert.deepEqual(await read(unused.token, next), ['unknown_token', used.code])
})
