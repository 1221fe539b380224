// What happens to a store, and what its operator does, happens to collections.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { test, type TestContext } from 'node:test'
import { temporaryFolder, undoLater } from './support/cleanup.ts'
import { command, quirl } from './support/cli.ts'
import { failingDisk } from './support/failing-disk.ts'
import { poll } from './support/poll.ts'
import { startPostgres, urlOf } from './support/postgres.ts'
import { exitOf, start, type Service } from './support/program.ts'
import { requireProgram, skipUnlessCi } from './support/programs.ts'
import { create, post, put, runFor, skipUnlessSqlite, startServer, visit, type Created } from './support/server.ts'
import { smallDisk } from './support/small-disk.ts'
import { UNLIMITED } from './support/workload.ts'

type At = Pick<Service, 'url'>

const DAY = 86_400_000
const PERSON = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:148.0) Gecko/20100101 Firefox/148.0' }
const api = ({ url }: At, token: string, path = '') => `${url}/api/collections/${token}${path}`

async function read<T>(response: Response, status = 200): Promise<T> {
  const text = await response.text()
  assert.equal(response.status, status, text)
  return JSON.parse(text) as T
}

/** A collection with a look, links that lead to two hosts, a link that can be brought back, and shares. */
async function collect(service: At, count = 2) {
  const { token } = await read<Created>(await post(`${service.url}/api/collections`, {}), 201)
  const inside = { 'quirl-collection': token }
  const links: Created[] = []
  for (let at = 0; at <= count; at++)
    links.push(await create(service, { target: `https://host${at % 2}.example.com/`, campaign: 'spring' }, inside))
  const deleted = links.pop() as Created
  await read(await fetch(api(service, token, `/links/${deleted.code}?link=true&undo=true`), { method: 'DELETE' }))
  await read(await put(api(service, token), { looks: { blue: { fg: '#123456' } } }))
  const share = async (body: object) =>
    (await read<{ share_token: string }>(await post(api(service, token, '/share'), body), 201)).share_token
  return { token, links, deleted, shares: [await share({ csv: true }), await share({ campaign: 'spring' })] }
}

type Collected = Awaited<ReturnType<typeof collect>>

/** All that the key, the shares and the links show, without what depends on the origin. */
async function shown(service: At, { token, links, shares }: Pick<Collected, 'token' | 'links' | 'shares'>) {
  const paths = ['', '/links', '/stats', '/scans.csv', '/shares', ...links.map(({ code }) => `/links/${code}`)]
  const urls = [
    ...paths.map((path) => api(service, token, path)),
    ...shares.map((share) => `${service.url}/api/share/${share}/stats`),
  ]
  const texts: string[] = []
  for (const url of urls) {
    const response = await fetch(url)
    texts.push(`${response.status} ${(await response.text()).replaceAll(service.url, '')}`)
  }
  assert.ok(
    texts.every((text) => text.startsWith('200 ')),
    texts.join(),
  )
  return texts
}

test('a link whose target the operator blocks stays listed as removed, shows its target in no share, and ends with its collection', async (t) => {
  const service = await start(t, undefined, UNLIMITED)
  const { token, links, shares } = await collect(service)
  const [kept, blocked] = links as [Created, Created]
  await visit(blocked.short_url, PERSON)
  const leads = await read<{ share_token: string }>(
    await post(api(service, token, '/share'), { destination: true }),
    201,
  )
  assert.equal((await command(service.dataDir, 'block', 'host1.example.com', '--reason=spam')).status, 0)
  type Listed = { links: { code: string; removed: { reason: string } | null }[] }
  const listed = async (query = '') =>
    (await read<Listed>(await fetch(api(service, token, `/links${query}`)))).links.map(
      ({ code, removed }) => `${code} ${removed?.reason}`,
    )
  await poll(async () => (await listed('?state=removed')).length === 1)
  assert.equal((await visit(blocked.short_url)).status, 410)
  assert.deepEqual((await listed()).sort(), [`${kept.code} undefined`, `${blocked.code} spam`].sort())
  assert.deepEqual(await listed('?state=removed'), [`${blocked.code} spam`])
  type Stats = { links: number; breakdowns: { link: { code: string; scans: number; destinations?: string[] }[] } }
  const statsOf = async (share: string) => read<Stats>(await fetch(`${service.url}/api/share/${share}/stats`))
  const stats = await statsOf(leads.share_token)
  assert.deepEqual(
    [stats.links, stats.breakdowns.link.map(({ code, scans, destinations }) => [code, scans, destinations])],
    [2, [[blocked.code, 1, undefined]]],
  )
  const change = await put(api(service, token, `/links/${blocked.code}`), { target: 'https://example.com/' })
  assert.equal((await read<{ code: string }>(change, 409)).code, 'link_removed')
  const ended = await read<object>(await fetch(api(service, token, '?links=true'), { method: 'DELETE' }))
  assert.deepEqual(ended, { deleted: true, links: 2 })
  assert.equal((await fetch(`${service.url}/api/share/${shares[0]}/stats`)).status, 404)
})

test('scans of a collection that are older than SCAN_RETENTION leave its export and that of its shares, and stay counted', async (t) => {
  let now = Date.UTC(2026, 10, 1, 12)
  const env = { DATA_DIR: temporaryFolder(t), SCAN_RETENTION: '7d' }
  const first = await startServer(t, env, () => now)
  const { token, links, shares } = await collect(first)
  const [menu] = links as [Created]
  await visit(menu.short_url, PERSON)
  await runFor(first, 8 * DAY, (ms) => (now += ms))
  await visit(menu.short_url, PERSON)
  await first.services.scans.awaitFold()
  await first.stop()
  const second = await startServer(t, env, () => now)
  const rowsIn = async (url: string) => (await (await fetch(url)).text()).trim().split('\r\n').slice(1)
  await poll(async () => (await rowsIn(api(second, token, '/scans.csv'))).length === 1)
  const shared = `${second.url}/api/share/${shares[0]}`
  for (const url of [api(second, token, '/scans.csv'), `${shared}/scans.csv`])
    assert.deepEqual(
      (await rowsIn(url)).map((row) => row.slice(0, row.indexOf('T'))),
      [`${menu.code},2026-11-09`],
    )
  for (const url of [api(second, token, '/stats?days=30'), `${shared}/stats?days=30`])
    assert.equal((await read<{ totals: { scans: number } }>(await fetch(url))).totals.scans, 2)
  const filtered = await fetch(api(second, token, '/stats?days=30&source=link'))
  assert.equal((await read<{ code: string }>(filtered, 400)).code, 'beyond_retention')
})

/** Everything that changes a collection, and must be refused. */
async function refuseChanges(service: At, { token, links }: Collected, detail: RegExp): Promise<void> {
  const [menu] = links as [Created]
  const inside = { 'quirl-collection': token }
  const changes: Record<string, () => Promise<Response>> = {
    create: () => post(`${service.url}/api/collections`, {}),
    'create into': () => post(`${service.url}/api/links`, { target: 'https://example.com/' }, inside),
    rename: () => put(api(service, token), { name: 'Shop' }),
    look: () => put(api(service, token), { looks: { blue: null } }),
    join: () => post(api(service, token, '/links'), { tokens: [menu.token] }),
    share: () => post(api(service, token, '/share'), {}),
    change: () => put(api(service, token, `/links/${menu.code}`), { title: 'Menu' }),
    leave: () => fetch(api(service, token, `/links/${menu.code}`), { method: 'DELETE' }),
    rotate: () => fetch(api(service, token, '/rotate'), { method: 'POST' }),
    end: () => fetch(api(service, token), { method: 'DELETE' }),
  }
  for (const [name, change] of Object.entries(changes)) {
    const response = await change()
    const problem = (await response.json()) as { code: string; detail: string }
    assert.deepEqual([name, response.status, problem.code], [name, 503, 'unavailable'])
    assert.match(problem.detail, detail, name)
    assert.ok(Number(response.headers.get('retry-after')) > 0, name)
  }
}

test('on a file system that has turned read-only, a collection and its shares are read, and every change is refused with the reason', async (t) => {
  const disk = failingDisk(t)
  if (disk === undefined) return
  const service = await start(t, disk.folder, UNLIMITED, { env: disk.env })
  const collected = await collect(service)
  const before = await shown(service, collected)
  disk.fail()
  await refuseChanges(service, collected, /the store cannot be reached/)
  await poll(async () => (await fetch(api(service, collected.token))).status === 200)
  assert.deepEqual(await shown(service, collected), before)
  service.process.kill('SIGTERM')
  await exitOf(service)
  await disk.mountAgain()
  const again = await start(t, disk.folder, UNLIMITED, { env: disk.env })
  assert.deepEqual(await shown(again, collected), before)
})

test('while PostgreSQL is read-only, a collection and its shares are read, and every change is refused with the reason', async (t) => {
  if (!requireProgram(t, 'initdb', 'postgresql')) return
  const server = await startPostgres(t)
  await server.execute('create database shop')
  const url = urlOf({ ...server, database: 'shop' })
  const service = await start(t, undefined, UNLIMITED, { env: { DATABASE_URL: url } })
  const collected = await collect(service)
  const before = await shown(service, collected)
  await server.execute('alter database shop set default_transaction_read_only = on')
  await server.execute("select pg_terminate_backend(pid) from pg_stat_activity where datname = 'shop'")
  await poll(async () => (await put(api(service, collected.token), { name: 'Shop' })).status === 503)
  await poll(async () => (await fetch(api(service, collected.token))).status === 200)
  await refuseChanges(service, collected, /the store cannot be reached/)
  assert.deepEqual(await shown(service, collected), before)
})

test('on a full disk a collection ends, alone and with its links', { skip: skipUnlessSqlite }, async (t) => {
  const disk = smallDisk(t, 96 * 2 ** 20)
  if (disk?.fillBut === undefined) return skipUnlessCi(t, 'this user may not mount a file system')
  const overrides = { disk: { checkMs: 100, reserveAfterMs: 0, reserveBytes: 6 * 2 ** 20 } }
  const env = { DATA_DIR: disk.folder, DISK_FLOOR: 'off' }
  const server = await startServer(t, env, undefined, overrides)
  const [alone, whole] = [await collect(server), await collect(server, 120)]
  const reserved = async () => (await (await fetch(`${server.url}/metrics`)).text()).includes('reserve_bytes 6291456')
  await poll(reserved)
  disk.fill()
  const end = async (token: string, query: string) =>
    read<object>(await fetch(api(server, token, query), { method: 'DELETE' }))
  assert.deepEqual(await end(whole.token, '?links=true'), { deleted: true, links: 120 })
  assert.deepEqual(await end(alone.token, ''), { deleted: true })
  assert.ok(server.services.disk.isFull(), 'the reserve was needed')
  const [link] = whole.links as [Created]
  const [kept] = alone.links as [Created]
  assert.deepEqual([(await visit(link.short_url)).status, (await visit(kept.short_url)).status], [410, 302])
  for (const { token } of [alone, whole]) assert.equal((await fetch(api(server, token))).status, 404)
  disk.free()
  await poll(async () => (await fetch(`${server.url}/readyz`)).status === 200)
  await collect(server)
})

test('a store moves to PostgreSQL and back with collections, looks, shares, and links that can be brought back', async (t) => {
  if (!requireProgram(t, 'initdb', 'postgresql')) return
  const server = await startPostgres(t)
  await server.execute('create database moved')
  const url = urlOf({ ...server, database: 'moved' })
  const [from, back] = [temporaryFolder(t), temporaryFolder(t)]
  const stop = async (service: Service) => {
    service.process.kill('SIGTERM')
    await exitOf(service)
  }
  const sqlite = await start(t, from, UNLIMITED)
  const collected = await collect(sqlite)
  const { token, deleted, links } = collected
  const [menu] = links as [Created]
  await visit(menu.short_url, PERSON)
  await read(await fetch(api(sqlite, token, `/links/${menu.code}/rotate`), { method: 'POST' }))
  const { token: next } = await read<Created>(await fetch(api(sqlite, token, '/rotate'), { method: 'POST' }))
  const before = await shown(sqlite, collected)
  await stop(sqlite)
  const move = async (source: string, target: string) => {
    const { status, stderr } = await command(from, 'migrate', `--from=${source}`, `--to=${target}`)
    assert.deepEqual([status, stderr], [0, ''])
  }
  await move(from, url)
  const node = await start(t, temporaryFolder(t), UNLIMITED, { env: { DATABASE_URL: url } })
  assert.deepEqual(await shown(node, collected), before)
  await stop(node)
  rmSync(back, { recursive: true })
  await move(url, back)
  const last = await start(t, back, UNLIMITED)
  assert.deepEqual(await shown(last, collected), before)
  const undelete = await fetch(api(last, token, `/links/${deleted.code}/undelete`), { method: 'POST' })
  assert.equal((await read<{ code: string }>(undelete)).code, deleted.code)
  assert.equal((await fetch(api(last, next))).status, 200)
  assert.equal(
    (await fetch(api(last, token))).status,
    404,
    'the key that was replaced ends with the first use of the new one',
  )
  assert.match(
    (await command(back, 'verify')).stdout,
    /^collections +good +1 collection with 3 memberships, 1 look, 2 shares and 0 webhooks$/m,
  )
})

test('the scans of a node that was killed count in its collections once its journal is adopted', async (t: TestContext) => {
  if (!requireProgram(t, 'initdb', 'postgresql')) return
  const server = await startPostgres(t)
  await server.execute('create database nodes')
  const url = urlOf({ ...server, database: 'nodes' })
  const env = { DATABASE_URL: url }
  const [doomed, other] = [await start(t, undefined, UNLIMITED, { env }), await start(t, undefined, UNLIMITED, { env })]
  const { token, links, shares } = await collect(other)
  const [menu] = links as [Created]
  const counts = async () => {
    type Counted = { totals: { scans: number } }
    const urls = [api(other, token), api(other, token, '/stats'), `${other.url}/api/share/${shares[1]}/stats`]
    return Promise.all(urls.map(async (each) => (await read<Counted>(await fetch(each))).totals.scans))
  }
  assert.deepEqual(await counts(), [0, 0, 0])
  // A node that cannot reach the store keeps what it has answered.
  const visits = 5
  for (let at = 0; at < visits; at++) assert.equal((await visit(`${doomed.url}/${menu.code}`, PERSON)).status, 302)
  doomed.process.kill('SIGKILL')
  await exitOf(doomed)
  const adopted = await quirl(temporaryFolder(t), 'journal', 'adopt', doomed.dataDir, `--database-url=${url}`)
  assert.equal(adopted.status, 0, adopted.stderr)
  assert.deepEqual(await counts(), [visits, visits, visits])
  assert.equal((await (await fetch(api(other, token, '/scans.csv'))).text()).trim().split('\r\n').length - 1, visits)
  undoLater(t, () => void other.process.kill('SIGTERM'))
})
