// What is charged to whom: each operation of the OpenAPI document, by a client that has used up its quotas, and by one that has stored its
// part of a disk that is nearly full. A new operation that stores something and is charged to nothing fails without a change here.
import assert from 'node:assert/strict'
import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { test, type TestContext } from 'node:test'
import { readOperations, type Operation } from './support/contract.ts'
import { fetchFrom, sendFrom, statusFrom } from './support/loopback.ts'
import { create, post, put, skipUnlessSqlite, startServer, type TestServer } from './support/server.ts'
import {
  createSubjects,
  requestOf,
  validRequests,
  type Sent,
  type Subjects,
  type Valid,
} from './support/valid-requests.ts'

const GREEDY = '127.1.1.1'
const target = 'https://example.com/'

/** What may be stored although a client has used up everything, and what bounds it. */
const whatAnyoneMayStore: Record<string, string> = {
  rotateToken: 'one hash for each link, which replaces an earlier one',
  rotateTokenByHeader: 'the same',
  rotateTokenInCollection: 'the same',
  rotateCollectionToken: 'one hash for each collection',
  rotateCollectionTokenByHeader: 'the same',
  deleteLink: 'what is left of a link that was charged as it was created',
  deleteLinkByHeader: 'the same',
}

/** What may be stored besides by who has stored his part of a disk that is nearly full. */
const whatHasQuotasOfItsOwn: Record<string, string> = {
  report: 'LIMIT_REPORTS, one row for each link, and its reporters',
  registerDomain: 'LIMIT_DOMAINS',
}

/** Requests of operations that store several things, and those whose valid request is about what the test has made before. */
async function requestsOf(subjects: Subjects): Promise<[id: string, valid: Valid | (() => Promise<Valid>)][]> {
  const { server } = subjects
  const collected = (body: object) => async (): Promise<Valid> => {
    const made = await post(`${server.url}/api/collections`, {})
    const { token } = (await made.json()) as { token: string }
    return { token: () => token, body }
  }
  const webhook = { url: 'https://example.com/hook', events: ['link.changed'] }
  const createLink = { body: { target, alias: 'greedy' }, status: 201 }
  const registerDomain = { body: { domain: 'greedy.example.com' }, status: 201 }
  return [
    ...Object.entries({ ...validRequests(subjects), createLink, registerDomain }),
    ['changeCollection', collected({ name: 'Summer' })],
    ['changeCollection', collected({ looks: { red: { fg: '#900' } } })],
    ['changeCollection', collected({ webhook })],
    ['changeLink', { body: { webhook } }],
    ['changeLink', { body: { password: 'correct-horse' } }],
  ]
}

/** Starts a service with what valid requests are about, which another client has made. */
async function startWithSubjects(t: TestContext, env: Record<string, string>): Promise<Subjects> {
  const server = await startServer(t, { ...env, CONTACT: 'abuse@bakery.shop' })
  const subjects = await createSubjects(server)
  await create(server, { target, alias: 'locked', password: 'correct-horse' })
  await post(`${server.url}/api/domains`, { domain: 'qr.example.com' })
  for (const title of ['one', 'two']) await put(`${server.url}/api/manage/${subjects.link.token}`, { title })
  return subjects
}

/** Characters in each table of the store, but in those that the service itself writes; of domains, whose DNS it checks, how many there are. */
async function stored({ services: { db } }: TestServer): Promise<Map<string, number>> {
  const tables = await db.read.introspection.getTables()
  // In PostgreSQL, scans have a schema of their own.
  const ofLinks = tables.filter(({ schema = 'public' }) => schema === 'public')
  const names = ofLinks
    .map(({ name }) => name)
    .filter((name) => !/^(?:clock|leases|migrations)$|scan|rollup/.test(name))
  const sizes = new Map<string, number>()
  for (const name of names) {
    const rows = await db.read
      .selectFrom(name as 'links')
      .selectAll()
      .execute()
    sizes.set(name, name === 'domains' ? rows.length : lengthOf(rows))
  }
  return sizes
}

const lengthOf = (rows: object[]) =>
  JSON.stringify(rows, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value)).length

/** Sends each operation's valid request, also with an Idempotency-Key where it takes one. @returns what came of each */
async function askAll(subjects: Subjects) {
  const { server } = subjects
  const operations = new Map((await readOperations(server.url)).map((operation) => [operation.id, operation]))
  const [refused, growing, faults] = [new Set<string>(), new Set<string>(), [] as string[]]
  async function ask(id: string, { path, ...request }: Sent, expected: number) {
    const before = await stored(server)
    const status = await statusFrom(GREEDY, server.url + path, request)
    if (status === 429) return void refused.add(id)
    if (status !== expected) faults.push(`${id}: ${status}, not ${expected}`)
    const grown = [...(await stored(server))].filter(([name, size]) => size > (before.get(name) ?? 0))
    if (grown.length > 0) growing.add(id)
  }
  const asked = new Set<string>()
  for (const [id, given] of await requestsOf(subjects)) {
    const operation = operations.get(id)
    if (operation === undefined) continue
    asked.add(id)
    for (const headers of headersOf(operation)) {
      const valid = typeof given === 'function' ? await given() : given
      const request = requestOf(operation, valid, subjects)
      await ask(id, { ...request, headers: { ...request.headers, ...headers } }, valid.status ?? 200)
    }
  }
  assert.deepEqual(
    [...operations.keys()].filter((id) => !asked.has(id)),
    [],
  )
  return { refused, growing: [...growing].sort(), faults }
}

let keys = 0
function headersOf({ parameters }: Operation): Record<string, string>[] {
  const takesKey = parameters.some(({ name }) => name.toLowerCase() === 'idempotency-key')
  return [{}, ...(takesKey ? [{ 'idempotency-key': `the key of request ${++keys}` }] : [])]
}

test('a client that has used up its quotas stores nothing more by any operation', async (t) => {
  const limits = { LINKS: '150', CHANGES: '500', BULK: '3', QR: '5', DOMAINS: '20', REPORTS: '20' }
  const env = Object.fromEntries(Object.entries(limits).map(([name, most]) => [`LIMIT_${name}`, most]))
  const subjects = await startWithSubjects(t, env)
  const { url } = subjects.server
  const made = await sendFrom(
    GREEDY,
    `${url}/api/bulk`,
    Array.from({ length: 500 }, () => ({ target })),
  )
  const { results } = JSON.parse(made.text) as { results: { token: string }[] }
  const changes = results.map(({ token }) => ({ token, title: 'x' }))
  assert.equal((await sendFrom(GREEDY, `${url}/api/manage`, { changes })).status, 200)
  for (let at = 0; at < 150; at++) await sendFrom(GREEDY, `${url}/api/links`, { target })
  for (let at = 0; at < 2; at++) await sendFrom(GREEDY, `${url}/api/bulk`, [{ target }])
  for (let at = 0; at < 5; at++) await fetchFrom(GREEDY, `${url}/api/qr?data=${at}`)
  for (let at = 0; at < 20; at++) await sendFrom(GREEDY, `${url}/api/domains`, { domain: `n${at}.example.org` })
  for (let at = 0; at < 20; at++)
    await sendFrom(GREEDY, `${url}/api/reports`, { code: subjects.link.code, reason: 'phishing', details: `${at}` })

  const { refused, growing, faults } = await askAll(subjects)
  assert.deepEqual(faults, [])
  assert.deepEqual(growing, Object.keys(whatAnyoneMayStore).sort())
  for (const id of [
    'createLink',
    'createShare',
    'createCollectionShare',
    'createCollection',
    'joinCollection',
    'report',
  ])
    assert.ok(refused.has(id), id)
})

// Links in PostgreSQL are on a disk that a node does not see.
const whereLinksAreOnTheDisk = { skip: skipUnlessSqlite }

test(
  'who has stored his part of a disk that is nearly full stores nothing more by any operation',
  whereLinksAreOnTheDisk,
  async (t) => {
    const { bavail, bsize } = statfsSync(tmpdir())
    const subjects = await startWithSubjects(t, { DISK_FLOOR: `${Math.floor((bavail * bsize * 1.2) / 2 ** 20)}M` })
    const { url } = subjects.server
    const rows = (count: number) => Array.from({ length: count }, () => ({ target: `${target}?${'x'.repeat(1500)}` }))
    for (const count of [450, 450, 50, 20, 10, 5, 2, ...Array.from({ length: 60 }, () => 1)])
      await sendFrom(GREEDY, `${url}/api/bulk`, rows(count))
    while ((await sendFrom(GREEDY, `${url}/api/links`, { target })).status === 201);

    const { refused, growing, faults } = await askAll(subjects)
    assert.deepEqual(faults, [])
    assert.deepEqual(growing, Object.keys({ ...whatAnyoneMayStore, ...whatHasQuotasOfItsOwn }).sort())
    for (const id of ['createLink', 'createShare', 'createCollectionShare', 'createCollection', 'joinCollection'])
      assert.ok(refused.has(id), id)
  },
)
