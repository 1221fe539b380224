import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'
import { fc } from './support/fast-check.ts'
import { temporaryFolder } from './support/cleanup.ts'
import { exitOf, start } from './support/program.ts'
import { poll } from './support/poll.ts'
import { requireProgram } from './support/programs.ts'
import { seededRandom } from './support/random.ts'
import { post, startServer, visit, type Created, type TestServer } from './support/server.ts'

const EXAMPLE = 'https://example.com/'

type Row = { index: number } & Partial<Created> & {
    error?: { code: string; detail: string; errors: { pointer: string; detail: string }[] }
    valid?: true
  }
interface Result {
  created: number
  failed: number
  results: Row[]
}

const bulk = (server: Pick<TestServer, 'url'>, body: unknown, query = '', headers: Record<string, string> = {}) =>
  post(`${server.url}/api/bulk${query}`, body, headers)
const bulkCsv = (server: TestServer, csv: string | Buffer, query = '') =>
  fetch(`${server.url}/api/bulk${query}`, { method: 'POST', body: csv, headers: { 'content-type': 'text/csv' } })
const copies = (count: number) => Array.from({ length: count }, () => ({ target: EXAMPLE }))
const result = async (response: Response) => (await response.json()) as Result
const codesOf = ({ results }: Result) => results.map((row) => row.code ?? row.error?.code)

test('an invalid row does not prevent the others; each error names its field', async (t) => {
  const server = await startServer(t)
  const response = await bulk(server, [
    { target: EXAMPLE, alias: 'First' },
    { target: 'http://127.0.0.1/', title: 7 },
    'not an object',
    { kind: 'page', headline: 'x', links: [{ label: 'x', url: 'ftp://example.com' }] },
    { target: EXAMPLE, alias: 'first' },
    { target: EXAMPLE, alias: 'api' },
    { kind: 'vcard', org: 'ACME', alias: 'card' },
  ])
  assert.equal(response.status, 201)
  const { created, failed, results } = await result(response)
  assert.deepEqual([created, failed], [2, 5])
  assert.deepEqual(codesOf({ created, failed, results }), [
    'First',
    'invalid_request',
    'invalid_request',
    'invalid_request',
    'alias_taken',
    'alias_reserved',
    'card',
  ])
  assert.deepEqual(
    results.map(({ index }) => index),
    [0, 1, 2, 3, 4, 5, 6],
  )
  assert.deepEqual(
    results.map((row) => row.error?.errors.map(({ pointer }) => pointer)),
    [undefined, ['/title'], [''], ['/links/0/url'], ['/alias'], ['/alias'], undefined],
  )
  const [first] = results
  assert.deepEqual(Object.keys(first ?? {}), [
    'index',
    'code',
    'short_url',
    'qr_png',
    'qr_svg',
    'manage_url',
    'token',
    'warnings',
  ])
  assert.equal((await visit(`${server.url}/FIRST`)).headers.get('location'), EXAMPLE)
  assert.equal((await fetch(`${server.url}/api/manage/${first?.token}`)).status, 200)
})

test('when no row can be created the response is a 400 problem that has the results too', async (t) => {
  const server = await startServer(t)
  const response = await bulk(server, [{ target: 'x' }, { alias: '!' }])
  assert.equal(response.status, 400)
  assert.match(response.headers.get('content-type') ?? '', /^application\/problem\+json/)
  const body = (await response.json()) as Result & { code: string; status: number; request_id: string }
  assert.deepEqual([body.code, body.status, body.created, body.failed], ['nothing_created', 400, 0, 2])
  assert.deepEqual(
    body.results.map((row) => row.error?.errors[0]?.pointer),
    ['/target', '/alias'],
  )
  assert.ok(body.request_id)
})

test('?atomic=true creates all rows or none, and names the row that prevented it', async (t) => {
  const server = await startServer(t)
  await bulk(server, [{ target: EXAMPLE, alias: 'taken' }])
  for (const faulty of [{ target: 'x' }, { target: EXAMPLE, alias: 'taken' }]) {
    const refused = await bulk(server, [{ target: EXAMPLE, alias: 'fresh' }, faulty], '?atomic=true')
    assert.equal(refused.status, 400)
    const { created, failed, results } = await result(refused)
    assert.deepEqual([created, failed], [0, 2])
    assert.deepEqual(results[0]?.error, {
      code: 'nothing_created',
      detail: 'row 1 is invalid, and the request is atomic: all rows or none',
      errors: [],
    })
    assert.equal((await visit(`${server.url}/fresh`)).status, 404)
  }
  const good = await bulk(server, [{ target: EXAMPLE, alias: 'fresh' }, { target: EXAMPLE }], '?atomic=true')
  assert.deepEqual([good.status, (await result(good)).created], [201, 2])
})

test('?dry_run=true validates each row and creates nothing', async (t) => {
  const server = await startServer(t)
  await bulk(server, [{ target: EXAMPLE, alias: 'taken' }])
  const rows = [{ target: EXAMPLE, alias: 'dry' }, { target: EXAMPLE }, { target: EXAMPLE, alias: 'taken' }, {}]
  const response = await bulk(server, rows, '?dry_run=true')
  assert.equal(response.status, 200)
  const { created, failed, results } = await result(response)
  assert.deepEqual([created, failed], [0, 2])
  assert.deepEqual(results.slice(0, 2), [
    { index: 0, valid: true },
    { index: 1, valid: true },
  ])
  assert.deepEqual(
    results.slice(2).map((row) => row.error?.code),
    ['alias_taken', 'invalid_request'],
  )
  assert.equal((await visit(`${server.url}/dry`)).status, 404)
  assert.equal((await result(await bulk(server, rows))).created, 2)
})

test('1 to 500 rows are accepted; requests of no row or 501 are refused', async (t) => {
  const server = await startServer(t)
  const rows = (count: number) => Array.from({ length: count }, (_, at) => ({ target: EXAMPLE, alias: `n${at}` }))
  const most = await result(await bulk(server, rows(500)))
  assert.deepEqual([most.created, most.failed], [500, 0])
  assert.equal(new Set(most.results.map(({ token }) => token)).size, 500)
  const csvOf = (count: number) => `target\n${`${EXAMPLE}\n`.repeat(count)}`
  for (const body of [[], rows(501), { csv: 'target\n' }, { csv: csvOf(501) }, { csv: csvOf(15_000) }]) {
    const refused = await bulk(server, body)
    assert.equal(refused.status, 400)
    assert.match(((await refused.json()) as { detail: string }).detail, /must have 1 to 500 rows/)
  }
  const large = await bulk(server, [{ target: EXAMPLE, title: 'x'.repeat(4 * 2 ** 20) }])
  assert.equal(large.status, 413)
  assert.match(((await large.json()) as { detail: string }).detail, /at most 4194304 bytes/)
  const text = await bulk(server, csvOf(1))
  assert.equal(text.status, 400)
  assert.match(JSON.stringify(await text.json()), /must be an array of links, an object with the field/)
})

test('500 random codes of one request are distinct', async (t) => {
  const server = await startServer(t)
  const { results } = await result(await bulk(server, copies(500)))
  assert.equal(new Set(results.map(({ code }) => code)).size, 500)
})

const forms: [name: string, csv: string][] = [
  ['any order of columns', 'title,target,alias\nMenu,https://example.com/a,menu\n,https://example.com/b,\n'],
  ['CRLF and quotes', '"target","alias"\r\n"https://example.com/a","menu"\r\n"https://example.com/b",""\r\n'],
  ['a byte order mark and semicolons', '\uFEFFtarget;alias\nhttps://example.com/a;menu\nhttps://example.com/b;\n'],
  ['tabs', 'target\talias\nhttps://example.com/a\tmenu\nhttps://example.com/b\t\n'],
  ['empty lines and no last newline', '\ntarget,alias\n\nhttps://example.com/a,menu\n,\n\nhttps://example.com/b,'],
  ['capitals and spaces in the header', ' Target , ALIAS \nhttps://example.com/a,menu\nhttps://example.com/b,\n'],
]
for (const [name, csv] of forms) {
  test(`CSV is parsed with ${name}, in JSON and as the body itself`, async (t) => {
    const server = await startServer(t)
    for (const response of [await bulkCsv(server, csv), await bulk(server, { csv: csv.replaceAll('menu', 'card') })]) {
      assert.equal(response.status, 201)
      const { results } = await result(response)
      assert.equal(results.length, 2)
      assert.match(results[0]?.code ?? '', /^(?:menu|card)$/)
      const targets = await Promise.all(
        results.map(async ({ code }) => (await visit(`${server.url}/${code}`)).headers.get('location')),
      )
      assert.deepEqual(targets, ['https://example.com/a', 'https://example.com/b'])
    }
  })
}

test('quoted cells may contain newlines and commas', async (t) => {
  const server = await startServer(t)
  const { results } = await result(
    await bulkCsv(server, 'target,title\nhttps://example.com/?a=1,"one, ""two""\nthree"\n'),
  )
  const details = await fetch(`${server.url}/api/manage/${results[0]?.token}`)
  assert.equal(((await details.json()) as { title: string }).title, 'one, "two"\nthree')
})

test('an invalid CSV is refused with the reason', async (t) => {
  const server = await startServer(t)
  for (const [csv, code, detail] of [
    ['https://example.com/\n', 'invalid_request', /header that names the column "target"/],
    ['alias,title\nx,y\n', 'invalid_request', /header that names the column "target"/],
    ['target,target\nhttps://example.com/,x\n', 'invalid_request', /names a column twice/],
    ['target\n"https://example.com/\n', 'malformed_csv', /^the CSV has a quote that is not closed, in line 2$/],
    ['', 'invalid_request', /header|must be/],
  ] as const) {
    const refused = await bulkCsv(server, csv)
    assert.equal(refused.status, 400, csv)
    const problem = (await refused.json()) as { code: string; detail: string }
    assert.equal(problem.code, code, csv)
    assert.match(problem.detail, detail)
  }
  assert.equal((await bulkCsv(server, Buffer.from([0x74, 0xff, 0xfe]))).status, 400)
  const uneven = await result(
    await bulkCsv(server, 'target,title\nhttps://example.com/a,x,y\nhttps://example.com/b,z\n'),
  )
  assert.match(uneven.results[0]?.error?.detail ?? '', /^column 3 \(C\) of line 2 has the text "y"/)
  assert.equal(uneven.created, 1)
  for (const [csv, detail] of [
    ['target\n"https://example.com/\n', /^\/csv has a quote that is not closed, in line 2$/],
    ['target\n', /^\/csv must have 1 to 500 rows, but has none$/],
    [`target\n${'https://example.com/\n'.repeat(501)}`, /^\/csv must have 1 to 500 rows, but has more than 500$/],
  ] as const) {
    const problem = (await (await bulk(server, { csv })).json()) as { detail: string; errors: { pointer: string }[] }
    assert.match(problem.detail, detail)
    assert.deepEqual(
      problem.errors.map(({ pointer }) => pointer),
      ['/csv'],
    )
  }
  for (const body of [{ csv: 7 }, {}, 'text', null, 7]) assert.equal((await bulk(server, body)).status, 400)
})

test('a CSV that is not UTF-8 is read as Windows-1252, and said to be; one that is said to be UTF-8 is refused', async (t) => {
  const server = await startServer(t)
  const csv = Buffer.from(
    'sep=;\r\nZiel;Titel;;\r\nhttps://example.com/?x=\xfc;Caf\xe9;;\r\nhttps://example.com/2\r\n',
    'latin1',
  )
  const send = (type: string) =>
    fetch(`${server.url}/api/bulk`, { method: 'POST', body: csv, headers: { 'content-type': type } })
  const response = await send('text/csv')
  assert.equal(response.status, 201)
  assert.match(response.headers.get('quirl-warning') ?? '', /\bwindows_1252\b/)
  const { results, warnings } = (await response.json()) as Result & { warnings: { code: string }[] }
  assert.deepEqual([results.length, warnings[0]?.code], [2, 'windows_1252'])
  const details = await (await fetch(`${server.url}/api/manage/${results[0]?.token}`)).json()
  assert.deepEqual(
    [(details as { title: string }).title, (details as { target: string }).target],
    ['Café', 'https://example.com/?x=ü'],
  )
  assert.equal((await send('text/csv; charset=utf-8')).status, 400)
  const utf16 = await bulkCsv(server, Buffer.from('\uFEFFtarget\ttitle\nhttps://example.com/\t東京\n', 'utf16le'))
  assert.deepEqual([utf16.status, /windows/.test(utf16.headers.get('quirl-warning') ?? '')], [201, false])
})

test('?format=csv and Accept: text/csv return a table in which no spreadsheet finds a formula', async (t) => {
  const server = await startServer(t)
  const rows = [
    { target: EXAMPLE, title: '=HYPERLINK("http://evil.example")', campaign: '@x', alias: '-dash' },
    { target: '=1+1', title: '+x' },
    7,
  ]
  for (const [query, headers] of [
    ['?format=csv', {}],
    ['?dry_run=true', { accept: 'text/csv' }],
  ] as const) {
    const response = await bulk(server, rows, query, headers)
    assert.equal(response.headers.get('content-type'), 'text/csv; charset=utf-8')
    const text = await response.text()
    assert.ok(text.endsWith('\r\n') && !text.startsWith('\uFEFF'))
    const [header, ...lines] = parse(text)
    assert.equal(
      header?.join(),
      'index,alias,target,title,campaign,code,short_url,qr_png,qr_svg,manage_url,token,error',
    )
    assert.equal(lines.length, 3)
    for (const cell of lines.flat()) assert.doesNotMatch(cell, /^[=+@\t\r-]/)
    assert.match(lines[1]?.at(-1) ?? '', /^invalid_request: /)
    assert.match(lines[2]?.at(-1) ?? '', /must be a JSON object/)
  }
  const refused = await bulk(server, [{ target: 'x' }], '?format=csv')
  assert.equal(refused.status, 400)
  assert.match(await refused.text(), /^index,.*\r\n0,,x,.*invalid_request/)
})

test('a line end inside a cell of a table splits no row, and no line of a cell begins as a formula', async (t) => {
  const server = await startServer(t)
  const ends = ['\n', '\r', '\r\n', '\r\r', '\n\n']
  const rows = ends.flatMap((end) => [
    { target: EXAMPLE, title: `x${end}=1+1` },
    { target: EXAMPLE, campaign: `x${end}\uFF1D1+1` },
    { target: '-', alias: `${end}@x` },
  ])
  const archive = await (await bulk(server, rows, '?qr=zip')).text()
  // The table is stored in the archive as it is, between its header and its descriptor, whose bytes are no text.
  const stored = archive.slice(archive.indexOf('index,'), archive.indexOf('PK\u0007\u0008'))
  assert.equal(parse(stored).length, rows.length + 1)
  for (const text of [await (await bulk(server, rows, '?format=csv')).text(), stored]) {
    for (const line of text.split(/[\r\n]/)) assert.doesNotMatch(line, /^"?[=+@\t\uFF1D\uFF0B\uFF0D\uFF20-]/)
  }
  const [, ...lines] = parse(await (await bulk(server, rows, '?format=csv')).text())
  assert.deepEqual(
    lines.map(([index]) => Number(index)),
    rows.map((_, at) => at),
  )
})

test('a table repeats the fields of a failed row cut off one character above their bounds', async (t) => {
  const server = await startServer(t)
  const long = '"'.repeat(1_000)
  const rows = Array.from({ length: 500 }, () => ({ alias: long, title: long, campaign: long, target: 'x' }))
  const text = await (await bulk(server, rows, '?format=csv')).text()
  assert.ok(text.length < 1024 * 1024, `${text.length} characters`)
  const [, [, alias = '', , title = '', campaign = ''] = []] = parse(text)
  assert.deepEqual([alias.length, title.length, campaign.length], [65, 401, 401])
})

test('a table does not escape tokens, whatever they begin with', async (t) => {
  const server = await startServer(t)
  const response = await bulk(server, copies(500), '?format=csv')
  const rows = parse(await response.text(), { columns: true }) as Record<string, string>[]
  for (const { token, manage_url: url } of rows) assert.equal(url, `${server.url}/m/${token}`)
})

test('?qr=zip returns an archive with the table and the image of each code', async (t) => {
  if (!requireProgram(t, 'unzip', 'unzip')) return
  const server = await startServer(t)
  const rows = [{ target: EXAMPLE, alias: 'menu' }, { target: 'x' }, { target: EXAMPLE, alias: 'con' }]
  const response = await bulk(server, rows, '?qr=zip')
  assert.equal(response.status, 201)
  assert.equal(response.headers.get('content-type'), 'application/zip')
  const folder = temporaryFolder(t)
  const archive = join(folder, 'links.zip')
  writeFileSync(archive, Buffer.from(await response.arrayBuffer()))
  const unzip = spawnSync('unzip', ['-q', archive, '-d', folder], { encoding: 'utf8' })
  assert.equal(unzip.status, 0, unzip.stderr)
  const table = parse(readFileSync(join(folder, 'links.csv'), 'utf8'), { columns: true }) as Record<string, string>[]
  assert.deepEqual(
    table.map(({ code }) => code),
    ['menu', '', 'con'],
  )
  for (const code of ['menu', 'con']) {
    const svg = await (await fetch(`${server.url}/${code}/qr.svg`)).text()
    assert.equal(readFileSync(join(folder, `qr-${code}.svg`), 'utf8'), svg)
  }
  assert.equal(existsSync(join(folder, 'qr-x.svg')), false)
})

test('a bulk request is charged once, however many links it creates; one that creates none is charged as a failure', async (t) => {
  const server = await startServer(t, { LIMIT_BULK: '2', LIMIT_LINKS: '1', LIMIT_FAILURES: '3' })
  const first = await bulk(server, copies(100))
  assert.equal(first.status, 201)
  assert.match(first.headers.get('ratelimit') ?? '', /^"bulk";r=1;/)
  assert.equal((await bulk(server, [{ target: 'x' }])).status, 400)
  assert.equal((await bulk(server, [{ target: EXAMPLE }])).status, 201)
  assert.equal((await bulk(server, [{ target: EXAMPLE }])).status, 429)
  assert.equal((await post(`${server.url}/api/links`, { target: EXAMPLE })).status, 201)
})

test('the codes that a client chooses in bulk have a quota of their own, because they stay taken when their links are deleted', async (t) => {
  const server = await startServer(t, { LIMIT_ALIASES: '5' })
  const named = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, at) => ({ target: EXAMPLE, alias: `${prefix}-${at}` }))
  const { results } = await result(
    await bulk(server, [...named('one', 3), ...copies(100), { target: 'x', alias: 'bad' }]),
  )
  for (const row of results.slice(0, 3)) {
    const { token } = row as { token: string }
    assert.equal((await fetch(`${server.url}/api/manage/${token}`, { method: 'DELETE' })).status, 200)
  }
  const refused = await bulk(server, named('two', 3))
  assert.equal(refused.status, 429)
  const { detail } = (await refused.json()) as { detail: string }
  assert.match(detail, /^5 codes of one’s own can be created in bulk .*, of which 2 are left for the 3 of this request/)
  // What only validates takes none, what fails is refunded.
  assert.equal((await bulk(server, named('two', 3), '?dry_run=true')).status, 200)
  assert.equal((await bulk(server, [...named('two', 2), { target: 'x' }], '?atomic=true')).status, 400)
  assert.equal((await result(await bulk(server, named('two', 2)))).created, 2)
  assert.equal((await bulk(server, copies(500))).status, 201)
  assert.equal((await bulk(server, named('three', 1))).status, 429)
})

test('a request that creates nothing is charged when it tells which codes are taken, and the codes are given back', async (t) => {
  const server = await startServer(t, { LIMIT_BULK: '4', LIMIT_ALIASES: '3' })
  assert.equal((await bulk(server, [{ target: EXAMPLE, alias: 'menu' }])).status, 201)
  const probe = [
    { target: EXAMPLE, alias: 'menu' },
    { target: EXAMPLE, alias: 'free' },
  ]
  const none = await bulk(server, [...probe, { target: 'x' }], '?atomic=true')
  assert.equal(none.status, 400)
  assert.match(await none.text(), /the alias menu is taken/)
  assert.equal((await bulk(server, probe.slice(0, 1))).status, 400)
  // Without codes it tells nothing.
  assert.equal((await bulk(server, [{ target: EXAMPLE }, { target: 'x' }], '?atomic=true')).status, 400)
  assert.equal((await result(await bulk(server, probe))).created, 1)
  assert.equal((await bulk(server, [...probe, { target: 'x' }], '?atomic=true')).status, 429)
})

test('a dry run is charged as well, because it is as much work', async (t) => {
  const server = await startServer(t, { LIMIT_BULK: '1' })
  const dry = await bulk(server, [{ target: EXAMPLE }], '?dry_run=true')
  assert.deepEqual([dry.status, dry.headers.get('ratelimit')?.slice(0, 10)], [200, '"bulk";r=0'])
  assert.equal((await bulk(server, [{ target: EXAMPLE }])).status, 429)
})

test('the largest request yields to the event loop while it is processed', async (t) => {
  const server = await startServer(t)
  const link = (await result(await bulk(server, [{ target: EXAMPLE }]))).results[0]
  const rows = Array.from({ length: 500 }, (_, row) => ({
    kind: 'page',
    headline: 'x',
    links: Array.from({ length: 100 }, (_, at) => ({ label: 'l', url: `https://h${row}-${at}.example.com/some/path` })),
  }))
  let turns = 0
  const counting = setInterval(() => turns++, 1)
  const answer = await bulk(server, rows)
  clearInterval(counting)
  assert.equal((await result(answer)).created, 500)
  assert.ok(turns > 20, `the loop turned ${turns} times`)
  assert.equal((await visit(`${server.url}/${link?.code}`)).status, 302)
})

test('a retry with the same Idempotency-Key returns the same tokens and is not charged; another body gets 422', async (t) => {
  const server = await startServer(t, { LIMIT_BULK: '1' })
  const key = { 'idempotency-key': 'bulk-key-of-16-or-more' }
  const rows = [{ target: EXAMPLE }, { target: 'x' }]
  const first = await (await bulk(server, rows, '', key)).text()
  const again = await bulk(server, rows, '', key)
  assert.equal(again.status, 201)
  assert.equal(await again.text(), first)
  assert.equal((await bulk(server, [{ target: EXAMPLE }], '', key)).status, 422)
  assert.equal((await bulk(server, rows, '?format=csv', key)).status, 422)
})

test('concurrent bulk requests for the same aliases create each alias once', async (t) => {
  const server = await startServer(t)
  const rows = Array.from({ length: 200 }, (_, at) => ({ target: EXAMPLE, alias: `both-${at}` }))
  const answers = await Promise.all([bulk(server, rows), bulk(server, rows), bulk(server, rows.toReversed())])
  const results = await Promise.all(answers.map(result))
  assert.equal(
    results.reduce((sum, { created }) => sum + created, 0),
    200,
  )
})

const KILLS = 3

test(`after each of ${KILLS} kill -9 in the middle of bulk creations, each is stored as a whole or not at all, and a retry returns its tokens`, async (t) => {
  const random = seededRandom(t)
  const dataDir = temporaryFolder(t)
  const rows = (request: number) =>
    Array.from({ length: 500 }, (_, at) => ({ target: EXAMPLE, alias: `k${request}-${at}` }))
  const keyOf = (request: number) => ({ 'idempotency-key': `bulk-request-number-${request}` })
  const answers = new Map<number, string>()
  let last = 0
  for (let kill = 0; kill < KILLS; kill++) {
    const service = await start(t, dataDir, ['--limit-bulk=0'])
    const before = answers.size
    const sending = (async () => {
      for (;;) {
        const request = last++
        answers.set(request, await (await bulk(service, rows(request), '', keyOf(request))).text())
      }
    })().catch(() => undefined)
    await poll(() => answers.size > before)
    await sleep(random() * 200)
    service.process.kill('SIGKILL')
    await exitOf(service)
    await sending
  }
  const service = await start(t, dataDir, ['--limit-bulk=0', '--limit-misses=0'])
  assert.ok(last > KILLS)
  for (let request = 0; request < last; request++) {
    const visits = [0, 250, 499].map(async (at) => (await visit(`${service.url}/k${request}-${at}`)).status)
    const found = new Set(await Promise.all(visits))
    assert.equal(found.size, 1, `request ${request} is there by half`)
    const before = answers.get(request)
    if (before !== undefined) assert.ok(found.has(302), `the answered request ${request} is not there`)
    const repeated = await (await bulk(service, rows(request), '', keyOf(request))).text()
    if (before !== undefined) assert.equal(withoutOrigin(repeated), withoutOrigin(before))
    const { created, results } = JSON.parse(repeated) as Result
    assert.equal(created, 500)
    assert.equal((await fetch(`${service.url}/api/manage/${results[7]?.token}`)).status, 200)
  }
})

/** Removes the origin, whose port differs from start to start. */
function withoutOrigin(text: string): string {
  return text.replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, '')
}

const cell = fc.oneof(
  fc.constantFrom('', 'https://example.com/a', 'https://example.com/?q="x",y', 'http://10.0.0.1/', 'x', '=1+1', ' '),
  fc.string({ maxLength: 12 }),
)
const alias = fc.oneof(fc.constantFrom('', 'menu', 'Menu', 'api', '-a', 'a b'), fc.stringMatching(/^[a-z0-9]{1,3}$/))
const table = fc.array(fc.record({ alias, target: cell, title: cell, campaign: cell }), { minLength: 1, maxLength: 12 })

test('each row of a CSV gives the same link or error as a single creation of it', async (t) => {
  const [single, many] = [await startServer(t), await startServer(t)]
  let run = 0
  await fc.assert(
    fc.asyncProperty(table, fc.constantFrom(',', ';', '\t'), async (drawn, delimiter) => {
      run++
      // Both services have the aliases of earlier tables; the alias that rows of one table share is new in each run.
      const rows = drawn.map((row) => ({ ...row, alias: row.alias.replace(/^menu$/i, `$&${run}`) }))
      const kept = rows.filter((row) => Object.values(row).some((value) => value.trim() !== ''))
      fc.pre(kept.length > 0)
      const text = stringify(kept, { header: true, delimiter, quoted: true })
      const { results } = await result(await bulkCsv(many, text))
      for (const [index, row] of kept.entries()) {
        const body = Object.fromEntries(Object.entries(row).filter(([, value]) => value !== ''))
        const alone = await post(`${single.url}/api/links`, body)
        const answer = (await alone.json()) as Created & { code: string; detail: string }
        const got = results[index]
        if (alone.status !== 201) {
          assert.deepEqual([got?.error?.code, got?.error?.detail], [answer.code, answer.detail])
          continue
        }
        assert.ok(got?.token, JSON.stringify(got))
        if (row.alias !== '') assert.equal(got.code, row.alias)
        const details = async (of: TestServer, token: string) => {
          const all = (await (await fetch(`${of.url}/api/manage/${token}`)).json()) as Record<string, unknown>
          return [all['kind'], all['target'], all['title'], all['campaign'], all['utm'], all['active']]
        }
        assert.deepEqual(await details(many, got.token), await details(single, answer.token))
      }
    }),
    { numRuns: 40 },
  )
})
