import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { parse } from 'csv-parse/sync'
import ipaddr from 'ipaddr.js'
import { journalsIn } from '../src/scans/journal/journal-files.ts'
import { temporaryFolder, undoLater } from './support/cleanup.ts'
import { filesBelow } from './support/files.ts'
import { linkIdOf } from './support/link-id.ts'
import { poll } from './support/poll.ts'
import {
  create,
  put,
  runFor,
  skipUnlessSqlite,
  skipUnlessOneNode,
  startServer,
  visit,
  type Created,
  type TestServer,
} from './support/server.ts'

const EXAMPLE = 'https://example.com/'
const DAY = 86_400_000

const agents = {
  iphone:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
  windows:
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  crawler: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
}

/** The service with the bundled places behind a proxy on loopback, so that a visit can come from any address. */
function startBehindProxy(t: TestContext, now?: () => number): Promise<TestServer> {
  const env = { TRUST_PROXY: '127.0.0.0/8', BASE_URL: 'https://qr.bakery.shop', GEOIP_DB: 'bundled' }
  return startServer(t, env, now)
}

function from(address: string, more: Record<string, string> = {}): Record<string, string> {
  return { 'x-forwarded-for': address, 'user-agent': agents.windows, ...more }
}

interface Stats {
  totals: Record<string, number>
  unique_visitors: number
  series: { date: string; scans: number; unique_visitors: number }[]
  breakdowns: Record<
    string,
    { value: string | null; scans: number; unique_visitors: number; country?: string | null }[]
  >
  [key: string]: unknown
}

const owner = (server: TestServer, link: Created, path: string) =>
  fetch(`${server.url}/api/manage/${link.token}${path}`)
const stats = async (server: TestServer, link: Created, query = '') =>
  (await (await owner(server, link, `/stats${query}`)).json()) as Stats
const csv = async (server: TestServer, link: Created) => {
  const text = await (await owner(server, link, '/scans.csv')).text()
  const [header, ...lines] = text.split('\r\n')
  assert.equal(lines.pop(), '')
  return { header, rows: parse(lines.join('\n')) }
}
const metric = async (server: TestServer, name: string) => {
  const text = await (await fetch(`${server.url}/metrics`)).text()
  return Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1])
}
const go = (server: TestServer, link: Created, headers: Record<string, string>, query = '') =>
  visit(`${server.url}/${link.code}${query}`, headers)

/** Of several nodes, another may fold the next visit first, and the first that is folded is the unique one. */
async function goAndFold(...args: Parameters<typeof go>): Promise<void> {
  const [server] = args
  await go(...args)
  await server.services.scans.awaitFold()
}

test('statistics, export and totals have the values derived from a visit', async (t) => {
  const now = Date.UTC(2026, 10, 20, 12, 30, 15, 123)
  const server = await startBehindProxy(t, () => now)
  const link = await create(server, { target: EXAMPLE })
  await goAndFold(
    server,
    link,
    from('8.8.8.8', { 'user-agent': agents.iphone, referer: 'https://www.news.example.com/article?id=1' }),
    '?qr=1',
  )
  await goAndFold(server, link, from('8.8.8.8', { 'user-agent': agents.iphone }))
  await goAndFold(server, link, from('1.1.1.1', { 'user-agent': agents.crawler }))
  assert.deepEqual(await csv(server, link), {
    header: 'scanned_at,source,device,os,browser,country,city,referrer,unique,bot,answer,placement',
    rows: [
      [
        '2026-11-20T12:30:15.123Z',
        'qr',
        'mobile',
        'iOS',
        'Safari',
        'US',
        'Mountain View, CA',
        'news.example.com',
        'true',
        'false',
        'link',
        '',
      ],
      [
        '2026-11-20T12:30:15.123Z',
        'link',
        'mobile',
        'iOS',
        'Safari',
        'US',
        'Mountain View, CA',
        'direct',
        'false',
        'false',
        'link',
        '',
      ],
      ['2026-11-20T12:30:15.123Z', 'link', '', '', '', 'AU', 'Sydney, NSW', 'direct', 'true', 'true', 'link', ''],
    ],
  })
  const all = await stats(server, link)
  assert.equal(all['code'], link.code)
  assert.deepEqual(
    [all['days'], all['from'], all['to'], all['timezone'], all['audience']],
    [30, '2026-10-22', '2026-11-20', 'UTC', 'all'],
  )
  assert.deepEqual(all.totals, { scans: 3, unique_visitors: 2, humans: 2, bots: 1, qr: 1, link: 2 })
  assert.equal(all.unique_visitors, 2)
  assert.equal(all.series.length, 30)
  assert.deepEqual(all.series.at(-1), { date: '2026-11-20', scans: 3, unique_visitors: 2 })
  assert.deepEqual(all.series[0], { date: '2026-10-22', scans: 0, unique_visitors: 0 })
  assert.deepEqual(all.breakdowns['device'], [
    { value: 'mobile', scans: 2, unique_visitors: 1 },
    { value: null, scans: 1, unique_visitors: 1 },
  ])
  assert.deepEqual(all.breakdowns['country'], [
    { value: 'US', scans: 2, unique_visitors: 1 },
    { value: 'AU', scans: 1, unique_visitors: 1 },
  ])
  assert.deepEqual(all.breakdowns['city'], [
    { value: 'Mountain View, CA', country: 'US', scans: 2, unique_visitors: 1 },
    { value: 'Sydney, NSW', country: 'AU', scans: 1, unique_visitors: 1 },
  ])
  assert.deepEqual(all.breakdowns['source'], [
    { value: 'qr', scans: 1, unique_visitors: 1 },
    { value: 'link', scans: 2, unique_visitors: 1 },
  ])
  const humans = await stats(server, link, '?audience=human&days=1')
  assert.deepEqual(humans.totals, { scans: 2, unique_visitors: 1, humans: 2, bots: 0, qr: 1, link: 1 })
  assert.deepEqual(humans.breakdowns['country'], [{ value: 'US', scans: 2, unique_visitors: 1 }])
  const details = (await (await owner(server, link, '')).json()) as { totals: unknown }
  assert.deepEqual(details.totals, {
    scans: 3,
    humans: 2,
    bots: 1,
    unique_visitors: 2,
    qr: 1,
    link: 2,
    last_scan_at: '2026-11-20T12:30:15.123Z',
  })
})

test('statistics of a day have its hours, and on request the totals of the day before', async (t) => {
  const clock = { now: Date.UTC(2026, 10, 19, 12, 30) }
  const server = await startBehindProxy(t, () => clock.now)
  const link = await create(server, { target: EXAMPLE })
  await goAndFold(server, link, from('8.8.8.8'), '?qr=1')
  clock.now += 3 * 3_600_000
  await go(server, link, from('8.8.8.8'))
  clock.now = Date.UTC(2026, 10, 20, 12, 50)
  await go(server, link, from('8.8.8.8'))
  await go(server, link, from('1.1.1.1', { 'user-agent': agents.crawler }))
  const day = await stats(server, link, '?days=1&audience=human&tz=Asia/Kolkata&previous=true')
  assert.deepEqual(day['by_audience'], {
    humans: { scans: 1, unique_visitors: 1 },
    bots: { scans: 1, unique_visitors: 1 },
  })
  const hours = day['hours'] as { at: string; scans: number; unique_visitors: number }[]
  assert.equal(hours.length, 24)
  assert.deepEqual(
    hours.filter(({ scans }) => scans > 0),
    [{ at: '2026-11-20T18:00:00+05:30', scans: 1, unique_visitors: 1 }],
  )
  // The later scan of the day before came after this time of day.
  assert.deepEqual(day['previous'], {
    from: '2026-11-19',
    until: '2026-11-19T18:15:00+05:30',
    totals: { scans: 1, unique_visitors: 1, humans: 1, bots: 0, qr: 1, link: 0 },
    unique_visitors: 1,
    by_audience: { humans: { scans: 1, unique_visitors: 1 }, bots: { scans: 0, unique_visitors: 0 } },
  })
  const week = await stats(server, link, '?days=7')
  assert.deepEqual([week['hours'], week['previous']], [undefined, undefined])
  assert.equal((await owner(server, link, '/stats?previous=maybe')).status, 400)
})

test('only a GET of a live code is a scan', async (t) => {
  const server = await startBehindProxy(t)
  const link = await create(server, { kind: 'vcard', org: 'ACME' })
  const other = await create(server, { target: EXAMPLE })
  for (const url of [`/${link.code}.vcf`, `/${link.code}+`, `/${link.code}/qr.png`]) await visit(server.url + url)
  for (const { code } of [link, other]) await fetch(`${server.url}/${code}`, { method: 'HEAD', redirect: 'manual' })
  await put(`${server.url}/api/manage/${other.token}`, { active: false })
  await go(server, other, from('8.8.8.8'))
  assert.equal((await stats(server, link)).totals['scans'], 0)
  assert.equal((await stats(server, other)).totals['scans'], 0)
  await go(server, link, from('8.8.8.8'))
  await go(server, link, from('8.8.8.8', { accept: 'text/vcard' }))
  assert.equal((await stats(server, link)).totals['scans'], 2)
})

test('a visitor counts once per link and UTC day, and a bot or a prefetch never counts instead', async (t) => {
  let now = Date.UTC(2026, 10, 20, 22)
  const server = await startBehindProxy(t, () => now)
  const [link, other] = [await create(server, { target: EXAMPLE }), await create(server, { target: EXAMPLE })]
  const next = (headers: Record<string, string>) => {
    now++
    return goAndFold(server, link, headers)
  }
  await next(from('8.8.8.8', { 'sec-purpose': 'prefetch' }))
  await next(from('8.8.8.8'))
  await next(from('8.8.8.8'))
  await next(from('8.8.8.8', { 'user-agent': agents.iphone }))
  await goAndFold(server, other, from('8.8.8.8'))
  // Two addresses of one /64, and an IPv4 address mapped to IPv6.
  await next(from('2001:4860:1:2::1'))
  await next(from('2001:4860:1:2:ffff::9'))
  await next(from('::ffff:8.8.8.8'))
  assert.deepEqual(
    (await csv(server, link)).rows.map((row) => row.slice(-4, -2).join()),
    ['true,true', 'true,false', 'false,false', 'true,false', 'true,false', 'false,false', 'false,false'],
  )
  assert.deepEqual(
    (await csv(server, other)).rows.map((row) => row.at(-4)),
    ['true'],
  )
  now += 3 * 60 * 60 * 1000
  await go(server, link, from('8.8.8.8'))
  const { totals, series } = await stats(server, link)
  assert.equal(totals['unique_visitors'], 5)
  assert.deepEqual(
    series.slice(-2).map((day) => day.unique_visitors),
    [4, 1],
  )
})

test('a visit that opts out of tracking counts, without a visitor key, a city or a referrer', async (t) => {
  const server = await startBehindProxy(t)
  const link = await create(server, { target: EXAMPLE })
  for (const wish of [{ 'sec-gpc': '1' }, { dnt: '1' }])
    await go(server, link, from('8.8.8.8', { ...wish, referer: 'https://news.example.com/' }))
  const { totals, breakdowns } = await stats(server, link)
  assert.deepEqual([totals['scans'], totals['unique_visitors']], [2, 0])
  assert.deepEqual(breakdowns['referrer'], [{ value: null, scans: 2, unique_visitors: 0 }])
})

test('a country header is used from a trusted proxy, and ignored from anyone else', async (t) => {
  const env = { GEO_HEADERS: 'cloudflare' }
  const trusting = await startServer(t, { ...env, TRUST_PROXY: '127.0.0.1' })
  const wary = await startServer(t, env)
  for (const [server, country] of [
    [trusting, 'NZ'],
    [wary, null],
  ] as const) {
    const link = await create(server, { target: EXAMPLE })
    await go(server, link, { 'cf-ipcountry': 'NZ' })
    await go(server, link, { 'cf-ipcountry': '=1+1' })
    const values = (await stats(server, link)).breakdowns['country']?.map(({ value }) => value)
    assert.deepEqual(values, country === null ? [null] : [country, null])
  }
})

test('the time zone changes only the boundaries of days', async (t) => {
  let now = Date.UTC(2026, 9, 20)
  const server = await startBehindProxy(t, () => now)
  const link = await create(server, { target: EXAMPLE })
  const times = Array.from(
    { length: 60 },
    (_, at) => Date.UTC(2026, 9, 20) + at * 12 * 60 * 60 * 1000 + at * 60_000 * 17,
  )
  for (now of times) await go(server, link, from('8.8.8.8'))
  now = Date.UTC(2026, 10, 20, 12)
  for (const zone of [
    'UTC',
    'Europe/Berlin',
    'Asia/Kolkata',
    'Asia/Kathmandu',
    'America/St_Johns',
    'Pacific/Kiritimati',
    'America/New_York',
  ]) {
    const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone })
    const scansByDate = Map.groupBy(times, (time) => format.format(time))
    for (const days of [1, 2, 20, 32, 365]) {
      const { series, totals, breakdowns, to, timezone } = await stats(
        server,
        link,
        `?days=${days}&tz=${encodeURIComponent(zone)}`,
      )
      assert.deepEqual([to, timezone, series.length], [format.format(now), zone, days])
      for (const { date, scans } of series) assert.equal(scans, scansByDate.get(date)?.length ?? 0, `${zone} ${date}`)
      const inWindow = series.reduce((sum, day) => sum + day.scans, 0)
      assert.equal(totals['scans'], inWindow)
      assert.equal(breakdowns['os']?.reduce((sum, row) => sum + row.scans, 0) ?? 0, inWindow, `${zone} ${days}`)
    }
  }
})

test('the parameters of the statistics have bounds', async (t) => {
  const server = await startServer(t)
  const link = await create(server, { target: EXAMPLE })
  for (const query of [
    'days=0',
    'days=366',
    'days=x',
    'days=1.5',
    'tz=Mars/Olympus',
    'tz=',
    'tz=%2B01:00',
    'tz=%2B00:07',
    'tz=T00%2B0100',
    'audience=robots',
    'days=1&days=2',
  ]) {
    assert.equal((await owner(server, link, `/stats?${query}`)).status, 400, query)
  }
  assert.equal((await fetch(`${server.url}/api/manage/unknown/stats`)).status, 404)
  const headers = { authorization: `Bearer ${link.token}` }
  assert.equal((await fetch(`${server.url}/api/manage/stats`, { headers })).status, 200)
  assert.equal((await fetch(`${server.url}/api/manage/scans.csv`, { headers })).status, 200)
})

test('scans.ndjson has an object for each scan, with the columns of scans.csv', async (t) => {
  const now = Date.UTC(2026, 10, 20, 12)
  const server = await startBehindProxy(t, () => now)
  const link = await create(server, { target: EXAMPLE, placements: [{ id: 'door' }] })
  await goAndFold(server, link, from('8.8.8.8', { 'user-agent': agents.iphone }), '?qr=door')
  await goAndFold(server, link, from('8.8.4.4', { 'user-agent': 'curl/8', dnt: '1' }))
  const { header, rows } = await csv(server, link)
  const response = await owner(server, link, '/scans.ndjson')
  assert.deepEqual(
    ['content-type', 'content-disposition', 'quirl-raw-missing'].map((name) => response.headers.get(name)),
    ['application/x-ndjson', `attachment; filename="${link.code}-scans.ndjson"`, '0'],
  )
  const text = await response.text()
  assert.ok(text.endsWith('\n'))
  const objects = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, string | boolean | null>)
  const columns = header?.split(',') ?? []
  for (const [at, object] of objects.entries()) {
    assert.deepEqual(Object.keys(object), columns)
    assert.deepEqual(
      columns.map((column) => String(object[column] ?? '')),
      rows[at],
    )
  }
  assert.deepEqual(
    objects.map(({ unique, bot, referrer, answer, placement }) => ({ unique, bot, referrer, answer, placement })),
    [
      { unique: true, bot: false, referrer: 'direct', answer: 'link', placement: 'door' },
      { unique: false, bot: true, referrer: null, answer: 'link', placement: null },
    ],
  )
})

test('beyond 200 values a day, further values of a link count as (other)', async (t) => {
  const now = Date.UTC(2026, 10, 20)
  const server = await startBehindProxy(t, () => now)
  const link = await create(server, { target: EXAMPLE })
  // Which of them are the further ones depends on how many are counted at once, so that each has a visitor of its own.
  for (let at = 0; at < 230; at++)
    await go(server, link, from(`8.8.8.${at}`, { referer: `https://site${at}.example.com/` }))
  const { breakdowns, totals } = await stats(server, link)
  assert.deepEqual(breakdowns['referrer']?.[0], { value: '(other)', scans: 30, unique_visitors: 30 })
  assert.equal(breakdowns['referrer']?.length, 10)
  assert.equal(totals['scans'], 230)
  assert.equal((await csv(server, link)).rows.length, 230)
})

test('a value that comes late but often is counted apart, although 200 others came before', async (t) => {
  let now = Date.UTC(2026, 10, 20)
  const server = await startBehindProxy(t, () => now)
  const link = await create(server, { target: EXAMPLE })
  const refer = (site: string, address = '8.8.8.8') => go(server, link, from(address, { referer: `https://${site}/` }))
  for (let at = 0; at < 300; at++) await refer(`site${at}.example.com`, `8.8.4.${at >> 4}`)
  await stats(server, link)
  for (let at = 0; at < 40; at++) {
    await refer('popular.example.com')
    if (at % 10 === 0) await stats(server, link)
  }
  const { breakdowns, totals } = await stats(server, link)
  const [others, popular] = breakdowns['referrer'] ?? []
  assert.deepEqual([others?.value, popular?.value, popular?.scans], ['(other)', 'popular.example.com', 40])
  assert.equal(totals['scans'], 340)
  // Of a whole month, its own rows are read.
  now = Date.UTC(2026, 11, 10)
  const { breakdowns: ofMonth } = await stats(server, link, '?days=60')
  assert.deepEqual(ofMonth, breakdowns)
})

test('no header can break the statistics or inject text into them', async (t) => {
  const server = await startBehindProxy(t)
  const link = await create(server, { target: EXAMPLE })
  const hostile = [
    '=HYPERLINK("http://evil.example","x")',
    '__proto__',
    'constructor',
    '@SUM(1)',
    'x'.repeat(8192),
    "';drop table scans;--",
    '\u00ff\u00fe',
    'https://=cmd.example.com/',
    'https://__proto__/',
    'android-app://__proto__/',
  ]
  for (const text of hostile) {
    const latin1 = Buffer.from(text, 'utf8').toString('latin1')
    assert.equal(
      (await go(server, link, from('8.8.8.8', { 'user-agent': latin1, referer: latin1.slice(0, 4000) }))).status,
      302,
    )
    await go(server, link, { 'x-forwarded-for': latin1, 'user-agent': 'x' })
  }
  const { header, rows } = await csv(server, link)
  assert.equal(rows.length, hostile.length * 2)
  for (const row of rows) {
    assert.equal(row.length, header?.split(',').length)
    for (const cell of row) assert.doesNotMatch(cell, /^[=+@\t\r-]/)
  }
  assert.equal((await stats(server, link)).totals['scans'], rows.length)
})

test('a deleted link leaves no scan behind, journalled ones included', { skip: skipUnlessSqlite }, async (t) => {
  const server = await startBehindProxy(t)
  const [link, other] = [await create(server, { target: EXAMPLE }), await create(server, { target: EXAMPLE })]
  for (const each of [link, other]) await go(server, each, from('8.8.8.8', { referer: 'https://news.example.com/' }))
  await stats(server, link)
  await go(server, link, from('1.1.1.1'))
  assert.equal((await fetch(`${server.url}/api/manage/${link.token}`, { method: 'DELETE' })).status, 200)
  assert.equal((await stats(server, other)).totals['scans'], 1)
  const purges = () => server.services.db.read.selectFrom('purges').select('link_id').execute()
  await poll(async () => (await purges()).length === 0)
  assert.deepEqual(journalsIn(join(server.dataDir, 'journal')), [])
  const db = new DatabaseSync(join(server.dataDir, 'scans.db'), { readOnly: true })
  for (const table of ['scans', 'quarter_hourly', 'daily', 'monthly', 'totals']) {
    const rows = db.prepare(`select distinct link_id from ${table}`).all() as { link_id: number }[]
    assert.deepEqual(
      rows.map((row) => row.link_id),
      [linkIdOf(server.dataDir, other)],
      table,
    )
  }
  db.close()
})

test('the referrers of a deleted link leave the list of names', { skip: skipUnlessSqlite }, async (t) => {
  const server = await startBehindProxy(t)
  const [link, other] = [await create(server, { target: EXAMPLE }), await create(server, { target: EXAMPLE })]
  for (let at = 0; at < 50; at++)
    await go(server, link, from('8.8.8.8', { referer: `https://gone-${at}.example.com/` }))
  for (const each of [link, other]) await go(server, each, from('8.8.8.8', { referer: 'https://both.example.com/' }))
  await stats(server, link)
  assert.equal((await fetch(`${server.url}/api/manage/${link.token}`, { method: 'DELETE' })).status, 200)
  await stats(server, other)
  const db = new DatabaseSync(join(server.dataDir, 'scans.db'), { readOnly: true })
  undoLater(t, () => db.close())
  const texts = () => db.prepare(`select text from dictionary where text like '%.example.com'`).all()
  await poll(() => texts().length === 1)
  assert.deepEqual(
    texts().map((row) => row['text']),
    ['both.example.com'],
  )
})

test('salts and keys of visitors are destroyed when their day is over', { skip: skipUnlessSqlite }, async (t) => {
  let now = Date.UTC(2026, 10, 20, 12)
  const server = await startBehindProxy(t, () => now)
  const link = await create(server, { target: EXAMPLE })
  await go(server, link, from('8.8.8.8'))
  await stats(server, link)
  const folder = join(server.dataDir, 'visitors')
  assert.deepEqual(readdirSync(folder).sort(), ['2026-11-20.keys', '2026-11-20.salt'])
  now += DAY
  await go(server, link, from('8.8.8.8'))
  await stats(server, link)
  assert.deepEqual(
    readdirSync(folder).filter((name) => name < '2026-11-21'),
    [],
  )
})

test('no file, log line or response has an address, as text, as bytes or as a plain hash', async (t) => {
  const server = await startBehindProxy(t)
  const link = await create(server, { target: EXAMPLE })
  const addresses = Array.from({ length: 100 }, (_, at) => [
    `81.2.${at}.${100 + Math.floor(at / 50)}`,
    `2a02:8109:${(at + 4096).toString(16)}:abcd::7`,
  ]).flat()
  const answers: string[] = []
  const keep = async (response: Response) => answers.push(JSON.stringify([...response.headers]), await response.text())
  for (const address of addresses) await keep(await go(server, link, from(address)))
  for (const address of addresses.slice(0, 20)) {
    for (const path of [
      '/unknown-code',
      '/api/nothing',
      '/m/unknown',
      `/m/${link.token}`,
      '/api/qr?size=x',
      `/api/manage/${link.token}/stats`,
    ]) {
      await keep(await fetch(server.url + path, { headers: from(address) }))
    }
  }
  await keep(await owner(server, link, '/stats'))
  await keep(await owner(server, link, '/scans.csv'))
  assert.equal((await stats(server, link)).totals['scans'], 200)
  const haystacks = [
    ...filesBelow(server.dataDir).map(({ bytes }) => bytes),
    Buffer.from(answers.join('\n')),
    Buffer.from(JSON.stringify(server.logged)),
  ]
  assert.ok(haystacks.length >= 5)
  const everything: Buffer = Buffer.concat(haystacks)
  for (const address of addresses) {
    const parsed = ipaddr.parse(address)
    const prefix = address.includes(':') ? [`${address.split(':').slice(0, 4).join(':')}::`] : []
    const digests = [address, ...prefix].flatMap((text) =>
      ['md5', 'sha1', 'sha256'].map((name) => hash(name, text, 'buffer')),
    )
    const packed = Buffer.from(parsed.toByteArray())
    const needles: (string | Buffer)[] = [
      address,
      ...prefix,
      ...digests.flatMap((digest) => [digest, digest.toString('hex'), digest.toString('base64url')]),
    ]
    // Four bytes may occur by chance; sixteen do not.
    if (packed.length === 16) needles.push(packed, packed.subarray(0, 8))
    for (const needle of needles) assert.equal(everything.indexOf(needle), -1, `${address}: ${String(needle)}`)
  }
})

test('the stream sends the totals at once and after each fold that changed them, and ends when the service stops', async (t) => {
  const server = await startBehindProxy(t)
  const link = await create(server, { target: EXAMPLE })
  const response = await owner(server, link, '/stream')
  assert.equal(response.headers.get('content-type'), 'text/event-stream')
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  assert.ok(reader)
  let text = ''
  const until = async (part: string) => {
    while (!text.includes(part)) {
      const { value, done } = await reader.read()
      assert.equal(done, false, `the stream ended before ${part}`)
      text += value
    }
  }
  await until('"scans":0')
  await go(server, link, from('8.8.8.8'))
  await until('"scans":1')
  assert.match(text, /^event: totals\ndata: \{.*\}\n\nevent: totals\ndata: \{.*\}\n\n$/)
  server.services.drain()
  assert.equal((await reader.read()).done, true)
})

// Each node has metrics of its own.
test(
  'the metrics show backlog and losses to the operator, and nothing to anyone else',
  { skip: skipUnlessOneNode },
  async (t) => {
    const server = await startBehindProxy(t)
    const link = await create(server, { target: EXAMPLE })
    await go(server, link, from('8.8.8.8'))
    await stats(server, link)
    const { headers } = await fetch(`${server.url}/metrics`)
    assert.match(headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
    const values = ['scans_recorded_total', 'scans_folded_total', 'scans_lost_total', 'journal_backlog_bytes']
    const read = await Promise.all(values.map((name) => metric(server, `quirl_${name}`)))
    assert.deepEqual(read, [1, 1, 0, 0])
    for (const header of ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip']) {
      const refused = await fetch(`${server.url}/metrics`, { headers: { [header]: '8.8.8.8' } })
      assert.equal(refused.status, 403)
      assert.doesNotMatch(await refused.text(), /quirl_/)
    }
  },
)

test('scans older than SCAN_RETENTION leave the export, while the counts of their days stay', async (t) => {
  let now = Date.UTC(2026, 10, 1, 12)
  const dataDir = temporaryFolder(t)
  const env = { DATA_DIR: dataDir, SCAN_RETENTION: '7d' }
  const first = await startServer(t, env, () => now)
  const link = await create(first, { target: EXAMPLE })
  await go(first, link, { 'user-agent': agents.windows })
  await runFor(first, 8 * DAY, (ms) => (now += ms))
  await go(first, link, { 'user-agent': agents.windows })
  assert.equal((await csv(first, link)).rows.length, 2)
  await first.stop()
  const second = await startServer(t, env, () => now)
  await poll(async () => (await csv(second, link)).rows.length === 1)
  assert.deepEqual((await csv(second, link)).rows[0]?.[0], '2026-11-09T12:00:00.000Z')
  assert.equal((await stats(second, link)).totals['scans'], 2)
  if (skipUnlessOneNode !== false) return
  // What was removed is said and counted.
  assert.equal(await metric(second, 'quirl_scans_pruned_total'), 1)
  const line = second.logged.find(({ msg }) => String(msg).startsWith('raw scans older than SCAN_RETENTION'))
  assert.deepEqual([line?.['scans'], line?.['before']], [1, '2026-11-02T12:00:00.000Z'])
})

// Each node has streams of its own.
test(
  'a hundred clients that do not read their streams delay no visit and take bounded memory',
  { skip: skipUnlessOneNode },
  async (t) => {
    const server = await startBehindProxy(t)
    const link = await create(server, { target: EXAMPLE })
    const listeners = Array.from({ length: 100 }, (_, at) => {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
      undoLater(t, () => void socket.destroy())
      socket
        .pause()
        .write(`GET /api/manage/${link.token}/stream HTTP/1.1\r\nhost: x\r\nx-forwarded-for: 8.8.4.${at}\r\n\r\n`)
      return socket
    })
    await poll(async () => (await metric(server, 'quirl_stream_listeners')) === listeners.length)
    for (let at = 0; at < 200; at++) assert.equal((await go(server, link, from('8.8.8.8'))).status, 302)
    assert.equal((await stats(server, link)).totals['scans'], 200)
    // A client that continues to read gets the newest totals.
    const [late] = listeners
    assert.ok(late)
    let text = ''
    late.on('data', (data) => (text += String(data))).resume()
    await poll(() => text.includes('"scans":200'))
    for (const socket of listeners) socket.destroy()
    await poll(async () => (await metric(server, 'quirl_stream_listeners')) === 0)
  },
)
