// Nodes on a PostgreSQL behind a network, a pooler or locks that keep them waiting. The times they wait are short here.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { undoLater } from './support/cleanup.ts'
import { startContendedLoad } from './support/contended-load.ts'
import { startPgBouncer } from './support/pgbouncer.ts'
import { poll } from './support/poll.ts'
import { addressOf, startPostgres, urlOf } from './support/postgres.ts'
import { requireProgram } from './support/programs.ts'
import { create, post, put, startServer, visit, type Created, type TestServer, manage } from './support/server.ts'
import { proxyFaults, startProxy } from './support/tcp-proxy.ts'

const target = 'https://example.com/'
const impatient = { postgresTimes: { connectMs: 500, statementMs: 1000 }, foldWaitMs: 500 }

const status = async (url: string) => (await fetch(url)).status

async function locationOf(node: TestServer, { code }: Created): Promise<string | number> {
  const response = await visit(`${node.url}/${code}`)
  return response.headers.get('location') ?? response.status
}

async function metric(node: TestServer, name: string): Promise<number> {
  const text = await (await fetch(`${node.url}/metrics`)).text()
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1])
}

const seen = (node: TestServer, link: Created, expected: string | number) =>
  poll(async () => (await locationOf(node, link)) === expected)

/** What holds on a node without its store, whatever keeps that away. */
async function expectsNothing(node: TestServer, { cached, uncached }: { cached: Created; uncached: Created }) {
  assert.equal(await locationOf(node, cached), target)
  assert.equal(await locationOf(node, uncached), 503)
  const [created, changed] = await Promise.all([
    post(`${node.url}/api/links`, { target }),
    put(manage(node, cached), { target: `${target}changed` }),
  ])
  assert.deepEqual([created.status, changed.status], [503, 503])
  for (let again = 0; again < 20; again++) assert.equal(await locationOf(node, cached), target)
  assert.deepEqual([await status(`${node.url}/healthz`), await status(`${node.url}/readyz`)], [200, 503])
}

test('a node comes through when PostgreSQL', async (t) => {
  if (!requireProgram(t, 'initdb', 'postgresql')) return
  const server = await startPostgres(t)
  const proxy = await startProxy(t, server.socket)
  const DATABASE_URL = urlOf(addressOf(server, 'postgres'))
  const byProxy = `postgres://${server.user}@127.0.0.1:${proxy.port}/postgres`
  const direct = await startServer(t, { DATABASE_URL })
  const behind = await startServer(t, { DATABASE_URL: byProxy, DATABASE_POOL: '2' }, Date.now, impatient)
  /** Two new links, one of which the node behind the network has in its cache. */
  async function links() {
    const [cached, uncached] = [await create(direct, { target }), await create(direct, { target })]
    await poll(async () => (await metric(behind, 'quirl_bus_connected')) === 1)
    // The messages of these creations would still remove what is cached: a later one proves that they have come.
    const last = await create(direct, { target })
    await seen(behind, last, target)
    await change(direct, last, { target: `${target}last` })
    await seen(behind, last, `${target}last`)
    await seen(behind, cached, target)
    return { cached, uncached }
  }
  const change = (node: TestServer, link: Created, fields: object) =>
    poll(async () => (await put(manage(node, link), fields)).status === 200)

  await t.test('is cut off without a word', async () => {
    const { cached, uncached } = await links()
    proxy.cut()
    // Its owner pauses the link by the other node, of which this one cannot hear.
    await change(direct, cached, { active: false })
    await expectsNothing(behind, { cached, uncached })
    proxy.restore()
    await seen(behind, uncached, target)
    await seen(behind, cached, 404)
    await poll(async () => (await metric(behind, 'quirl_bus_connected')) === 1)
  })

  for (const fault of proxyFaults) {
    await t.test(`is behind a proxy that lets nobody in: ${fault}`, async () => {
      const { cached, uncached } = await links()
      proxy.fail(fault)
      await expectsNothing(behind, { cached, uncached })
      proxy.fail(undefined)
      await seen(behind, uncached, target)
      await change(behind, cached, { target: `${target}after` })
      await seen(direct, cached, `${target}after`)
      await poll(async () => (await metric(behind, 'quirl_bus_connected')) === 1)
      const listeners = `select from pg_stat_activity where application_name = 'quirl listener'`
      await poll(async () => (await server.execute(listeners)).rowCount === 2)
    })
  }

  await t.test('is stopped for a while', async () => {
    const { cached, uncached } = await links()
    const before = await metric(behind, 'quirl_scans_recorded_total')
    server.stall()
    await expectsNothing(behind, { cached, uncached })
    assert.equal((await metric(behind, 'quirl_scans_recorded_total')) - before, 21)
    server.resume()
    await seen(behind, uncached, target)
    await poll(async () => (await status(`${behind.url}/readyz`)) === 200)
    await change(behind, cached, { target: `${target}after` })
    await seen(direct, cached, `${target}after`)
  })

  await t.test('has all connections wait for a lock of another session', async (t) => {
    const { cached, uncached } = await links()
    const holder = new pg.Client({ host: server.host, user: server.user, database: 'postgres' })
    await holder.connect()
    undoLater(t, () => holder.end())
    await holder.query('begin')
    await holder.query('lock table links in access exclusive mode')
    const bulk = Array.from({ length: 3 }, (_, at) => ({ target, alias: `half-${at}` }))
    const refused = await Promise.all([
      post(`${behind.url}/api/bulk`, bulk),
      ...Array.from({ length: 5 }, () => put(manage(behind, cached), { target: `${target}changed` })),
    ])
    assert.ok(refused.every((response) => response.status === 503))
    await expectsNothing(behind, { cached, uncached })
    await holder.query('rollback')
    await seen(behind, uncached, target)
    const { rows } = await server.execute(
      `select target, revision from links where code = '${cached.code}' or code like 'half-%'`,
    )
    assert.deepEqual(rows, [{ target, revision: 1 }])
    await change(behind, cached, { target: `${target}after` })
  })

  await t.test('is slow', async (t) => {
    const slow = await startServer(t, { DATABASE_URL: byProxy })
    proxy.delay(100)
    const link = await create(slow, { target })
    assert.equal(await locationOf(slow, link), target)
    assert.equal((await put(manage(slow, link), { target: `${target}slow` })).status, 200)
    assert.equal(await locationOf(slow, link), `${target}slow`)
    await seen(direct, link, `${target}slow`)
    proxy.delay(0)
  })

  await t.test('has only read-only connections, as a standby has', async () => {
    const { cached } = await links()
    await server.execute('alter database postgres set default_transaction_read_only = on')
    await server.execute(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'quirl%' and pid <> pg_backend_pid()`,
    )
    await poll(async () => (await put(manage(behind, cached), { target: `${target}changed` })).status === 503)
    assert.equal((await post(`${behind.url}/api/links`, { target })).status, 503)
    await seen(behind, cached, target)
    await server.execute('alter database postgres reset default_transaction_read_only', 'template1')
    await change(behind, cached, { target: `${target}after` })
    await seen(direct, cached, `${target}after`)
  })

  await t.test('is behind PgBouncer in transaction mode, as docs/scale.md says', async (t) => {
    if (!requireProgram(t, 'pgbouncer', 'pgbouncer')) return
    await server.execute('create database bounced')
    await server.execute(`alter role ${server.user} set statement_timeout = '5s'`)
    await server.execute(`alter role ${server.user} set idle_in_transaction_session_timeout = '10s'`)
    const env = {
      DATABASE_URL: `postgres://${server.user}@127.0.0.1:${await startPgBouncer(t, server)}/bounced`,
      DATABASE_LISTEN_URL: urlOf(addressOf(server, 'bounced')),
    }
    const nodes = [await startServer(t, env), await startServer(t, env)] as const
    const load = startContendedLoad([...nodes, ...nodes, ...nodes], 'bounced')
    await load.acknowledge(30)
    await load.end(server, 'bounced')
    const link = await create(nodes[0], { target })
    for (const node of nodes) await seen(node, link, target)
    await change(nodes[0], link, { active: false })
    await seen(nodes[1], link, 404)
  })
})
