import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { parse } from 'csv-parse/sync'
import { verifyPostgres } from '../src/nodes/backup/verify.ts'
import { verify } from '../src/backup/verify.ts'
import type { Report } from '../src/cli/import/report.ts'
import { temporaryFolder } from './support/cleanup.ts'
import { command } from './support/cli.ts'
import { createDatabase } from './support/drivers.ts'
import { interruptImport } from './support/interrupted-import.ts'
import { urlOf } from './support/postgres.ts'
import { requireProgram } from './support/programs.ts'
import { create, startServer, visit as visitCode, type TestServer } from './support/server.ts'

const NOW = Date.UTC(2026, 10, 23, 12)
const HOST = 's.example'

const iPhone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1'
const cupertino = {
  countryCode: 'US',
  countryName: 'United States',
  regionName: 'California',
  cityName: 'Cupertino',
  latitude: 37.3042,
  longitude: -122.0946,
  timezone: 'America/Los_Angeles',
  isEmpty: false,
}

/** A link as Shlink's `GET /rest/v3/short-urls` lists it. */
const link = (shortCode: string, total: number, domain: string | null = null) => ({
  shortCode,
  shortUrl: `https://${domain ?? HOST}/${shortCode}`,
  longUrl: `https://shop.example/${shortCode}`,
  dateCreated: '2026-10-01T12:00:00+02:00',
  visitsSummary: { total, nonBots: total, bots: 0 },
  tags: [],
  meta: { validSince: null, validUntil: null, maxVisits: null },
  domain,
  title: null,
})
const linksOf = (...data: object[]) =>
  JSON.stringify({ shortUrls: { data, pagination: { currentPage: 1, pagesCount: 1 } } })

/** A visit as Shlink lists it. */
const visit = (fields: object = {}) => ({
  referer: '',
  date: '2026-11-01T10:00:00+01:00',
  userAgent: iPhone,
  visitLocation: null,
  potentialBot: false,
  visitedUrl: `https://${HOST}/Menu`,
  redirectUrl: 'https://shop.example/Menu',
  ...fields,
})
const page = (data: object[], currentPage = 1, pagesCount = 1) => ({
  visits: { data, pagination: { currentPage, pagesCount, itemsPerPage: data.length, totalItems: data.length } },
})

/** A service, and how its operator imports links with their visits. */
async function startImporting(t: TestContext, env: Record<string, string> = {}) {
  const server = await startServer(t, env, () => NOW)
  const folder = temporaryFolder(t)
  const write = (name: string, content: string | object) => {
    const file = join(folder, name)
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
    return file
  }
  /** A folder with the visits of each code in a file. */
  const writeAll = (name: string, files: Record<string, object>) => {
    mkdirSync(join(folder, name))
    for (const [file, content] of Object.entries(files)) write(join(name, file), content)
    return join(folder, name)
  }
  const run = (links: string, visits: string, ...args: string[]) =>
    command(server.dataDir, 'import', links, '--from=shlink', `--visits=${visits}`, ...args)
  const report = async (links: string, visits: string, ...args: string[]) =>
    JSON.parse((await run(links, visits, '--json', ...args)).stdout) as Report
  return { server, write, writeAll, run, report }
}

const tokenOf = (file: string, code: string) =>
  parse<{ code: string; token: string }>(readFileSync(`${file}.keys.csv`), { columns: true }).find(
    (row) => row.code === code,
  )?.token ?? ''

async function get({ url }: TestServer, token: string, path = '') {
  const response = await fetch(`${url}/api/manage/${token}${path}`)
  assert.equal(response.status, 200)
  return response
}
const totalsOf = async (server: TestServer, token: string) =>
  ((await (await get(server, token)).json()) as { totals: Record<string, unknown> }).totals
const scansOf = async (server: TestServer, token: string) =>
  parse<Record<string, string>>(await (await get(server, token, '/scans.csv')).text(), { columns: true })
/** The days with visits. */
async function daysOf(server: TestServer, token: string): Promise<Record<string, number>> {
  const stats = (await (await get(server, token, '/stats?days=365')).json()) as {
    series: { date: string; scans: number }[]
  }
  const days = stats.series.filter(({ scans }) => scans > 0)
  return Object.fromEntries(days.map(({ date, scans }) => [date, scans]))
}

async function requireConsistent({ dataDir }: TestServer, url?: string): Promise<void> {
  const onStep = () => {}
  const findings = await (url === undefined
    ? verify({ folder: dataDir, isBackup: false, onStep })
    : verifyPostgres({ url, dataDir, onStep }))
  const counts = findings.find(({ what }) => what === 'counts')
  assert.ok(counts?.isGood, counts?.text ?? 'the counts were not verified')
}

const stores: [name: string, env: (t: TestContext) => Promise<Record<string, string> | undefined>][] = [
  ['SQLite', async () => ({})],
  [
    'PostgreSQL',
    async (t) =>
      requireProgram(t, 'initdb', 'postgresql') ? { DATABASE_URL: urlOf(await createDatabase()) } : undefined,
  ],
]

/** 1,204 visits, in parts of the call: of 40 days, a day each at the same hour. */
const many = Array.from({ length: 1204 }, (_, at) =>
  visit({ date: new Date(Date.UTC(2026, 9, 10 + (at % 40), 8)).toISOString() }),
)

for (const [store, envOf] of stores)
  test(`on ${store}, visits are scans at their times, and other clicks a number, also when the import was interrupted`, async (t) => {
    const env = await envOf(t)
    if (env === undefined) return
    const { server, write, report } = await startImporting(t, env)
    const links = write('links.json', linksOf(link('Menu', 1300), link('plain', 7)))
    const visits = write('visits.json', page(many))
    for (const [failing, when] of [
      [1, 'after'],
      [2, 'before'],
      [2, 'after'],
      [4, 'after'],
    ] as const) {
      await interruptImport(server.dataDir, links, { from: 'shlink', visits }, [failing, when])
    }
    const expected = {
      created: 0,
      present: 2,
      clicks: 96 + 7,
      visits: { read: 1204, scans: 1204, lost: [] },
      refused: [],
    }
    assert.deepEqual(await report(links, visits), expected)
    assert.deepEqual(await report(links, visits), expected, 'a repetition counts nothing twice')

    const token = tokenOf(links, 'Menu')
    const totals = await totalsOf(server, token)
    assert.deepEqual([totals['scans'], totals['unique_visitors'], totals['bots']], [1300, 0, 0])
    assert.equal(totals['last_scan_at'], '2026-11-18T08:00:00.000Z')
    assert.equal((await scansOf(server, token)).length, 1204)
    const days = await daysOf(server, token)
    assert.equal(days['2026-10-01'], 96, 'the day of the creation')
    assert.deepEqual([days['2026-10-10'], days['2026-11-18'], Object.keys(days).length], [31, 30, 41])
    assert.equal((await totalsOf(server, tokenOf(links, 'plain')))['scans'], 7)
    await requireConsistent(server, env['DATABASE_URL'])

    // A visit here counts beside those from there.
    await visitCode(`${server.url}/menu`)
    assert.equal((await totalsOf(server, token))['scans'], 1301)
  })

test('a visit is described by the rules of quirl, and nothing in it is an address', async (t) => {
  const { server, write, report } = await startImporting(t)
  const links = write('links.json', linksOf(link('Menu', 0)))
  const crawler = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'
  const rows = [
    visit({ referer: 'https://www.facebook.com/groups/1?a=b', visitLocation: cupertino, remoteAddr: '203.0.113.77' }),
    visit({ date: '2026-11-01T11:00:00+01:00', userAgent: '', potentialBot: true, referer: null }),
    visit({ date: '2026-11-01T12:00:00+01:00', userAgent: '', potentialBot: false }),
    visit({ date: '2026-11-01T13:00:00+01:00', userAgent: crawler, potentialBot: false }),
    visit({ date: '2026-11-01T14:00:00+01:00', potentialBot: true }),
    visit({ date: '2026-11-01T15:00:00+01:00', userAgent: 'Unheard/1', potentialBot: true, referer: server.url }),
  ]
  assert.equal((await report(links, write('visits.json', page(rows)))).visits?.scans, 6)
  const token = tokenOf(links, 'Menu')
  const scans = await scansOf(server, token)
  const none = { device: '', os: '', browser: '', country: '', city: '', referrer: 'direct' }
  const known = { ...none, device: 'mobile', os: 'iOS', browser: 'Safari' }
  const common = { source: 'link', unique: 'false', answer: 'link', placement: '' }
  const at = (hour: number) => ({ scanned_at: `2026-11-01T${String(hour).padStart(2, '0')}:00:00.000Z`, ...common })
  assert.deepEqual(scans, [
    { ...at(9), ...known, country: 'US', city: 'Cupertino, CA', referrer: 'facebook.com', bot: 'false' },
    { ...at(10), ...none, bot: 'true' },
    { ...at(11), ...none, bot: 'false' },
    { ...at(12), ...none, bot: 'true' },
    { ...at(13), ...known, bot: 'false' },
    { ...at(14), ...none, bot: 'true' },
  ])
  assert.ok(!JSON.stringify(scans).includes('203.0.113'))
  assert.equal((await totalsOf(server, token))['scans'], 6, 'more visits than clicks all count')
})

test('scans that are older than SCAN_RETENTION count, and are not stored', async (t) => {
  const { server, write, report } = await startImporting(t, { SCAN_RETENTION: '30d' })
  const links = write('links.json', linksOf(link('Menu', 1300)))
  await report(links, write('visits.json', page(many)))
  const token = tokenOf(links, 'Menu')
  const days = await daysOf(server, token)
  assert.equal(days['2026-10-10'], 31)
  assert.equal((await totalsOf(server, token))['scans'], 1300)
  const stored = await scansOf(server, token)
  assert.ok(stored.length > 0 && stored.every((scan) => (scan['scanned_at'] ?? '') >= '2026-10-24T12'))
  await requireConsistent(server)
})

test('each visit that is not a scan is named with its reason, and none counts for another link', async (t) => {
  const { server, write, run, report } = await startImporting(t)
  await create(server, { target: 'https://example.com/', alias: 'taken' })
  const links = write(
    'links.json',
    linksOf(link('Menu', 9), link('menu', 9), link('Menu', 9, 'b.example'), link('taken', 9)),
  )
  const urls = [
    `https://${HOST}/Menu?from=poster`,
    `http://${HOST}:8080/Menu/track`,
    `https://${HOST}/menu`,
    'https://b.example/Menu',
    'https://c.example/Menu',
    `https://${HOST}/MENU`,
    `https://${HOST}/Menu/extra`,
    `https://${HOST}/taken`,
    'no address',
    null,
  ]
  const rows = [
    ...urls.map((visitedUrl) => visit({ visitedUrl })),
    visit({ type: 'invalid_short_url' }),
    visit({ date: '2999-01-01T00:00:00Z' }),
    visit({ date: '1969-01-01T00:00:00Z' }),
  ]
  const visits = write('visits.json', page(rows))
  const dry = await report(links, visits, '--dry-run')
  const real = await report(links, visits)
  assert.deepEqual(dry, real, 'a dry run says what the import does')
  assert.deepEqual(
    new Map(real.visits?.lost.map(({ reason, visits: count }) => [reason, count])),
    new Map([
      ['the address is of no link of the file', 2],
      ['the visit may be of several links of the file', 1],
      ['the short URL is not named: give a folder with the visits of each in <code>.json', 2],
      ['the visit is of no short URL (an orphan visit)', 1],
      ['the time is in the future', 1],
      ['the time is before 1970', 1],
      ['the link is not imported', 3],
    ]),
  )
  assert.deepEqual([real.visits?.read, real.visits?.scans, real.clicks], [13, 2, 7])
  const token = tokenOf(links, 'Menu')
  assert.deepEqual([(await totalsOf(server, token))['scans'], (await scansOf(server, token)).length], [9, 2])
  const { status, stdout, stderr } = await run(links, visits)
  assert.equal(status, 2)
  assert.match(stdout, /^0 links created, 1 created by an earlier run; 7 clicks as a number, 2 visits as scans; the /)
  assert.match(
    stderr,
    /11 of 13 visits not imported:\n[^]*2 visits: the address is of no link of the file, such as c\.e/,
  )
})

test('in a folder, the name of a file is the code of its visits, unless their address is another one', async (t) => {
  const { server, write, writeAll, report } = await startImporting(t)
  const links = write(
    'links.json',
    linksOf(link('Menu', 3), link('old', 2), link('two', 5), link('two', 5, 'b.example')),
  )
  const folder = writeAll('visits', {
    'Menu.json': [
      page([visit({ visitedUrl: null }), visit({ visitedUrl: 'https://proxy/base/Menu/extra' })], 1, 2),
      page([visit({ visitedUrl: `https://${HOST}/old` })], 2, 2),
    ],
    'old.json': page([]),
    'two.json': page([visit({ visitedUrl: null }), visit({ visitedUrl: `https://${HOST}/two` })]),
    'gone.json': page([visit()]),
    'notes.txt': {},
  })
  const { visits, clicks } = await report(links, folder)
  assert.deepEqual([visits?.read, visits?.scans, clicks], [6, 3, 1 + 2 + 4])
  assert.deepEqual(
    new Set(visits?.lost.map(({ reason, visits: count, example }) => `${count} ${reason}: ${example}`)),
    new Set([
      '1 the address is not that of the name of the file: Menu.json',
      '1 the visit may be of several links of the file: two.json',
      '1 the file is named like no link: gone.json',
    ]),
  )
  assert.equal((await scansOf(server, tokenOf(links, 'Menu'))).length, 2)
})

test('a link with counts from an earlier run keeps them, and its visits are named', async (t) => {
  const { server, write, report } = await startImporting(t)
  const links = write('links.json', linksOf(link('Menu', 5), link('other', 4)))
  const other = visit({ visitedUrl: `https://${HOST}/other` })
  const first = write('first.json', page([other]))
  await report(links, first)
  const later = await report(links, write('later.json', page([other, other, visit()])))
  assert.deepEqual([later.visits?.read, later.visits?.scans, later.clicks], [3, 0, 9])
  assert.deepEqual(later.visits?.lost, [
    { visits: 1, reason: 'an earlier run has counted the clicks of the link as a number', example: 'Menu' },
    { visits: 2, reason: 'an earlier run has counted other visits of the link', example: 'other' },
  ])
  // Without visits, the import counts none of its clicks again.
  assert.equal((await command(server.dataDir, 'import', links, '--from=shlink')).status, 0)
  const [menu, otherToken] = ['Menu', 'other'].map((code) => tokenOf(links, code))
  assert.deepEqual([(await totalsOf(server, menu ?? ''))['scans'], (await scansOf(server, menu ?? '')).length], [5, 0])
  assert.deepEqual(
    [(await totalsOf(server, otherToken ?? ''))['scans'], (await scansOf(server, otherToken ?? '')).length],
    [4, 1],
  )
})

test('pages of the list that are missing are said', async (t) => {
  const { write, report } = await startImporting(t)
  const links = write('links.json', linksOf(link('Menu', 3)))
  const { warnings } = await report(links, write('visits.json', [page([visit()], 1, 3), page([visit()], 3, 3)]))
  assert.match(warnings?.join('\n') ?? '', /visits\.json: has 2 of 3 pages of visits$/)
})

test('visits that cannot be read change nothing', async (t) => {
  const { server, write, writeAll, run } = await startImporting(t)
  const links = write('links.json', linksOf(link('Menu', 3)))
  const broken: [content: string | object, message: RegExp][] = [
    ['{"visits":', /visits\.json: .*JSON/],
    [{ shortUrls: { data: [] } }, /visits\.json: it has no list of visits \(visits\.data\)/],
    [{ visits: { nonOrphanVisits: { total: 3 }, visitsCount: 3 } }, /it has no list of visits/],
    [{ title: 'Unauthorized', status: 401 }, /it has no list of visits/],
    [[], /it has no list of visits/],
    [[page([visit()]), page([visit()])], /it has page 1 twice: what both have would count twice/],
    [page([visit(), visit({ date: 'yesterday' })]), /visits\.json: visit 2: "yesterday" is not a time/],
    [page([visit({ date: null })]), /visits\.json: visit 1 has no date/],
    [{ visits: { data: [7] } }, /visits\.json: visit 1 is not an object/],
  ]
  for (const [content, message] of broken) {
    const { status, stdout, stderr } = await run(links, write('visits.json', content))
    assert.deepEqual([status, stdout], [1, ''])
    assert.match(stderr, message)
  }
  assert.match((await run(links, writeAll('empty', {}))).stderr, /--visits=.*empty: it has no file <code>\.json/)
  assert.match((await run(links, '/nonexistent')).stderr, /--visits=\/nonexistent: ENOENT/)
  assert.match(
    (await command(server.dataDir, 'import', links, '--from=kutt', '--visits=a')).stderr,
    /--visits needs --from=shlink/,
  )
  assert.equal((await visitCode(`${server.url}/menu`)).status, 404)
})
