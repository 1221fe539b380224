// What nodes on one PostgreSQL share besides the links: rules, lists, sweeps and leases, whatever their clocks say.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { command } from './support/cli.ts'
import { temporaryFolder } from './support/cleanup.ts'
import { createDatabase } from './support/drivers.ts'
import { startTwo } from './support/nodes.ts'
import { poll } from './support/poll.ts'
import { urlOf } from './support/postgres.ts'
import { start, type Service } from './support/program.ts'
import { requireProgram } from './support/programs.ts'
import { create, post, startServer, visit, type Created } from './support/server.ts'
import { wallClock } from './support/wall-clock.ts'
import { UNLIMITED } from './support/workload.ts'

const target = 'https://example.com/'

test('commands on one node act on every node, though its clock is an hour ahead', async (t) => {
  const clock = wallClock(t, new Date(Date.now() + 3_600_000).toISOString())
  if (clock === undefined || !requireProgram(t, 'initdb', 'postgresql')) return
  const DATABASE_URL = urlOf(await createDatabase())
  const [ahead, other] = await Promise.all([
    start(t, undefined, UNLIMITED, { env: { DATABASE_URL, ...clock.env } }),
    start(t, undefined, UNLIMITED, { env: { DATABASE_URL } }),
  ])
  const run = async (node: Service, ...args: string[]) => {
    const { status, stderr } = await command(node.dataDir, ...args)
    assert.equal(status, 0, stderr)
  }
  const visited = async (node: Service, { code }: Created, status: number) => {
    await poll(async () => (await visit(`${node.url}/${code}`)).status === status)
  }
  const creates = async (node: Service, status: number) => {
    await poll(async () => (await post(`${node.url}/api/links`, { target: 'https://bad.example/2' })).status === status)
  }

  const link = await create(other, { target })
  const bad = await create(other, { target: 'https://bad.example/' })
  for (const [at, from] of [
    [ahead, other],
    [other, ahead],
  ] as const) {
    for (const each of [link, bad]) await visited(from, each, 302)
    await run(at, 'block', link.code)
    await visited(from, link, 410)
    await run(at, 'unblock', link.code)
    await visited(from, link, 302)
    await run(at, 'block', 'bad.example')
    await creates(from, 422)
    // By the sweep of one of them.
    for (const node of [at, from]) await visited(node, bad, 410)
    await run(from, 'unblock', 'bad.example')
    await creates(at, 201)
    for (const node of [at, from]) await visited(node, bad, 302)
  }

  for (const node of [ahead, other, ahead]) {
    const report = { code: link.code, reason: 'spam' }
    assert.equal((await post(`${node.url}/api/reports`, report)).status, 202)
  }
  const { stdout } = await command(other.dataDir, 'reports')
  assert.match(stdout, new RegExp(`${link.code}[^\\n]*3`))
})

test('nodes with different versions of a list leave each other’s links alone, and agree again', async (t) => {
  const folder = temporaryFolder(t)
  const list = (node: string, ...hosts: string[]) => {
    const file = join(folder, node)
    writeFileSync(file, hosts.map((host) => `${host}\n`).join(''))
    return file
  }
  if (!requireProgram(t, 'initdb', 'postgresql')) return
  const DATABASE_URL = urlOf(await createDatabase())
  const startNode = (name: string, ...hosts: string[]) =>
    startServer(t, { DATABASE_URL, ABUSE_FEEDS: list(name, 'listed.example', ...hosts) })
  const a = await startNode('a')
  const b = await startNode('b', 'newer.example')
  const refresh = async (node: typeof a) => {
    await node.services.abuse.operations['lists']?.({ refresh: true })
    await poll(async () => {
      const result = await node.services.abuse.operations['lists']?.({})
      return !(result as { sweeping: boolean }).sweeping
    })
  }
  for (const node of [a, b]) await refresh(node)

  // Only the older list lets it pass.
  const link = await create(a, { target: 'https://newer.example/' })
  const status = async (node: typeof a) => (await visit(`${node.url}/${link.code}`)).status
  await refresh(b)
  list('b', 'listed.example', 'newer.example', 'newest.example')
  await refresh(b)
  for (const node of [a, b]) await poll(async () => (await status(node)) === 410)
  list('a', 'listed.example', 'another.example')
  await refresh(a)
  for (const node of [a, b]) assert.equal(await status(node), 410)
  const suspensions = async () => {
    const result = await a.services.abuse.operations['audit']?.({})
    return (result as { audit: { action: string }[] }).audit.map(({ action }) => action)
  }
  assert.deepEqual(await suspensions(), ['remove'])

  // Suspended by one node, restored by another whose list does not have it: the first one does not suspend it again by itself.
  await a.services.abuse.operations['unblock']?.({ subject: link.code })
  for (const node of [a, b]) await poll(async () => (await status(node)) === 302)
  for (const node of [a, b]) await refresh(node)
  assert.deepEqual(await suspensions(), ['restore', 'remove'])
  assert.equal(await status(b), 302)
})

test('a new rule is seen although the message about it was lost, and lists have the same digests on all nodes', async (t) => {
  const nodes = await startTwo(t)
  if (nodes === undefined) return
  const [a, b] = nodes
  const rule = { expression: 'bad.example/', verdict: 'block', reason: '', legal: 0, created_at: 1 }
  await a.services.db.write.insertInto('rules').values(rule).execute()
  const isBlocked = async () => (await post(`${b.url}/api/links`, { target: 'https://bad.example/' })).status === 422
  assert.equal(await isBlocked(), false)
  b.services.abuse.reloadRulings()
  await poll(isBlocked)
  const salts = await b.services.db.read.selectFrom('salts').selectAll().execute()
  assert.equal(salts.length, 1)
})
