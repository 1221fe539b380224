// Limits that nodes share in Redis, and what becomes of them while Redis fails.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '#kysely'
import { openRedisServer } from './support/counters.ts'
import { createDatabase } from './support/drivers.ts'
import { cheapScrypt } from './support/passwords.ts'
import { startTwo } from './support/nodes.ts'
import { poll } from './support/poll.ts'
import { urlOf } from './support/postgres.ts'
import { requireProgram } from './support/programs.ts'
import { startRedis, type RedisServer } from './support/redis.ts'
import { create, post, startServer, type TestServer } from './support/server.ts'
import { startProxy } from './support/tcp-proxy.ts'

const target = 'https://example.com/'
const from = (address: string) => ({ 'x-forwarded-for': address })

/** Creates a link as a client. */
const createAs = (node: { url: string }, client: string) => post(`${node.url}/api/links`, { target }, from(client))

async function metric(node: { url: string }, name: string): Promise<number> {
  const text = await (await fetch(`${node.url}/metrics`)).text()
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1])
}

/** Waits until a node counts in Redis, or by itself. */
const counting = (node: { url: string }, where: 'in Redis' | 'by itself') =>
  poll(async () => (await metric(node, 'quirl_limits_shared')) === Number(where === 'in Redis'))

/** Two nodes that share a quota of links, on one PostgreSQL. */
async function startShared(t: TestContext, env: Record<string, string>): Promise<[TestServer, TestServer] | undefined> {
  const server = await openRedisServer(t)
  return server && startTwo(t, { REDIS_URL: server.url, TRUST_PROXY: '127.0.0.1', ...env }, { scrypt: cheapScrypt })
}

/** One node on SQLite. */
async function startOne(
  t: TestContext,
  REDIS_URL: string,
  env: Record<string, string>,
  overrides: Parameters<typeof startServer>[3] = {},
): Promise<TestServer> {
  return startServer(t, { REDIS_URL, TRUST_PROXY: '127.0.0.1', ...env }, undefined, overrides)
}

test('of many requests to two nodes at the same time, as many succeed as the quota has, with the headers of one node', async (t) => {
  const nodes = await startShared(t, { LIMIT_LINKS: '7' })
  if (nodes === undefined) return
  const responses = await Promise.all(
    Array.from({ length: 40 }, (_, at) => createAs(nodes[at % 2] as TestServer, '8.8.8.8')),
  )
  const remaining = responses.filter(({ status }) => status === 201).map(({ headers }) => headers.get('ratelimit'))
  assert.deepEqual(
    remaining.map((header) => Number(/^"links";r=(\d);t=\d+$/.exec(header ?? '')?.[1])).toSorted(),
    [0, 1, 2, 3, 4, 5, 6],
  )
  for (const node of nodes) {
    const refused = await createAs(node, '8.8.8.8')
    assert.equal(refused.status, 429)
    assert.equal(refused.headers.get('ratelimit-policy'), '"links";q=7;w=3600')
    assert.match(refused.headers.get('ratelimit') ?? '', /^"links";r=0;t=3[56]\d\d$/)
    assert.match(refused.headers.get('retry-after') ?? '', /^3[56]\d\d$/)
    assert.equal((await createAs(node, '8.8.4.4')).status, 201)
  }
})

test('a refused creation is refunded for both nodes, and failures are counted together', async (t) => {
  const nodes = await startShared(t, { LIMIT_LINKS: '1', LIMIT_FAILURES: '3' })
  if (nodes === undefined) return
  const [a, b] = nodes
  const refused = await Promise.all(
    [a, b, a].map((node) => post(`${node.url}/api/links`, { target, alias: 'api' }, from('8.8.8.8'))),
  )
  assert.deepEqual(
    refused.map(({ status }) => status),
    [409, 409, 409],
  )
  const failed = await createAs(b, '8.8.8.8')
  assert.deepEqual([failed.status, failed.headers.get('ratelimit')?.slice(0, 10)], [429, '"failures"'])
  assert.equal((await createAs(b, '8.8.4.4')).status, 201)
  assert.equal((await createAs(a, '8.8.4.4')).status, 429)
})

test('wrong passwords on two nodes count together', async (t) => {
  const nodes = await startShared(t, { LIMIT_GUESSES: '4' })
  if (nodes === undefined) return
  const [a, b] = nodes
  const link = await create(a, { target, password: 'correct horse' })
  const attempt = async (node: TestServer, password: string) => {
    const init = { method: 'POST', redirect: 'manual', body: new URLSearchParams({ password }) } as const
    return (await fetch(`${node.url}/${link.code}`, init)).status
  }
  for (const node of [a, b, a]) assert.equal(await attempt(node, 'wrong'), 403)
  assert.equal(await attempt(b, 'correct horse'), 303)
  assert.equal(await attempt(b, 'wrong'), 403)
  for (const node of nodes) assert.equal(await attempt(node, 'correct horse'), 429)
})

test('a node that starts later counts with the others, also when PostgreSQL has lost the salt', async (t) => {
  const server = await openRedisServer(t)
  if (server === undefined || !requireProgram(t, 'initdb', 'postgresql')) return
  const DATABASE_URL = urlOf(await createDatabase())
  const clock = { now: Date.now() }
  const begin = () =>
    startServer(t, { REDIS_URL: server.url, DATABASE_URL, LIMIT_LINKS: '1' }, Date.now, { monotonic: () => clock.now })
  const first = await begin()
  await create(first, { target })
  await sql`truncate quirl_limits.salts`.execute(first.services.db.write)
  // The node stores its salt again with the first request of the next minute.
  clock.now += 60_000
  assert.equal((await post(`${first.url}/api/links`, { target })).status, 429)
  const stored = () => sql`select salt from quirl_limits.salts`.execute(first.services.db.read)
  await poll(async () => (await stored()).rows.length === 1)
  const second = await begin()
  assert.equal((await post(`${second.url}/api/links`, { target })).status, 429)
})

test('Redis has only salted digests and counts, each of which ends within the hour, and the page about privacy says so', async (t) => {
  const server = await openRedisServer(t)
  if (server === undefined) return
  const limits = { LIMIT_LINKS: '5', LIMIT_QR: '5', LIMIT_MISSES: '5', LIMIT_FAILURES: '9' }
  const clients = Array.from({ length: 8 }, (_, at) => `8.8.${at}.${250 - at}`)
  const use = async () => {
    const node = await startOne(t, server.url, limits)
    const link = await create(node, { target, password: 'correct horse' })
    for (const client of clients) {
      await createAs(node, client)
      await fetch(`${node.url}/api/qr?data=x`, { headers: from(client) })
      await fetch(`${node.url}/unknown`, { headers: from(client) })
    }
    const body = new URLSearchParams({ password: 'wrong' })
    await fetch(`${node.url}/${link.code}`, { method: 'POST', headers: from('8.8.8.8'), body })
    const privacy = await (await fetch(`${node.url}/privacy`)).text()
    assert.match(privacy, /the digests are in a Redis database for at most an hour/)
    await node.stop()
    return server.use((client) => client.keys('*'))
  }
  const keys = await use()
  assert.ok(keys.length > 4 * clients.length, `${keys.length} keys`)
  await server.use(async (client) => {
    for (const key of keys) {
      assert.match(key, /^quirl:(?:clients|networks|guesses|links):\d{1,15}$/)
      assert.match((await client.get(key)) ?? '', /^\d$/)
      const left = await client.ttl(key)
      assert.ok(left > 0 && left <= 3600, `${key} ends in ${left} seconds`)
    }
  })
  // With another salt, the same clients have other keys: none can be computed from an address.
  assert.equal((await use()).length, 2 * keys.length)
})

/** Redis with a password, whose process the test may kill, and a number of a database. */
async function startOwnRedis(t: TestContext): Promise<(RedisServer & { url: string }) | undefined> {
  if (!requireProgram(t, 'redis-server', 'redis-server')) return undefined
  const server = await startRedis(t, 'a-secret')
  return { ...server, url: `${server.url}/3` }
}

/** Asserts that what went wrong was logged once each time, without the password. */
function assertLogged({ logged }: TestServer, reasons: RegExp[]): void {
  const faults = logged.filter(({ msg }) => String(msg).startsWith('Redis cannot be reached'))
  assert.equal(faults.length, reasons.length, JSON.stringify(faults))
  for (const [at, { reason }] of faults.entries()) assert.match(String(reason), reasons[at] as RegExp)
  assert.ok(!JSON.stringify(logged).includes('a-secret'))
}

test('while Redis is killed and comes back under load, every request is answered, and each node counts by itself', async (t) => {
  const redis = await startOwnRedis(t)
  if (redis === undefined) return
  const node = await startOne(t, redis.url, { LIMIT_LINKS: '1', LIMIT_FAILURES: '9' })
  await counting(node, 'in Redis')
  const state = { clients: 0, isOver: false }
  const answers: number[] = []
  const lane = async () => {
    while (!state.isOver) {
      const client = ++state.clients
      answers.push((await createAs(node, `8.${client >> 8}.${client % 256}.8`)).status)
      await sleep(10)
    }
  }
  const load = Array.from({ length: 8 }, lane)
  await poll(() => answers.length > 20)
  await redis.kill()
  await counting(node, 'by itself')
  assert.equal((await fetch(`${node.url}/readyz`)).status, 200)
  assert.deepEqual([(await createAs(node, '1.1.1.1')).status, (await createAs(node, '1.1.1.1')).status], [201, 429])
  await redis.start()
  await counting(node, 'in Redis')
  const before = answers.length
  await poll(() => answers.length > before + 20)
  state.isOver = true
  await Promise.all(load)
  assert.deepEqual(new Set(answers), new Set([201]))
  const keys = await redis.use(async (client) => {
    await client.select(3)
    return client.dbsize()
  })
  assert.ok(keys > 0)
  assertLogged(node, [/./])
})

test('a connection that is cut without a word holds no request up, and heals by itself', async (t) => {
  const redis = await startOwnRedis(t)
  if (redis === undefined) return
  const proxy = await startProxy(t, redis.socket)
  const url = `redis://:a-secret@127.0.0.1:${proxy.port}/3`
  const node = await startOne(t, url, { LIMIT_LINKS: '2' }, { redisMs: 250 })
  await counting(node, 'in Redis')
  assert.equal((await createAs(node, '8.8.8.8')).status, 201)
  proxy.cut()
  const statuses = []
  for (let at = 0; at < 3; at++) statuses.push((await createAs(node, '8.8.8.8')).status)
  assert.deepEqual(statuses, [201, 201, 429])
  await counting(node, 'by itself')
  proxy.restore()
  await counting(node, 'in Redis')
  // What Redis had counted holds again.
  assert.equal((await createAs(node, '8.8.8.8')).headers.get('ratelimit')?.slice(0, 11), '"links";r=0')
  assertLogged(node, [/timed out/])
})

test('a service starts without Redis, and counts there once it is', async (t) => {
  const redis = await startOwnRedis(t)
  if (redis === undefined) return
  await redis.kill()
  const node = await startOne(t, redis.url, { LIMIT_LINKS: '1' })
  await counting(node, 'by itself')
  assert.deepEqual([(await createAs(node, '8.8.8.8')).status, (await createAs(node, '8.8.8.8')).status], [201, 429])
  await redis.start()
  await counting(node, 'in Redis')
  assertLogged(node, [/ECONNREFUSED/])
})

test('a service starts with a Redis that accepts connections and never answers, and counts there once it does', async (t) => {
  const redis = await startOwnRedis(t)
  if (redis === undefined) return
  const proxy = await startProxy(t, redis.socket)
  proxy.cut()
  const node = await startOne(t, `redis://:a-secret@127.0.0.1:${proxy.port}/3`, { LIMIT_LINKS: '1' })
  await counting(node, 'by itself')
  assert.equal((await createAs(node, '8.8.8.8')).status, 201)
  const accepted = proxy.accepted()
  await poll(() => Promise.resolve(proxy.accepted() > accepted))
  proxy.restore()
  await counting(node, 'in Redis')
  assertLogged(node, [/closed|timed out/])
})

test('with a wrong password, a service starts and counts by itself', async (t) => {
  const redis = await startOwnRedis(t)
  if (redis === undefined) return
  const node = await startOne(t, redis.url.replace('a-secret', 'a-secret-of-another'), { LIMIT_LINKS: '1' })
  await counting(node, 'by itself')
  assert.equal((await createAs(node, '8.8.8.8')).status, 201)
  assertLogged(node, [/WRONGPASS/])
})
