import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { create, startServer, visit } from './support/server.ts'
import { refusalOf, statsClient } from './support/stats-client.ts'

const DAY = 86_400_000
const NOW = Date.UTC(2026, 10, 21, 12)
const iPhone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1'
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'

interface Stats {
  totals: { scans: number; unique_visitors: number; humans: number; bots: number; qr: number; link: number }
  series: { date: string; scans: number }[]
  heat?: number[][]
  breakdowns: Record<string, { value: string | null; scans: number }[]>
  previous?: { totals: { scans: number } }
  compared?: { totals: { scans: number } }
  raw_missing: number
}

/** A service with a link that was scanned with two devices, by ways and from sites that differ, on two days. */
async function startWithLink(t: TestContext, env: Record<string, string> = {}) {
  const clock = { now: NOW - 2 * DAY }
  const server = await startServer(t, env, () => clock.now)
  const placements = [{ id: 'door', name: 'The door' }]
  const link = await create(server, { target: 'https://example.com/', placements })
  await visit(`${link.short_url}?qr=door`, { 'user-agent': iPhone })
  clock.now = NOW
  await visit(`${link.short_url}?qr=door`, { 'user-agent': iPhone })
  await visit(`${link.short_url}?qr=1`, { 'user-agent': iPhone, referer: 'https://a.example/x' })
  await visit(link.short_url, { 'user-agent': firefox, referer: 'https://a.example/' })
  await visit(link.short_url, { 'user-agent': firefox, referer: 'https://b.example/' })
  await visit(link.short_url, { 'user-agent': 'curl/8' })
  const manage = `${server.url}/api/manage/${link.token}`
  return {
    ...server,
    clock,
    link,
    manage,
    ...statsClient<Stats>(server, link),
  }
}

test('a filter counts the scans with one of its values, and several filters those that fit all', async (t) => {
  const { stats } = await startWithLink(t)
  const scans = async (query: string) => (await stats(query)).totals.scans
  for (const [query, count] of [
    ['', 6],
    ['device=mobile', 3],
    ['device=mobile&device=desktop', 5],
    ['device=mobile&source=link', 0],
    ['browser=Firefox&referrer=a.example', 1],
    ['referrer=a.example&referrer=b.example', 3],
    ['referrer=direct&source=qr', 2],
    ['placement=door', 2],
    ['placement=window', 0],
    ['placement=~', 4],
    ['placement=door&placement=~', 6],
    ['answer=link', 6],
    ['answer=1', 0],
    ['country=~', 6],
    ['country=DE', 0],
    ['os=iOS&audience=bot', 0],
    ['days=1&placement=door', 1],
  ] as const)
    assert.equal(await scans(query), count, query)
})

test('whatever statistics count, they count of the scans that fit', async (t) => {
  const { stats, manage } = await startWithLink(t)
  const filtered = await stats('days=2&device=mobile&previous=true&compare=previous&heat=true')
  // Two nodes that are hurried into another day may both take a visitor for new.
  const lines = (await (await fetch(`${manage}/scans.ndjson`)).text()).trimEnd().split('\n')
  const scans = lines.map((line) => JSON.parse(line) as { scanned_at: string; device: string; unique: boolean })
  const isFirst = (scan: (typeof scans)[number]) => scan.unique && scan.device === 'mobile'
  const visitors = scans.filter((scan) => isFirst(scan) && scan.scanned_at.startsWith('2026-11-21')).length
  assert.deepEqual(filtered.totals, { scans: 2, unique_visitors: visitors, humans: 2, bots: 0, qr: 2, link: 0 })
  assert.deepEqual(
    filtered.series.map(({ scans }) => scans),
    [0, 2],
  )
  assert.equal(
    filtered.heat?.flat().reduce((sum, each) => sum + each, 0),
    2,
  )
  assert.deepEqual([filtered.previous?.totals.scans, filtered.compared?.totals.scans], [0, 0])
  assert.equal(filtered.raw_missing, 0)
  const values = (name: string) => filtered.breakdowns[name]?.map(({ value, scans }) => [value, scans])
  assert.deepEqual(values('source'), [
    ['qr', 2],
    ['link', 0],
  ])
  assert.deepEqual(values('referrer'), [
    ['a.example', 1],
    ['direct', 1],
  ])
  assert.deepEqual(values('placement'), [
    ['door', 1],
    [null, 1],
  ])
  assert.equal((await stats('from=2026-11-20&to=2026-11-20&device=mobile&previous=true')).previous?.totals.scans, 1)
})

test('what is visited or deleted between two questions is in the second, or gone', async (t) => {
  const { stats, link, manage, clock } = await startWithLink(t)
  assert.equal((await stats('device=mobile')).totals.scans, 3)
  await visit(link.short_url, { 'user-agent': iPhone })
  assert.equal((await stats('device=mobile')).totals.scans, 4)
  clock.now += DAY
  await visit(link.short_url, { 'user-agent': iPhone })
  assert.equal((await stats('device=mobile')).totals.scans, 5)
  await fetch(manage, { method: 'DELETE' })
  assert.equal((await fetch(`${manage}/stats?device=mobile`)).status, 404)
})

test('the statistics of many links have the same filters', async (t) => {
  const server = await startWithLink(t)
  const other = await create(server, { target: 'https://example.com/2' })
  await visit(other.short_url, { 'user-agent': iPhone })
  const body = {
    tokens: [server.link.token, other.token],
    device: ['mobile'],
    source: ['qr', 'link'],
    compare: 'previous',
  }
  const many = (await (await server.ofMany(body)).json()) as { links: Stats[]; total: Stats }
  const single = await server.stats('device=mobile&source=qr&source=link&compare=previous')
  assert.deepEqual(many.links[0]?.totals, single.totals)
  assert.deepEqual(many.links[0]?.series, single.series)
  assert.partialDeepStrictEqual(single.compared, many.links[0]?.compared)
  assert.deepEqual([many.links[1]?.totals.scans, many.total.totals.scans], [1, 4])
})

test('each filter that cannot be gets 400 that names it and its bound', async (t) => {
  const { refusal, ofMany } = await startWithLink(t)
  const refusals: [name: string, values: string[], error: string][] = [
    ['country', ['(other)'], '/country/0 must not be (other), which stands for many values; ~ is unknown'],
    ['referrer', ['direct', '(other)'], '/referrer/1 must not be (other), which stands for many values; ~ is unknown'],
    ['source', ['~'], '/source/0 must be qr or link'],
    ['answer', ['21'], '/answer/0 must be the number of a rule, 1 to 20, or link'],
    ['placement', ['no id'], '/placement/0 must be the id of a placement, or ~ for visits without one'],
    ['device', [''], '/device/0 must not be empty'],
    ['city', ['x'.repeat(301)], '/city/0 must be at most 300 characters long'],
    ['os', Array.from({ length: 21 }, (_, at) => `os ${at}`), '/os must hold at most 20 items'],
  ]
  for (const [name, values, error] of refusals) {
    const query = new URLSearchParams(values.map((value) => [name, value])).toString()
    assert.deepEqual(await refusal(query), [400, 'invalid_request', error])
    assert.deepEqual(await refusalOf(await ofMany({ [name]: values })), [400, 'invalid_request', error])
  }
})

test('a window with filters that reaches before SCAN_RETENTION is refused, and names what does', async (t) => {
  const { stats, refusal, ofMany } = await startWithLink(t, { SCAN_RETENTION: '10d' })
  const detail = 'must not reach before 2026-11-12: filters count single scans, which are not stored any longer'
  const refused = (name: string) => [400, 'beyond_retention', `/${name} ${detail}`]
  assert.equal((await stats('days=30')).totals.scans, 6)
  assert.equal((await stats('days=10&device=mobile')).totals.scans, 3)
  assert.deepEqual(await refusal('device=mobile'), refused('days'))
  assert.deepEqual(await refusal('days=11&device=mobile'), refused('days'))
  assert.deepEqual(await refusal('from=2026-11-11&device=mobile'), refused('from'))
  assert.deepEqual(await refusal('days=6&previous=true&device=mobile'), refused('previous'))
  assert.deepEqual(await refusal('days=6&compare=year&device=mobile'), refused('compare'))
  assert.deepEqual(await refusalOf(await ofMany({ days: 11, device: ['mobile'] })), refused('days'))
})

test('a share has the filter by placement, and the others only with the single scans', async (t) => {
  const { url, stats, share } = await startWithLink(t)
  const [bare, full] = [await share({}), await share({ csv: true })]
  const api = (token: string, query: string) => fetch(`${url}/api/share/${token}/stats?${query}`)
  assert.deepEqual(await (await api(bare, 'placement=door')).json(), await stats('placement=door'))
  for (const name of ['device', 'os', 'browser', 'country', 'city', 'referrer', 'source', 'answer']) {
    const query = `${name}=${name === 'source' || name === 'answer' ? 'link' : '~'}`
    assert.deepEqual(await (await api(full, query)).json(), await stats(query))
    const error = `/${name} needs a share that includes the single scans`
    assert.deepEqual(await refusalOf(await api(bare, `${query}&placement=door`)), [403, 'forbidden', error])
  }
})
