// Nodes, each a process of its own, on a PostgreSQL that fails.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startContendedLoad } from './support/contended-load.ts'
import { poll } from './support/poll.ts'
import { addressOf, startPostgres, urlOf, type PostgresServer } from './support/postgres.ts'
import { start, type Service } from './support/program.ts'
import { requireProgram } from './support/programs.ts'
import { create, post, put, visit, type Created, manage } from './support/server.ts'
import { UNLIMITED } from './support/workload.ts'

const target = 'https://example.com/'
/** A message takes milliseconds, on a machine with other work perhaps seconds; without one a change is seen after 30 seconds. */
const SOON_MS = 10_000
/** How often a node is killed: in `npm run test:faults` many times. */
const KILLS = Number(process.env['NODE_KILLS'] ?? 1)

interface Nodes {
  server: PostgresServer
  nodes: [Service, Service]
}

let databases = 0
let messages = 0

/** Starts two nodes at once, on a database that is empty. */
async function startNodes(t: TestContext): Promise<Nodes | undefined> {
  if (!requireProgram(t, 'initdb', 'postgresql')) return undefined
  const server = await startPostgres(t)
  const database = `nodes_${++databases}`
  await server.execute(`create database ${database}`)
  const env = { DATABASE_URL: urlOf(addressOf(server, database)) }
  const nodes = await Promise.all([0, 1].map(() => start(t, undefined, UNLIMITED, { env })))
  return { server, nodes: nodes as [Service, Service] }
}

async function locationOf(node: Service, { code }: Pick<Created, 'code'>): Promise<string | number> {
  const response = await visit(`${node.url}/${code}`)
  return response.headers.get('location') ?? response.status
}

/** Waits until a node answers visits of a link so. @returns how long that took, in milliseconds */
async function seen(node: Service, link: Created, expected: string | number): Promise<number> {
  const from = performance.now()
  await poll(async () => (await locationOf(node, link)) === expected)
  return performance.now() - from
}

/** Waits until a node has heard of everything that another has changed so far. */
async function heard(from: Service, by: Service): Promise<void> {
  const alias = `heard-${++messages}`
  assert.equal(await locationOf(by, { code: alias }), 404)
  await seen(by, await create(from, { target, alias }), target)
}

async function metric(node: Service, name: string): Promise<number> {
  const text = await (await fetch(`${node.url}/metrics`)).text()
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1])
}

const status = async (url: string) => (await fetch(url)).status

test('two nodes that started at once on an empty database', async (t) => {
  const started = await startNodes(t)
  if (started === undefined) return
  const { server, nodes } = started
  const [a, b] = nodes

  await t.test('a change is seen by the next visit on its own node, and soon on the other', async () => {
    const link = await create(a, { target })
    // Twice, so that both have it in their caches.
    for (const node of [a, b, a, b]) assert.equal(await locationOf(node, link), target)
    for (let round = 0; round < 10; round++) {
      const [at, other] = round % 2 === 0 ? [a, b] : [b, a]
      const next = `${target}${round}`
      assert.equal((await put(manage(at, link), { target: next })).status, 200)
      assert.equal(await locationOf(at, link), next)
      assert.ok((await seen(other, link, next)) < SOON_MS)
    }
  })

  await t.test('so are a pause, a deletion, and the creation of a code that was just unknown', async () => {
    const link = await create(a, { target })
    for (const node of nodes) assert.equal(await locationOf(node, link), target)
    assert.equal((await put(manage(a, link), { active: false })).status, 200)
    assert.ok((await seen(b, link, 404)) < SOON_MS)
    assert.equal((await put(manage(b, link), { active: true })).status, 200)
    assert.ok((await seen(a, link, target)) < SOON_MS)
    assert.equal((await fetch(manage(b, link), { method: 'DELETE' })).status, 200)
    assert.ok((await seen(a, link, 410)) < SOON_MS)
    const alias = { code: 'new-here' }
    assert.equal(await locationOf(b, alias), 404)
    const created = await create(a, { target, alias: alias.code })
    assert.ok((await seen(b, created, target)) < SOON_MS)
  })

  await t.test('a gap of the connection that listens clears the cache', async () => {
    const link = await create(a, { target })
    await heard(a, b)
    for (const node of [a, b]) await locationOf(node, link)
    const gaps = await Promise.all(nodes.map((node) => metric(node, 'quirl_bus_gaps_total')))
    const terminate = `select count(pg_terminate_backend(pid)) from pg_stat_activity where application_name = 'quirl listener'`
    // Behind the back of both nodes: only a cache that was cleared shows it.
    const change = `update links set target = '${target}cleared' where code = '${link.code}'`
    const database = `nodes_${databases}`
    await server.execute(change, database)
    assert.equal(await locationOf(b, link), target)
    await server.execute(terminate, database)
    for (const [at, node] of nodes.entries()) {
      await poll(async () => (await metric(node, 'quirl_bus_gaps_total')) > (gaps[at] ?? 0))
      await seen(node, link, `${target}cleared`)
      assert.equal(await metric(node, 'quirl_bus_connected'), 1)
    }
    assert.equal((await put(manage(a, link), { target: `${target}again` })).status, 200)
    assert.ok((await seen(b, link, `${target}again`)) < SOON_MS)
  })

  await t.test('PostgreSQL is killed under load and started again', async () => {
    const cached = await create(a, { target })
    const uncached = await create(a, { target })
    // Messages come in order: once this one is there, those of the creations are.
    await heard(a, b)
    for (const node of [a, b, a, b]) assert.equal(await locationOf(node, cached), target)
    const acknowledged: Created[] = []
    const over = new AbortController()
    const load = nodes.map(async (node) => {
      while (!over.signal.aborted) {
        const response = await post(`${node.url}/api/links`, { target })
        assert.ok([201, 503].includes(response.status), String(response.status))
        if (response.status === 201) acknowledged.push((await response.json()) as Created)
        else await sleep(20)
      }
    })
    await poll(() => acknowledged.length >= 20)
    await server.kill()
    for (const node of nodes) {
      await poll(async () => (await status(`${node.url}/readyz`)) === 503)
      for (let again = 0; again < 20; again++) assert.equal(await locationOf(node, cached), target)
      assert.equal(await status(`${node.url}/healthz`), 200)
    }
    assert.equal(await locationOf(b, uncached), 503)
    assert.equal((await put(manage(a, cached), { target: `${target}x` })).status, 503)
    assert.equal(await locationOf(a, cached), target)
    await server.start()
    const before = acknowledged.length
    await poll(() => acknowledged.length > before + 20)
    over.abort()
    await Promise.all(load)
    for (const node of nodes) {
      assert.equal(await locationOf(node, uncached), target)
      for (const link of acknowledged) assert.equal(await locationOf(node, link), target)
      await poll(async () => (await metric(node, 'quirl_bus_connected')) === 1)
      await poll(async () => (await status(`${node.url}/readyz`)) === 200)
    }
    assert.equal((await put(manage(a, cached), { target: `${target}after` })).status, 200)
    assert.ok((await seen(b, cached, `${target}after`)) < SOON_MS)
  })

  await t.test(`a node is killed under load, ${KILLS} times`, async (t) => {
    let killed = b
    for (let kill = 0; kill < KILLS; kill++) {
      const load = startContendedLoad([a, killed], `kill-${kill}`)
      await load.acknowledge(10)
      killed.process.kill('SIGKILL')
      await load.acknowledge(5)
      await load.end(server, `nodes_${databases}`)
      const env = { DATABASE_URL: urlOf(addressOf(server, `nodes_${databases}`)) }
      killed = await start(t, b.dataDir, UNLIMITED, { env })
      await heard(a, killed)
    }
  })
})
