import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Database } from '../src/db/database.ts'
import { temporaryFolder } from './support/cleanup.ts'
import { poll } from './support/poll.ts'
import { exitOf, start } from './support/program.ts'
import { requireProgram } from './support/programs.ts'
import { seededRandom } from './support/random.ts'
import {
  create,
  post,
  put,
  skipUnlessOneNode,
  startServer,
  visit,
  type Created,
  type TestServer,
  withoutWarnings,
} from './support/server.ts'

const EXAMPLE = 'https://example.com/'
const NEW = 'https://example.com/new'
const NOBODY = 'A'.repeat(43)

interface Row {
  index: number
  code?: string
  short_url?: string
  etag?: string
  changed?: boolean
  valid?: true
  error?: { code: string; detail: string; errors: { pointer: string; detail: string }[] }
}
interface Result {
  changed: number
  unchanged: number
  failed: number
  results: Row[]
}

const change = (server: Pick<TestServer, 'url'>, changes: unknown, query = '') =>
  post(`${server.url}/api/manage${query}`, { changes })

async function result(response: Response, status = 200): Promise<Result> {
  const text = await response.text()
  assert.equal(response.status, status, text)
  return JSON.parse(text) as Result
}

async function createMany(server: Pick<TestServer, 'url'>, rows: object[]): Promise<Created[]> {
  const response = await post(`${server.url}/api/bulk?atomic=true`, rows)
  assert.equal(response.status, 201)
  return ((await response.json()) as { results: Created[] }).results
}

const copies = (count: number) => Array.from({ length: count }, () => ({ target: EXAMPLE }))
const startWith = async (t: TestContext, count: number) => {
  const server = await startServer(t)
  return { server, links: await createMany(server, copies(count)) }
}
const detailsOf = async (server: Pick<TestServer, 'url'>, token: string) =>
  (await (await fetch(`${server.url}/api/manage/${token}`)).json()) as Record<string, unknown>
const targetsOf = async (server: Pick<TestServer, 'url'>, links: Created[]) =>
  Promise.all(links.map(async ({ token }) => (await detailsOf(server, token))['target']))
const codesOf = ({ results }: Result) => results.map((row) => row.error?.code ?? row.changed ?? row.valid)

test('an invalid row does not keep the others from being changed, and no response contains a token', async (t) => {
  const { server, links } = await startWith(t, 4)
  const [first, second, third, fourth] = links.map(({ token }) => token)
  for (const { short_url } of links) assert.equal((await visit(short_url)).headers.get('location'), EXAMPLE)
  const response = await change(server, [
    { token: first, target: NEW, title: 'Summer' },
    { token: second, target: 'http://127.0.0.1/', title: 7 },
    'not an object',
    { target: NEW },
    { token: 7 },
    { token: NOBODY, target: NEW },
    { token: 'short' },
    { token: third, target: EXAMPLE },
    { token: fourth, password: 'correct horse battery', target: NEW },
    { token: first, target: 'https://example.com/again' },
  ])
  for (const name of ['cache-control', 'referrer-policy', 'x-robots-tag'])
    assert.match(response.headers.get(name) ?? '', /^no/)
  const text = await response.clone().text()
  for (const { token } of links) assert.ok(!text.includes(token))
  const { results, ...counts } = await result(response)
  assert.deepEqual(counts, { changed: 1, unchanged: 1, failed: 8 })
  const { warnings, ...changed } = results[0] as (typeof results)[0] & { warnings: object[] }
  assert.equal(warnings.length, 1)
  assert.deepEqual(changed, {
    index: 0,
    code: links[0]?.code,
    short_url: links[0]?.short_url,
    etag: '"2"',
    changed: true,
  })
  assert.deepEqual([results[7]?.etag, results[7]?.changed], ['"1"', false])
  assert.deepEqual(
    results.map((row) => row.error && [row.error.code, ...row.error.errors.map(({ pointer }) => pointer)]),
    [
      undefined,
      ['invalid_request', '/title'],
      ['invalid_request', ''],
      ['invalid_request', '/token'],
      ['invalid_request', '/token'],
      ['unknown_token'],
      ['unknown_token'],
      undefined,
      ['invalid_request', '/password'],
      ['invalid_request', '/token'],
    ],
  )
  assert.match(results[9]?.error?.detail ?? '', /the link of row 0/)
  assert.deepEqual(await targetsOf(server, links), [NEW, EXAMPLE, EXAMPLE, EXAMPLE])
  const locations = links.map(async ({ short_url }) => (await visit(short_url)).headers.get('location'))
  assert.deepEqual(await Promise.all(locations), [NEW, EXAMPLE, EXAMPLE, EXAMPLE])
})

test('when no row is valid the response is a problem with the same members', async (t) => {
  const { server, links } = await startWith(t, 1)
  const rows = [{ token: NOBODY }, { token: links[0]?.token, target: 'x' }]
  for (const query of ['', '?atomic=true', '?dry_run=true']) {
    const response = await change(server, rows, query)
    assert.match(response.headers.get('content-type') ?? '', /^application\/problem\+json/)
    const body = (await result(response, 400)) as Result & { code: string }
    assert.deepEqual([body.code, body.changed, body.unchanged, body.failed], ['nothing_changed', 0, 0, 2])
    assert.deepEqual(codesOf(body), ['unknown_token', 'invalid_request'])
  }
})

test('?atomic=true changes all links or none, and names the row that failed', async (t) => {
  const { server, links } = await startWith(t, 3)
  const rows = links.map(({ token }) => ({ token, target: NEW }))
  for (const invalid of [
    { token: NOBODY },
    { ...rows[2], target: 'x' },
    { ...rows[0] },
    { ...rows[2], if_match: '"9"' },
  ]) {
    const refused = await result(await change(server, [rows[0], rows[1], invalid], '?atomic=true'), 400)
    assert.deepEqual([refused.changed, refused.unchanged, refused.failed], [0, 0, 3])
    assert.deepEqual(refused.results[0]?.error, {
      code: 'nothing_changed',
      detail: 'row 2 is invalid, and the request is atomic: all rows or none',
      errors: [],
    })
    assert.deepEqual(await targetsOf(server, links), [EXAMPLE, EXAMPLE, EXAMPLE])
  }
  assert.equal((await result(await change(server, rows, '?atomic=true'))).changed, 3)
  assert.deepEqual(await targetsOf(server, links), [NEW, NEW, NEW])
  // The same request again, because its response was lost.
  const { results, ...counts } = await result(await change(server, rows, '?atomic=true'))
  assert.deepEqual(counts, { changed: 0, unchanged: 3, failed: 0 })
  assert.ok(results.every(({ etag }) => etag === '"2"'))
})

test('?dry_run=true says which rows are valid and changes nothing', async (t) => {
  const { server, links } = await startWith(t, 2)
  const rows = [{ token: links[0]?.token, target: NEW }, { token: NOBODY }, { token: links[1]?.token, title: 'x' }]
  for (const query of ['?dry_run=true', '?dry_run=true&atomic=true']) {
    const dry = await result(await change(server, rows, query))
    assert.deepEqual([dry.changed, dry.unchanged, dry.failed], [0, 0, 1])
    assert.deepEqual(dry.results[0], { index: 0, valid: true, code: links[0]?.code, etag: '"1"', fields: ['target'] })
    assert.deepEqual(codesOf(dry), [true, 'unknown_token', true])
  }
  assert.deepEqual((await detailsOf(server, links[0]?.token ?? ''))['target'], EXAMPLE)
})

test('1 to 500 rows are accepted in "changes", and its options only in the query', async (t) => {
  const { server, links } = await startWith(t, 500)
  const rows = links.map(({ token }) => ({ token, target: NEW }))
  assert.equal((await result(await change(server, rows))).changed, 500)
  const token = links[0]?.token
  const [row] = rows
  for (const [pointer, body] of [
    ['/changes', { changes: [] }],
    ['/changes', { changes: [...rows, { token }] }],
    ['/changes', { changes: row }],
    ['/changes', {}],
    ['', [row]],
    ['', null],
    ['/atomic', { changes: [row], atomic: true }],
    ['/dry_run', { dry_run: true, changes: [row] }],
  ] as const) {
    const refused = await post(`${server.url}/api/manage`, body)
    const { errors } = (await refused.json()) as { errors: { pointer: string }[] }
    assert.deepEqual([refused.status, errors[0]?.pointer], [400, pointer], JSON.stringify(body).slice(0, 100))
  }
  assert.equal((await post(`${server.url}/api/manage?atomic=yes`, { changes: [row] })).status, 400)
  assert.equal((await post(`${server.url}/api/manage`, { changes: [{ token }], note: 'ignored' })).status, 200)
  assert.equal((await change(server, [{ token, title: 'x'.repeat(4 * 2 ** 20) }])).status, 413)
  const header = { authorization: `Bearer ${token}` }
  assert.equal((await post(`${server.url}/api/manage`, { changes: [{ target: NEW }] }, header)).status, 400)
})

const page = { kind: 'page', headline: 'Menu', links: [{ label: 'x', url: EXAMPLE }] }
const card = { kind: 'vcard', org: 'ACME', email: 'a@example.com' }
const store = { kind: 'appstore', ios: 'https://apps.apple.com/app/id1', fallback: EXAMPLE }

/** A creation, and changes of it, each as the body of a PUT. */
const examples: [created: object, ...patches: object[]][] = [
  [
    { target: EXAMPLE },
    { target: NEW },
    {},
    { title: 'Menu', campaign: 'summer', utm: { utm_source: 'flyer' } },
    { active: false },
    { target: null },
    { target: 'http://10.0.0.1/' },
    { target: 'https://www.bad.example/', title: null },
    { kind: 'page' },
    { kind: 'url', payload: { target: NEW } },
    { alias: 'other' },
    { active: 1, title: 5, utm: { A: 1 } },
    { payload: 7 },
    { if_match: '"1"', title: 'matched' },
    { if_match: '"2", "3"', title: 'not matched' },
    { if_match: '*', title: 'any' },
    { if_match: 'nonsense' },
  ],
  [
    page,
    { headline: 'New' },
    { payload: { links: null } },
    { headline: null },
    { links: [{ label: 'x', url: 'ftp://x' }] },
  ],
  [
    card,
    { lastName: 'Doe', org: null },
    { org: null },
    { payload: { email: 'b@example.com' }, email: 'c@example.com' },
  ],
  [store, { ios: null }, { ios: null, fallback: null }, { android: 'https://bad.example/' }],
]

async function startListed(t: TestContext): Promise<TestServer> {
  const file = join(temporaryFolder(t), 'own.txt')
  writeFileSync(file, 'bad.example\n')
  const server = await startServer(t, { ABUSE_FEEDS: file })
  await server.services.abuse.operations['lists']?.({ accept: true })
  return server
}

test('500 rows of one request become what 500 single PUTs become: the same details and the same errors', async (t) => {
  const [single, many] = [await startListed(t), await startListed(t)]
  const all = examples.flatMap(([created, ...patches]) => patches.map((patch) => ({ created, patch })))
  const rows = Array.from({ length: 500 }, (_, at) => all[at % all.length] as (typeof all)[number])
  const bodies = rows.map(({ created }, at) => ({ ...created, alias: `link-${at}` }))
  const [singles, manies] = [await createMany(single, bodies), await createMany(many, bodies)]
  const suspended = [3, 77, 400].map((at) => `link-${at}`)
  for (const code of suspended) {
    for (const { services } of [single, many]) {
      await services.abuse.operations['block']?.({ subject: code, reason: 'test' })
    }
  }

  const expected: object[] = []
  for (const [at, { patch }] of rows.entries()) {
    const { if_match: ifMatch, ...body } = patch as { if_match?: string }
    const headers = ifMatch === undefined ? {} : { 'if-match': ifMatch }
    const response = await put(`${single.url}/api/manage/${singles[at]?.token}`, body, headers)
    const { code, detail, errors = [] } = (await response.json()) as Partial<NonNullable<Row['error']>>
    expected.push(
      response.status === 200 ? { etag: response.headers.get('etag') } : { error: { code, detail, errors } },
    )
  }
  const changes = rows.map(({ patch }, at) => ({ ...patch, token: manies[at]?.token }))
  const { results } = await result(await change(many, changes))
  const seen = results.map(({ error, etag }) => (error === undefined ? { etag } : { error }))
  assert.deepEqual(seen, expected)
  assert.deepEqual(
    ['invalid_request', 'precondition_failed', 'link_removed', 'target_blocked'].filter(
      (code) => !results.some((row) => row.error?.code === code),
    ),
    [],
  )

  const comparable = async (server: TestServer, { token }: Created) => {
    const found = await detailsOf(server, token)
    const { created_at: _created, updated_at: _updated, manage_url: _manage, ...rest } = found
    return JSON.parse(
      JSON.stringify(rest)
        .replaceAll(server.url, '')
        .replaceAll(/"at":"[^"]*"/g, '"at":""'),
    ) as unknown
  }
  for (const [at, link] of singles.entries()) {
    assert.deepEqual(
      await comparable(many, manies[at] as Created),
      await comparable(single, link),
      JSON.stringify(rows[at]),
    )
  }
})

test(
  'wrong tokens are charged as failed look-ups, and once the quota is used up no further row is looked up',
  { skip: skipUnlessOneNode },
  async (t) => {
    const server = await startServer(t, { LIMIT_MISSES: '3' })
    const links = await createMany(server, copies(40))
    const wrong = { token: NOBODY, target: NEW }
    const rows = links.map(({ token }) => ({ token, target: NEW }))
    const first = await change(server, [rows[0], wrong, wrong, rows[1]])
    assert.equal(first.headers.get('ratelimit-policy'), '"misses";q=3;w=3600')
    assert.match(first.headers.get('ratelimit') ?? '', /^"misses";r=1;/)
    assert.deepEqual(codesOf(await result(first)), [true, 'unknown_token', 'unknown_token', true])

    const atomic = await change(server, [rows[2], wrong], '?atomic=true')
    assert.deepEqual(codesOf(await result(atomic, 400)), ['nothing_changed', 'unknown_token'])

    let reads = 0
    const { db } = server.services
    const { read } = db
    db.read = read.withPlugin({
      transformQuery({ node }) {
        reads++
        return node
      },
      transformResult: async ({ result }) => result,
    })
    const limited = await result(await change(server, [rows[3], wrong, ...rows.slice(4)]))
    db.read = read
    assert.deepEqual(codesOf(limited), [true, ...Array(37).fill('rate_limited')])
    assert.match(limited.results[2]?.error?.detail ?? '', /^3 unknown codes and tokens can be tried from one address/)
    assert.equal(
      reads,
      4,
      'one for the first row, one for the next, two for the unknown among these, whose link may be deleted',
    )
    const targets = await targetsOf(server, links)
    assert.equal(targets.filter((target) => target === NEW).length, 3)
    assert.equal((await result(await change(server, rows))).changed, 37, 'right tokens are never refused')
  },
)

test('a request of which nothing is valid is charged as a refused one, before its body is read', async (t) => {
  const server = await startServer(t, { LIMIT_FAILURES: '2' })
  const link = await create(server, { target: EXAMPLE })
  const rows = [{ token: link.token, target: NEW }]
  for (const body of [{}, { changes: [7] }]) {
    assert.equal((await post(`${server.url}/api/manage`, body)).status, 400)
  }
  assert.equal((await change(server, rows)).status, 429)
  assert.equal((await put(`${server.url}/api/manage/${link.token}`, { target: NEW })).status, 200)
})

/** Runs something between the reading of the rows and the next transaction. */
function beforeTransaction({ db }: { db: Database }, run: () => Promise<unknown>): void {
  const { transaction } = db
  db.transaction = async (work) => {
    db.transaction = transaction
    await run()
    return transaction(work)
  }
}

const changed = (server: TestServer, link: Created | undefined, body: object) =>
  put(`${server.url}/api/manage/${link?.token}`, body)

for (const query of ['', '?atomic=true']) {
  test(
    `a link that somebody else changes meanwhile keeps both changes${query && `, with ${query}`}`,
    { skip: skipUnlessOneNode },
    async (t) => {
      const { server, links } = await startWith(t, 3)
      beforeTransaction(server.services, () => changed(server, links[1], { title: 'Theirs' }))
      const done = await result(
        await change(
          server,
          links.map(({ token }) => ({ token, target: NEW })),
          query,
        ),
      )
      assert.deepEqual(
        done.results.map(({ etag }) => etag),
        ['"2"', '"3"', '"2"'],
      )
      assert.deepEqual((await detailsOf(server, links[1]?.token ?? ''))['title'], 'Theirs')
      assert.deepEqual(await targetsOf(server, links), [NEW, NEW, NEW])
    },
  )
}

test(
  'a row with if_match fails when somebody else changes its link meanwhile, and an atomic request with it',
  { skip: skipUnlessOneNode },
  async (t) => {
    const { server, links } = await startWith(t, 3)
    const rows = links.map(({ token }) => ({ token, target: NEW, if_match: '"1"' }))
    beforeTransaction(server.services, () => changed(server, links[1], { title: 'Theirs' }))
    const refused = await result(await change(server, rows, '?atomic=true'), 400)
    assert.deepEqual(codesOf(refused), ['nothing_changed', 'precondition_failed', 'nothing_changed'])
    assert.deepEqual(await targetsOf(server, links), [EXAMPLE, EXAMPLE, EXAMPLE])

    beforeTransaction(server.services, () => changed(server, links[0], { title: 'Theirs' }))
    const partial = await result(await change(server, rows))
    assert.deepEqual(codesOf(partial), ['precondition_failed', 'precondition_failed', true])
    assert.deepEqual(await targetsOf(server, links), [EXAMPLE, EXAMPLE, NEW])
  },
)

test('a link that is deleted meanwhile fails its row', { skip: skipUnlessOneNode }, async (t) => {
  const { server, links } = await startWith(t, 2)
  const [gone, other] = links
  const rows = links.map(({ token }) => ({ token, target: NEW }))
  beforeTransaction(server.services, () => fetch(`${server.url}/api/manage/${gone?.token}`, { method: 'DELETE' }))
  assert.deepEqual(codesOf(await result(await change(server, rows))), ['unknown_token', true])
  assert.equal((await detailsOf(server, other?.token ?? ''))['target'], NEW)
})

test('the links of one request are bounded, however small its rows are', async (t) => {
  const server = await startServer(t)
  const buttons = Array.from({ length: 100 }, (_, at) => ({ label: `${at}`, url: EXAMPLE + 'x'.repeat(1_900) }))
  const pages = Array.from({ length: 20 }, () => ({ kind: 'page', headline: 'x', links: buttons }))
  const links = (
    await Promise.all([createMany(server, pages), createMany(server, pages), createMany(server, pages)])
  ).flat()
  const rows = links.map(({ token }) => ({ token, title: 'New' }))
  const done = await result(await change(server, rows))
  assert.ok(done.changed >= 40 && done.failed > 0, JSON.stringify(done).slice(0, 200))
  assert.deepEqual(new Set(codesOf(done)), new Set([true, 'body_too_large']))
  const refused = await result(await change(server, rows, '?atomic=true'), 400)
  assert.equal(refused.failed, 60)
})

test(
  'of large links a few are read at a time, because visits wait meanwhile',
  { skip: skipUnlessOneNode },
  async (t) => {
    const server = await startServer(t)
    const buttons = Array.from({ length: 100 }, (_, at) => ({ label: `${at}`, url: EXAMPLE + 'x'.repeat(1_900) }))
    const pages = Array.from({ length: 20 }, () => ({ kind: 'page', headline: 'x', links: buttons }))
    const links = await createMany(server, pages)
    const { db } = server.services
    const { read } = db
    let most = 0
    db.read = read.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result: found }) {
        most = Math.max(most, JSON.stringify(found.rows).length)
        return found
      },
    })
    const rows = links.map(({ token }) => ({ token, title: 'New' }))
    const done = await result(await change(server, rows, '?dry_run=true'))
    db.read = read
    assert.equal(done.failed, 0)
    assert.ok(most > 100_000 && most < 2 ** 20, `${most} characters in a read`)
  },
)

test('concurrent requests for the same links all end, and each link has the changes of all of them', async (t) => {
  // None waits in the queue, so that each meets the changes of the others.
  const server = await startServer(t, {}, undefined, { work: { batches: { waiting: 64, concurrent: 8 } } })
  const links = await createMany(server, copies(100))
  const requests = Array.from({ length: 8 }, (_, at) => {
    const rows = links.map(({ token }) => ({
      token,
      utm: { [`by_${at}`]: 'x' },
      [at % 2 ? 'title' : 'campaign']: `${at}`,
    }))
    return change(server, at % 3 === 0 ? rows.toReversed() : rows, at % 2 ? '?atomic=true' : '')
  })
  for (const response of await Promise.all(requests)) assert.equal((await result(response)).changed, 100)
  for (const { token } of links) {
    const response = await fetch(`${server.url}/api/manage/${token}`)
    assert.equal(response.headers.get('etag'), '"9"')
  }
})

const KILLS = 3

test(`after each of ${KILLS} kill -9 in the middle of atomic changes, each was made for all its links or for none`, async (t) => {
  const random = seededRandom(t)
  const dataDir = temporaryFolder(t)
  let service = await start(t, dataDir)
  const links = await createMany(service, copies(500))
  let answered = 0
  let last = 0
  for (let kill = 0; kill < KILLS; kill++) {
    const before = answered
    const sending = (async () => {
      for (;;) {
        const target = `${EXAMPLE}${++last}`
        const rows = links.map(({ token }) => ({ token, target }))
        const done = await change(service, rows, '?atomic=true')
        assert.equal((await result(done)).changed, 500)
        answered = last
      }
    })().catch((error: unknown) => {
      if (error instanceof assert.AssertionError) throw error
    })
    await poll(() => answered > before)
    await sleep(random() * 100)
    service.process.kill('SIGKILL')
    await exitOf(service)
    await sending
    service = await start(t, dataDir)
    const visits = links.map(async ({ code }) => (await visit(`${service.url}/${code}`)).headers.get('location'))
    const targets = new Set(await Promise.all(visits))
    assert.equal(targets.size, 1, 'all or none')
    const [number = 0] = Array.from(targets, (target) => Number(target?.slice(EXAMPLE.length)))
    assert.ok([answered, last].includes(number), `${number} is neither ${answered} nor ${last}`)
    last = answered = number
  }
})

test('the example in docs/api.md changes two links', async (t) => {
  if (!requireProgram(t, 'curl', 'curl')) return
  const { server, links } = await startWith(t, 2)
  const [section = ''] = /^## Change many\n.*?(?=^## )/ms.exec(readFileSync('docs/api.md', 'utf8')) ?? []
  const [, command = ''] = /^```sh\n(.*?)^```/ms.exec(section) ?? []
  const [, pasted = ''] = /^```json\n(.*?)^```/ms.exec(section) ?? []
  const env = { ...process.env, T: links[0]?.token, T2: links[1]?.token }
  const local = command.replaceAll('localhost:3000', server.url.slice('http://'.length))
  const { stdout } = await promisify(execFile)('sh', ['-ec', local], { env })
  const shape = (text: string) => JSON.parse(text.replaceAll(/"(code|short_url)": ?"[^"]*"/g, '"$1":""')) as unknown
  assert.deepEqual(withoutWarnings(shape(stdout)), shape(pasted))
})
