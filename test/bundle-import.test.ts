import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test, type TestContext } from 'node:test'
import { parse } from 'csv-parse/sync'
import type { Finding } from '../src/backup/findings.ts'
import { verifyPostgres } from '../src/nodes/backup/verify.ts'
import { verify } from '../src/backup/verify.ts'
import { KEYS_OF_ADDRESS } from '../src/scans/describing/visitor-key.ts'
import { endOfFile, temporaryFolder } from './support/cleanup.ts'
import { command } from './support/cli.ts'
import { createDatabase } from './support/drivers.ts'
import { interruptImport } from './support/interrupted-import.ts'
import { linkIdOf } from './support/link-id.ts'
import { urlOf } from './support/postgres.ts'
import { requireProgram } from './support/programs.ts'
import { seededRandom } from './support/random.ts'
import { seedScans } from './support/seeded-scans.ts'
import { create, put, startServer, visit, type Created, type TestServer } from './support/server.ts'
import { bundleWithoutVisits as filesOf, makeArchive, type Packed } from './support/zip.ts'
import { noValues } from './support/no-values.ts'

const NOW = Date.UTC(2026, 10, 22, 15, 20)
const DAY = 86_400_000
const now = () => NOW
const NAMES = ['link.json', 'quarter-hours.csv', 'days.csv', 'months.csv', 'scans.csv']

const end = endOfFile()
/** The service that the bundles of these tests come from, and one that takes those that are refused. */
let source: TestServer
let target: TestServer
before(async () => {
  source = await startServer(end, {}, now)
  target = await startServer(end, {}, now)
})

const manage = ({ url }: TestServer, token: string, path = '') => fetch(`${url}/api/manage/${token}${path}`)
const details = async (server: TestServer, token: string) =>
  (await (await manage(server, token)).json()) as Record<string, unknown>

async function bundleOf(t: TestContext, { token }: Created): Promise<string> {
  const file = join(temporaryFolder(t), 'link.zip')
  writeFileSync(file, Buffer.from(await (await manage(source, token, '/bundle')).arrayBuffer()))
  return file
}

const run = (server: TestServer, file: string, ...args: string[]) =>
  command(server.dataDir, 'import', file, '--from=quirl', ...args)
const report = async (server: TestServer, file: string, ...args: string[]) => {
  const { stdout, stderr } = await run(server, file, '--json', ...args)
  assert.equal(stderr, '')
  return JSON.parse(stdout)
}
const tokenIn = (file: string) =>
  parse<{ token: string }>(readFileSync(`${file}.keys.csv`), { columns: true })[0]?.token ?? ''

/** Everything that the statistics say of a link. */
async function statisticsOf(server: TestServer, token: string): Promise<Record<string, unknown>> {
  const zones = ['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'Pacific/Pago_Pago']
  const windows = zones.flatMap((tz) => [1, 40].map((days) => `days=${days}&tz=${tz}&previous=true`))
  const queries = [...windows, 'days=365', 'audience=human', 'audience=bot']
  const read = queries.map(async (query) => [query, await (await manage(server, token, `/stats?${query}`)).json()])
  const scans = await (await manage(server, token, '/scans.csv')).text()
  const { totals } = await details(server, token)
  return { ...Object.fromEntries(await Promise.all(read)), totals, scans: scans.split('\r\n').toSorted() }
}

/** What `quirl verify` finds of the counts. */
async function verifiedCounts({ dataDir }: TestServer, url?: string): Promise<Finding | undefined> {
  const onStep = () => {}
  const findings = await (url === undefined
    ? verify({ folder: dataDir, isBackup: false, onStep })
    : verifyPostgres({ url, dataDir, onStep }))
  return findings.find(({ what }) => what === 'counts')
}

/** A link with a design, rules, and scans of ten weeks: on one day from more sites than are counted apart. */
async function createScanned(t: TestContext): Promise<Created> {
  const link = await create(source, {
    target: 'https://example.com/menu',
    alias: `Menu-${Math.floor(performance.now())}`,
    title: '=1+1',
    utm: { utm_source: 'flyer' },
    placements: [{ id: 'Door', name: 'Shop door' }],
    rules: [{ when: { device: ['mobile'] }, then: { target: 'https://m.example.com/' } }],
  })
  const change = { design: { shape: 'dots', fg: '#112233' }, active: false }
  assert.equal((await put(`${source.url}/api/manage/${link.token}`, change)).status, 200)
  const random = seededRandom(t)
  await seedScans(source, link, { now: NOW, days: 70, perDay: 8, random })
  const scan = { linkId: linkIdOf(source.dataDir, link), source: 'qr', device: 'desktop', os: null } as const
  const { recordScan, fold } = source.services.scans
  const many = Array.from({ length: 450 }, (_, at) => ({
    ...noValues,
    ...scan,
    placement: at % 3 === 0 ? 'Door' : null,
    at: NOW - DAY + at * 60_000,
    browser: '-dash',
    country: 'NL',
    city: "'s-Hertogenbosch",
    referrer: `${at % 220}.example.com`,
    bot: false,
    answer: (at % 3) + 1,
    visitor: (at % 40) * KEYS_OF_ADDRESS,
  }))
  await Promise.all(many.map((each) => new Promise<void>((recorded) => recordScan(each, recorded))))
  await fold()
  return link
}

const stores: [name: string, env: (t: TestContext) => Promise<Record<string, string> | undefined>][] = [
  ['SQLite', async () => ({})],
  [
    'PostgreSQL',
    async (t) =>
      requireProgram(t, 'initdb', 'postgresql') ? { DATABASE_URL: urlOf(await createDatabase()) } : undefined,
  ],
]

for (const [store, envOf] of stores)
  test(`a bundle becomes the same link with the same statistics on ${store}, also when the import was interrupted`, async (t) => {
    const env = await envOf(t)
    if (env === undefined) return
    const server = await startServer(t, env, now)
    const link = await createScanned(t)
    const file = await bundleOf(t, link)
    const dry = await report(server, file, '--dry-run')
    assert.equal((await visit(`${server.url}/${link.code}+`)).status, 404)
    assert.ok(!existsSync(`${file}.keys.csv`))

    for (const [failing, when] of [
      [1, 'after'],
      [3, 'before'],
      [3, 'after'],
      [6, 'after'],
    ] as const) {
      await interruptImport(server.dataDir, file, { from: 'quirl' }, [failing, when])
      if (failing !== 3 || when === 'before') continue
      // Some rows are in, and no day.
      const counts = await verifiedCounts(server, env['DATABASE_URL'])
      assert.equal(counts?.isGood, false)
      assert.match(
        counts?.text ?? '',
        /; 1 link \(\d+\) came from a bundle: if "quirl import --from=quirl" was interrupted, run it again/,
      )
    }
    const done = await report(server, file)
    assert.deepEqual(done, { ...dry, created: 0, present: 1 }, 'a dry run says what the import does')
    const token = tokenIn(file)
    assert.deepEqual(await report(server, file), done)
    assert.equal(tokenIn(file), token)

    const [before, after] = [await details(source, link.token), await details(server, token)]
    for (const name of [
      'code',
      'kind',
      'target',
      'payload',
      'title',
      'campaign',
      'utm',
      'rules',
      'placements',
      'active',
      'design',
    ])
      assert.deepEqual(after[name], before[name], name)
    assert.equal(after['created_at'], before['created_at'])
    assert.equal(done.clicks, (before['totals'] as { scans: number }).scans)
    assert.deepEqual(await statisticsOf(server, token), await statisticsOf(source, link.token))

    assert.equal((await verifiedCounts(server, env['DATABASE_URL']))?.isGood, true)

    // A visit here counts beside those from there.
    await put(`${server.url}/api/manage/${token}`, { active: true })
    await visit(`${server.url}/${link.code}`)
    const { totals } = (await details(server, token)) as { totals: { scans: number } }
    assert.equal(totals.scans, done.clicks + 1)
    // A later bundle of the same link would count most visits twice.
    await seedScans(source, link, { now: NOW, days: 1, perDay: 5, random: seededRandom(t) })
    const later = await bundleOf(t, link)
    writeFileSync(`${later}.keys.csv`, readFileSync(`${file}.keys.csv`))
    const { refused } = await report(server, later)
    assert.match(refused[0]?.reason ?? '', /was imported before with other counts/)
    assert.equal(
      ((await details(server, token)) as typeof after & { totals: { scans: number } }).totals.scans,
      totals.scans,
    )
  })

test('a code that is taken, a password without a new one and a removal for abuse are reported, and nothing is created', async (t) => {
  const alias = 'locked'
  const link = await create(source, { target: 'https://example.com/', alias, password: 'correct-horse' })
  const file = await bundleOf(t, link)
  const reasonOf = async (...args: string[]) => (await report(target, file, ...args)).refused[0]?.reason
  assert.match(await reasonOf(), /has a password, which the bundle does not have: give a new one with --password-file/)
  assert.equal((await visit(`${target.url}/${alias}+`)).status, 404)

  const passwordFile = join(temporaryFolder(t), 'password')
  const missing = await run(target, file, `--password-file=${passwordFile}`)
  assert.deepEqual([missing.status, missing.stdout], [1, ''])
  writeFileSync(passwordFile, 'short\n')
  assert.match(await reasonOf(`--password-file=${passwordFile}`), /password/)
  writeFileSync(passwordFile, 'battery-staple\n')
  const { status, stdout } = await run(target, file, `--password-file=${passwordFile}`)
  assert.equal(status, 0)
  assert.match(stdout, /^1 link created; 0 clicks; the tokens are in /)
  assert.equal((await details(target, tokenIn(file)))['has_password'], true)

  const second = await bundleOf(t, link)
  const taken = await run(target, second, `--password-file=${passwordFile}`)
  assert.equal(taken.status, 2)
  assert.match(taken.stderr, /link\.json: locked: the alias locked is taken/)

  const removed = { ...JSON.parse(filesOf(link.code)['link.json'] ?? ''), removed: { reason: 'phishing' } }
  writeFileSync(file, archiveOf({ 'link.json': JSON.stringify(removed) }))
  assert.match((await report(target, file, `--keys=${file}.other`)).refused[0]?.reason, /was blocked for abuse there/)
})

/** A bundle with other contents of these files; one that is undefined is left out. */
function archiveOf(changed: Record<string, string | undefined>, more: Packed[] = []): Buffer {
  const files = { ...filesOf('broken'), ...changed }
  const present = Object.entries(files).flatMap(([name, content]) => (content === undefined ? [] : [{ name, content }]))
  return makeArchive([...present, ...more])
}

const withRow = (name: string, ...rows: string[]) => ({ [name]: `${filesOf('broken')[name]}${rows.join('\r\n')}\r\n` })
const withLink = (change: object) => ({
  'link.json': JSON.stringify({ ...JSON.parse(filesOf('broken')['link.json'] ?? ''), ...change }),
})
const good = 'day,source,qr,,1,1,0,0'.replace('day', '2026-11-20')

const SEVEN = ['source', 'device', 'os', 'browser', 'country', 'city', 'referrer']
const valuesOf = (period: string, counts: string) =>
  SEVEN.map((name) => `${period},${name},${name === 'source' ? 'qr' : ''},,${counts}`)

/** Tables whose every row stands there so many times. */
function countedTimes(times: number, counts: string) {
  const repeat = (rows: string[]) => Array.from({ length: times }, () => rows).flat()
  return {
    ...withRow('quarter-hours.csv', ...repeat([`2026-11-20T10:00:00.000Z,${counts}`])),
    ...withRow('days.csv', ...repeat(valuesOf('2026-11-20', counts))),
    ...withRow('months.csv', ...repeat(valuesOf('2026-11', counts))),
  }
}

const withPlacements = (counts: string) =>
  withRow('days.csv', ...valuesOf('2026-11-20', '1,1,0,0'), `2026-11-20,placement,Door,,${counts}`)

const broken: [name: string, archive: () => Buffer, message: RegExp][] = [
  ['no archive', () => Buffer.from('code,target\n'), /end of central directory/i],
  ['an empty file', () => Buffer.alloc(0), /end of central directory/i],
  ['the begin of a bundle', () => archiveOf({}).subarray(0, -30), /central directory/i],
  [
    'an archive of something else',
    () => makeArchive([{ name: 'photo.jpg', content: 'x' }]),
    /it has a file "photo.jpg"/,
  ],
  ['a path out of the folder', () => makeArchive([{ name: '../link.json', content: 'x' }]), /relative path/],
  [
    'too many files',
    () => makeArchive(Array.from({ length: 900 }, (_, at) => ({ name: `${at}`, content: '' }))),
    /900 files, and 5 are the most/,
  ],
  [
    'a file twice',
    () => archiveOf({ 'days.csv': undefined }, [{ name: 'scans.csv', content: '' }]),
    /two files scans\.csv/,
  ],
  ['a file that is missing', () => archiveOf({ 'days.csv': undefined }), /has no days\.csv: it is not a bundle/],
  [
    'a bomb that says what it is',
    () => archiveOf({ 'link.json': undefined }, [{ name: 'link.json', content: Buffer.alloc(5 * 2 ** 20) }]),
    /link\.json would have 5242880 bytes, and 4194304 are the most/,
  ],
  [
    'a bomb that lies',
    () => archiveOf({ 'link.json': undefined }, [{ name: 'link.json', content: Buffer.alloc(2 ** 26), size: 100 }]),
    /link\.json: too many bytes in the stream/,
  ],
  ['a line without an end', () => archiveOf({ 'days.csv': 'x'.repeat(100_000) }), /days\.csv: Max Record Size/],
  ['no JSON', () => archiveOf({ 'link.json': '{"format"' }), /link\.json: .*JSON/],
  ['other JSON', () => archiveOf({ 'link.json': '[]' }), /link\.json is not the link of a bundle/],
  ['a later version', () => archiveOf(withLink({ version: 2 })), /link\.json has version 2, and this quirl reads 1/],
  ['another header', () => archiveOf({ 'days.csv': 'day,value\r\n' }), /days\.csv: line 1 must be day,dimension/],
  ['no header', () => archiveOf({ 'days.csv': '' }), /days\.csv is empty/],
  [
    'a missing cell',
    () => archiveOf(withRow('days.csv', good, '2026-11-20,source')),
    /days\.csv: Invalid Record Length.*line 3/,
  ],
  [
    'no such day',
    () => archiveOf(withRow('days.csv', good, good.replace('-20', '-31'))),
    /days\.csv: line 3: day must be/,
  ],
  [
    'a dimension',
    () => archiveOf(withRow('days.csv', good.replace('source', 'mood'))),
    /line 2: dimension must be one of source, /,
  ],
  [
    'a count',
    () => archiveOf(withRow('days.csv', good.replace('1,1', '-1,1'))),
    /line 2: humans must be a whole number/,
  ],
  [
    'more visitors than scans',
    () => archiveOf(withRow('days.csv', good.replace('1,1', '1,2'))),
    /line 2: unique visitors must not be more/,
  ],
  [
    'a quarter of an hour',
    () => archiveOf(withRow('quarter-hours.csv', '2026-11-20T10:01:00Z,1,1,0,0')),
    /line 2: starts_at must be the begin/,
  ],
  [
    'a time to come',
    () => archiveOf(withRow('quarter-hours.csv', '2126-11-20T10:00:00Z,1,1,0,0')),
    /line 2: starts_at must be a time/,
  ],
  [
    'a row that counts nothing',
    () => archiveOf(withRow('days.csv', good.replace('1,1', '0,0'))),
    /line 2: humans and bots must not both be 0/,
  ],
  [
    'more visits in all rows than one may have',
    () => archiveOf(countedTimes(2, '1000000000000,0,0,0')),
    /link\.zip: it counts more than 1000000000000 visits/,
  ],
  [
    'more visits by placement than there are',
    () => archiveOf({ ...countedTimes(1, '1,1,0,0'), ...withPlacements('2,1,0,0') }),
    /link\.zip: its tables count different visits/,
  ],
  ['counts that differ', () => archiveOf(withRow('days.csv', good)), /link\.zip: its tables count different visits/],
  [
    'a rule',
    () => archiveOf(withRow('scans.csv', '2026-11-20T10:00:00Z,qr,,,,,,,true,false,21')),
    /scans\.csv: line 2: answer must be the number/,
  ],
]

for (const [name, archive, message] of broken)
  test(`a broken bundle changes nothing, and the message says where: ${name}`, async (t) => {
    const file = join(temporaryFolder(t), 'link.zip')
    writeFileSync(file, archive())
    const { status, stdout, stderr } = await run(target, file)
    assert.deepEqual([status, stdout], [1, ''])
    assert.match(stderr, message)
    assert.ok(stderr.includes(file) && stderr.length < 500, stderr)
    assert.ok(!existsSync(`${file}.keys.csv`))
    assert.equal((await visit(`${target.url}/broken`)).status, 404)
  })

test('scans that were recorded while the bundle was written, after its counts were read, are not taken', async (t) => {
  const scan = (second: number) => `2026-11-20T10:00:0${second}.000Z,qr,,,,,,,true,false,link`
  const files = {
    ...countedTimes(1, '1,1,0,0'),
    ...withRow('scans.csv', scan(1), scan(2)),
    ...withLink({ code: 'busy' }),
  }
  const file = join(temporaryFolder(t), 'link.zip')
  writeFileSync(file, archiveOf(files))
  assert.deepEqual(await report(target, file), { created: 1, present: 0, clicks: 1, refused: [] })
  const scans = await (await manage(target, tokenIn(file), '/scans.csv')).text()
  assert.deepEqual(scans.split('\r\n').slice(1), [`${scan(1)},`, ''])
  assert.equal((await verifiedCounts(target))?.isGood, true)
  writeFileSync(
    file,
    archiveOf({ ...files, ...withRow('scans.csv', scan(1).replace('true', 'false')), ...withLink({ code: 'lost' }) }),
  )
  assert.equal((await run(target, file, '--dry-run')).status, 0, 'scans of the oldest quarter of an hour may be gone')
})

test('a bundle with any bit flipped is refused, or is the same', async (t) => {
  const link = await create(source, { target: 'https://example.com/', alias: 'flipped' })
  await visit(link.short_url.replace(/^.*\//, `${source.url}/`))
  const whole = readFileSync(await bundleOf(t, link))
  const random = seededRandom(t)
  const file = join(temporaryFolder(t), 'link.zip')
  for (let round = 0; round < 60; round++) {
    const bytes = Buffer.from(whole)
    const at = Math.floor(random() * bytes.length)
    bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8))
    writeFileSync(file, bytes)
    const { status, stdout } = await run(target, file, '--dry-run', '--json')
    if (status === 1) continue
    // Dates and sizes that the directory repeats are not needed.
    assert.deepEqual(JSON.parse(stdout), { created: 1, present: 0, clicks: 1, refused: [] }, `byte ${at}`)
  }
  assert.deepEqual(
    NAMES.filter((name) => !whole.includes(name)),
    [],
  )
})
