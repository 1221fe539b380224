// Collections, who is in them, and their keys survive what a store goes through.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { verify } from '../src/backup/verify.ts'
import { verifyPostgres } from '../src/nodes/backup/verify.ts'
import { temporaryFolder } from './support/cleanup.ts'
import { command } from './support/cli.ts'
import { createDatabase } from './support/drivers.ts'
import { poll } from './support/poll.ts'
import { urlOf } from './support/postgres.ts'
import { exitOf, start, type Service } from './support/program.ts'
import { requireProgram } from './support/programs.ts'
import { seededRandom } from './support/random.ts'
import { create, post, put, startServer, type Created } from './support/server.ts'
import { UNLIMITED } from './support/workload.ts'

const target = 'https://example.com/menu'
const api = (url: string, token: string, path = '') => `${url}/api/collections/${token}${path}`

async function collect(url: string): Promise<string> {
  return ((await (await post(`${url}/api/collections`, {})).json()) as Created).token
}

async function listed(url: string, token: string): Promise<string[]> {
  const { links } = (await (await fetch(api(url, token, '/links?limit=200'))).json()) as { links: { code: string }[] }
  return links.map(({ code }) => code).sort()
}

/** What an owner was told of a collection: which links are in it, and of which that is not known. */
interface Told {
  token: string
  inside: Map<string, string>
  unsure: Set<string>
}

/** Creates into a collection, takes out all but the last and adds, one after the other, until the service is gone. */
async function work(url: string, told: Told, random: () => number): Promise<void> {
  const outside = new Map<string, string>()
  for (;;) {
    const from = told.inside.size > 1 && random() < 0.5 ? told.inside : outside
    const [code, token] = [...from][Math.floor(random() * from.size)] ?? []
    if (code !== undefined) told.unsure.add(code)
    const header = { 'quirl-collection': told.token }
    // The code of a link whose response is lost is not known; its alias is.
    const alias = `k${Math.floor(random() * 2 ** 40).toString(36)}`
    if (code === undefined) told.unsure.add(alias)
    try {
      if (code === undefined || token === undefined) {
        const created = await create({ url }, { target, alias }, header)
        told.inside.set(created.code, created.token)
        told.unsure.delete(alias)
      } else if (from === told.inside) {
        assert.equal((await fetch(api(url, told.token, `/links/${code}`), { method: 'DELETE' })).status, 200)
        move(told.inside, outside, code)
      } else {
        const { added } = (await (await post(api(url, told.token, '/links'), { tokens: [token] })).json()) as {
          added: number
        }
        assert.equal(added, 1)
        move(outside, told.inside, code)
      }
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error
      return
    }
    if (code !== undefined) told.unsure.delete(code)
  }
}

function move(from: Map<string, string>, to: Map<string, string>, code: string): void {
  to.set(code, from.get(code) ?? '')
  from.delete(code)
}

/** `npm run test:faults` kills a hundred times. */
const KILLS = Number(process.env['KILLS'] ?? 3)

test(`after ${KILLS} times kill -9, each acknowledged creation, addition and removal of a collection is stored`, async (t) => {
  const random = seededRandom(t)
  const dataDir = temporaryFolder(t)
  let changed = 0
  for (let kill = 0; kill < KILLS; kill++) {
    const service = await start(t, dataDir, UNLIMITED)
    const all: Told[] = []
    for (let at = 0; at < 4; at++)
      all.push({ token: await collect(service.url), inside: new Map(), unsure: new Set<string>() })
    const working = Promise.all(all.map((told) => work(service.url, told, random)))
    await sleep(300 + random() * 700)
    service.process.kill('SIGKILL')
    await working
    await exitOf(service)
    const again = await start(t, dataDir, UNLIMITED)
    for (const { token, inside, unsure } of all) {
      const sure = (codes: Iterable<string>) => [...codes].filter((code) => !unsure.has(code)).sort()
      assert.deepEqual(sure(await listed(again.url, token)), sure(inside.keys()))
      changed += inside.size
    }
    again.process.kill('SIGTERM')
    await exitOf(again)
  }
  assert.ok(changed > KILLS, 'nothing was done before the kills')
})

test('a backup that is taken while collections change has each as it was at one moment, and no membership of what it lacks', async (t) => {
  const random = seededRandom(t)
  const [folder, dataDir, elsewhere] = [join(temporaryFolder(t), 'backup'), temporaryFolder(t), temporaryFolder(t)]
  const service = await start(t, dataDir, UNLIMITED)
  const quiet = await collect(service.url)
  const resting = await create(service, { target }, { 'quirl-collection': quiet })
  const all: Told[] = []
  for (let at = 0; at < 4; at++)
    all.push({ token: await collect(service.url), inside: new Map(), unsure: new Set<string>() })
  const working = Promise.all(all.map((told) => work(service.url, told, random)))
  await poll(() => all.every(({ inside }) => inside.size >= 3))
  assert.equal((await command(dataDir, 'backup', folder)).status, 0)
  service.process.kill('SIGKILL')
  await Promise.all([working, exitOf(service)])
  assert.match((await command(elsewhere, 'verify', folder)).stdout, /^collections +good +5 collections with \d/m)
  assert.equal((await command(elsewhere, 'restore', folder)).status, 0)
  const restored = await start(t, elsewhere, UNLIMITED)
  assert.deepEqual(await listed(restored.url, quiet), [resting.code])
  for (const { token } of all) {
    const codes = await listed(restored.url, token)
    assert.ok(codes.length > 0)
    for (const code of codes) assert.equal((await fetch(api(restored.url, token, `/links/${code}`))).status, 200)
    const count = async () => ((await (await fetch(api(restored.url, token))).json()) as { links: number }).links
    const before = await count()
    await create(restored, { target }, { 'quirl-collection': token })
    assert.equal(await count(), before + 1)
  }
})

/** All that a key shows, without what depends on the origin. */
async function shown({ url }: Pick<Service, 'url'>, token: string): Promise<string[]> {
  const { links } = (await (await fetch(api(url, token, '/links?limit=200'))).json()) as { links?: Created[] }
  const paths = ['', '/links', ...(links ?? []).map(({ code }) => `/links/${code}`)]
  const texts = paths.map(async (path) => {
    const response = await fetch(api(url, token, path))
    return `${response.status} ${(await response.text()).replaceAll(url, '').replace(/"request_id":"[^"]*"/, '')}`
  })
  return Promise.all(texts)
}

test('a backup has collections with their looks, shares, keys, removed and deleted links, and links whose token was replaced through them', async (t) => {
  const [folder, dataDir, elsewhere] = [join(temporaryFolder(t), 'backup'), temporaryFolder(t), temporaryFolder(t)]
  const service = await start(t, dataDir, UNLIMITED)
  const { url } = service
  const [kept, ended, other] = [await collect(url), await collect(url), await collect(url)]
  const links = [
    await create({ url }, { target }),
    await create({ url }, { target }),
    await create({ url }, { target }),
  ]
  const [menu, blocked, deleted] = links as [Created, Created, Created]
  for (const token of [kept, ended, other])
    await post(api(url, token, '/links'), { tokens: links.map(({ token: own }) => own) })
  await put(api(url, kept), { name: 'Kept', looks: { blue: { fg: '#123456' } } })
  const share = async (of: string, body: object) =>
    ((await (await post(api(url, of, '/share'), body)).json()) as { share_token: string }).share_token
  const shares = [await share(kept, { csv: true }), await share(kept, { campaign: '~' }), await share(ended, {})]
  const readBy = async (service: Pick<Service, 'url'>) => {
    const statuses = shares.map(async (token) => (await fetch(`${service.url}/api/share/${token}/stats`)).status)
    return Promise.all(statuses)
  }
  await fetch(api(url, ended), { method: 'DELETE' })
  assert.equal((await command(dataDir, 'block', blocked.code, '--reason=spam')).status, 0)
  await fetch(`${url}/api/manage/${deleted.token}?undo=true`, { method: 'DELETE' })
  const renewed = (await (await fetch(api(url, kept, '/rotate'), { method: 'POST' })).json()) as Created
  await fetch(api(url, kept, `/links/${menu.code}/rotate`), { method: 'POST' })
  const before = [await shown(service, kept), await shown(service, ended), await shown(service, other)]
  assert.match(before[0]?.join('\n') ?? '', /"Kept".*"blue"/)
  assert.match(before[0]?.join('\n') ?? '', /"removed":\{/)

  assert.equal((await command(dataDir, 'backup', folder)).status, 0)
  const verified = await command(elsewhere, 'verify', folder)
  assert.match(
    verified.stdout,
    /^collections +good +2 collections with 6 memberships, 1 look, 2 shares and 0 webhooks$/m,
  )
  assert.equal((await command(elsewhere, 'restore', folder)).status, 0)
  const restored = await start(t, elsewhere, UNLIMITED)
  assert.deepEqual([await shown(restored, kept), await shown(restored, ended), await shown(restored, other)], before)
  for (const each of [service, restored]) assert.deepEqual(await readBy(each), [200, 200, 404])
  const undeleted = await fetch(api(restored.url, kept, `/links/${deleted.code}/undelete`), { method: 'POST' })
  assert.equal(undeleted.status, 200)
  // The first use of the key that replaces another ends that.
  assert.equal((await fetch(api(restored.url, renewed.token))).status, 200)
  assert.equal((await fetch(api(restored.url, kept))).status, 404)
})

const stores: [name: string, url: (t: TestContext) => Promise<string | false | undefined>][] = [
  ['SQLite', async () => undefined],
  ['PostgreSQL', async (t) => requireProgram(t, 'initdb', 'postgresql') && urlOf(await createDatabase())],
]

for (const [name, urlFor] of stores)
  test(`on ${name}, verify names memberships, looks, shares and events of what does not exist`, async (t) => {
    const database = await urlFor(t)
    if (database === false) return
    const server = await startServer(t, database === undefined ? {} : { DATABASE_URL: database })
    const { url, dataDir, services } = server
    const found = async () => {
      const options = { dataDir, folder: dataDir, isBackup: false, onStep: () => {} }
      const findings = await (database === undefined ? verify(options) : verifyPostgres({ ...options, url: database }))
      const { isGood, text } = findings.find(({ what }) => what === 'collections') ?? assert.fail()
      return [isGood, text]
    }
    const token = await collect(url)
    await create({ url }, { target }, { 'quirl-collection': token })
    await put(api(url, token), { looks: { blue: { fg: '#123456' } } })
    await post(api(url, token, '/share'), {})
    assert.deepEqual(await found(), [true, '1 collection with 1 membership, 1 look, 1 share and 0 webhooks'])
    const { db } = services
    const { collection_id: id } = await db.read.selectFrom('memberships').selectAll().executeTakeFirstOrThrow()
    const member = (collection: string, link: number) => ({ collection_id: collection, link_id: link, joined_at: 0 })
    await db.write
      .insertInto('memberships')
      .values([member(id, 7), member(id, 8)])
      .execute()
    // That link was deleted, maybe by the version before, which knows no memberships.
    await db.write.insertInto('deletions').values({ link_id: 8 }).execute()
    assert.deepEqual(await found(), [false, 'found 1 membership of a link or collection that does not exist'])
    await db.write.insertInto('looks').values({ collection_id: 'none', name: 'red', design: '{}' }).execute()
    const both = 'found 1 membership of a link or collection, and 1 look of a collection that does not exist'
    assert.deepEqual(await found(), [false, both])
    await db.write.updateTable('collection_shares').set({ collection_id: 'none' }).execute()
    const all = both.replace(' that', ', and 1 share of a collection that')
    assert.deepEqual(await found(), [false, all])
    const event = { collection_id: id, link_id: 7, event_id: '', body: '', created_at: 0 }
    await db.write.insertInto('collection_outbox').values(event).execute()
    assert.deepEqual(await found(), [false, all], 'the sender deletes new events of a webhook that was removed')
    await db.write.updateTable('collection_outbox').set({ is_new: 0 }).execute()
    assert.deepEqual(await found(), [false, all.replace(' that', ', and 1 event of a webhook that')])
  })
