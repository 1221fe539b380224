import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Ending } from './support/cleanup.ts'
import { command } from './support/cli.ts'
import { startDns, type Zone } from './support/dns.ts'
import { ask } from './support/http.ts'
import { poll } from './support/poll.ts'
import { create, post, runFor, startServer, type TestServer } from './support/server.ts'

// A name of the service itself or of its operator may lead here without being registered: who registers it may be anybody.

const HOST = 'go.bakery.shop'
const OLD = 'old.example.com'
const MINUTE = 60_000

interface Shown {
  status: string
  narrowed: boolean
  proof: { type: string; name: string; value: string } | null
  token?: string
  claimed_at: string | null
}

async function set(t: Ending, zones: Record<string, Zone>) {
  let now = Date.UTC(2026, 5, 21)
  const dns = await startDns(t, { [HOST]: { a: ['192.0.2.1'] }, ...zones })
  const env = { BASE_URL: `https://${HOST}`, DNS_SERVERS: dns.address }
  const server = await startServer(t, env, () => now)
  const link = await create(server, { target: 'https://example.org/menu', alias: 'menu' })
  const at = (path: string, host = OLD) => ask(server.url + path, { headers: { host } })
  const statuses = async (host = OLD) => {
    const paths = ['/', `/m/${link.token}`, `/api/manage/${link.token}`, '/menu']
    return Promise.all(paths.map(async (path) => (await at(path, host)).status))
  }
  return {
    server,
    zones: dns.zones,
    at,
    statuses,
    pass: async (ms: number) => {
      await runFor(server, ms, (step) => (now += step))
      await server.services.domains.sweep()
    },
    register: async (domain = OLD) => (await (await post(`${server.url}/api/domains`, { domain })).json()) as Shown,
    shown: async (domain = OLD) => (await (await fetch(`${server.url}/api/domains/${domain}`)).json()) as Shown,
  }
}

/** What pages, the API and a code answer under a name that is not narrowed, and under one that is. */
const [OPEN, NARROWED] = [
  [200, 200, 200, 302],
  [404, 404, 404, 302],
]

const proofOf = ({ proof }: Shown) => proof ?? assert.fail('it wants no proof')
const list = async ({ dataDir }: TestServer) => (await command(dataDir, 'domains')).stdout

test('a name that leads here already goes on serving pages when a stranger registers it, until DNS has the TXT record of that registration', async (t) => {
  const { server, statuses, register, shown, zones, pass } = await set(t, { [OLD]: { cname: HOST } })
  assert.deepEqual(await statuses(), OPEN)
  await register()
  await poll(async () => (await shown()).status === 'active')
  assert.deepEqual(await statuses(), OPEN)
  const proof = proofOf(await shown())
  assert.deepEqual([proof.type, proof.name, (await shown()).narrowed], ['TXT', `_quirl.${OLD}`, false])
  // It has a certificate as any that leads here, and images of its codes lead to the service.
  assert.equal(await server.services.domains.mayHaveCertificate(OLD), true)
  assert.match(await list(server), /old\.example\.com +active, with pages/)
  assert.match(
    (await command(server.dataDir, 'domains', 'check', OLD)).stdout,
    new RegExp(`narrowed to short links once _quirl\\.old\\.example\\.com has the TXT record ${proof.value}`),
  )
  for (let minutes = 0; minutes < 3; minutes++) await pass(MINUTE)
  assert.deepEqual(await statuses(), OPEN)

  // The record of another registration is none of this one.
  zones[proof.name] = { txt: [`quirl-claim=${'x'.repeat(43)}`] }
  await pass(MINUTE)
  assert.deepEqual(await statuses(), OPEN)
  zones[proof.name] = { txt: [proof.value] }
  await pass(10_000)
  await poll(async () => (await shown()).narrowed)
  await poll(async () => (await statuses()).join() === NARROWED.join())
  const { claimed_at: provenAt, ...proven } = await shown()
  assert.deepEqual([proven.status, proven.proof, provenAt !== null], ['active', null, true])
  // It stays so without the record, and after a day on which the name led elsewhere.
  delete zones[proof.name]
  zones[OLD] = { cname: 'elsewhere.example.net' }
  await pass(61 * MINUTE)
  await poll(async () => (await shown()).status === 'misconfigured')
  zones[OLD] = { cname: HOST }
  await pass(2 * MINUTE)
  await poll(async () => (await statuses()).join() === NARROWED.join())
})

test('without a visit of its status, the TXT record is looked for after a minute, then with doubling intervals', async (t) => {
  const { statuses, register, shown, zones, pass } = await set(t, { [OLD]: { cname: HOST } })
  await register()
  await poll(async () => (await shown()).status === 'active')
  const proof = proofOf(await shown())
  zones[proof.name] = { txt: [proof.value] }
  await pass(MINUTE)
  await poll(async () => (await statuses()).join() === NARROWED.join())
})

test('a name that leads elsewhere when it is registered is narrowed as soon as it leads here; what only says that servers failed proves nothing', async (t) => {
  const [fresh, failing] = ['qr.example.com', 'www.example.com']
  const { statuses, register, shown, zones, pass } = await set(t, { [failing]: { fails: 'SERVFAIL' } })
  for (const name of [fresh, failing]) {
    assert.equal((await register(name)).proof, null)
    await poll(async () => (await shown(name)).status === 'pending')
  }
  await pass(10_000)
  for (const name of [fresh, failing]) zones[name] = { cname: HOST }
  await pass(2 * MINUTE)
  for (const name of [fresh, failing]) await poll(async () => (await shown(name)).status === 'active')
  assert.deepEqual([(await shown(fresh)).narrowed, (await shown(failing)).narrowed], [true, false])
  await poll(async () => (await statuses(fresh)).join() === NARROWED.join())
  assert.deepEqual(await statuses(failing), OPEN)
})

test('a name under which owners have opened their pages goes on serving them, also when its DNS looked otherwise at first', async (t) => {
  const other = 'other.example.com'
  const { statuses, register, shown, zones, pass, at } = await set(t, {})
  // As behind a proxy, or in a network of the operator's.
  assert.deepEqual(await statuses(), OPEN)
  await at('/', other)
  for (const name of [OLD, other]) {
    await register(name)
    await poll(async () => (await shown(name)).status === 'pending')
    await pass(10_000)
    zones[name] = { cname: HOST }
  }
  await pass(2 * MINUTE)
  for (const name of [OLD, other]) await poll(async () => (await shown(name)).status === 'active')
  assert.deepEqual([(await shown()).narrowed, (await shown(other)).narrowed], [false, true])
  assert.deepEqual(await statuses(), OPEN)
})

test('a page that anybody opens under a name while its owner has yet to set the record does not keep the name from being narrowed', async (t) => {
  const { statuses, register, shown, zones, pass } = await set(t, {})
  await register()
  await poll(async () => (await shown()).status === 'pending')
  await pass(10_000)
  assert.deepEqual(await statuses(), OPEN)
  zones[OLD] = { cname: HOST }
  // The record is set, and not found yet.
  assert.deepEqual(await statuses(), OPEN)
  await pass(2 * MINUTE)
  await poll(async () => (await shown()).status === 'active')
  assert.deepEqual([(await shown()).narrowed, (await shown()).proof], [true, null])
  await poll(async () => (await statuses()).join() === NARROWED.join())
})

test('who proves a claim narrows the name as well', async (t) => {
  const { server, statuses, register, shown, zones, pass } = await set(t, { [OLD]: { cname: HOST } })
  await register()
  await poll(async () => (await shown()).status === 'active')
  const claimed = await (await post(`${server.url}/api/domains`, { domain: OLD, claim: true })).json()
  const { records } = claimed as { records: { type: string; value: string }[] }
  zones[`_quirl.${OLD}`] = { txt: [records.find(({ type }) => type === 'TXT')?.value ?? ''] }
  await pass(MINUTE)
  await poll(async () => (await shown()).narrowed)
  await poll(async () => (await statuses()).join() === NARROWED.join())
})

test('a name that led here when it was registered goes on serving pages whatever its DNS says in between, for a moment or for days, until the TXT record is there', async (t) => {
  const { server, statuses, register, shown, zones, pass } = await set(t, { [OLD]: { cname: HOST } })
  await register()
  await poll(async () => (await shown()).status === 'active')
  const elsewhere: (Zone | undefined)[] = [undefined, { a: ['192.0.2.1'] }, { cname: 'elsewhere.example.net' }, {}]
  for (const [at, zone] of elsewhere.entries()) {
    if (zone === undefined) delete zones[OLD]
    else zones[OLD] = zone
    // Anybody may have it checked.
    await pass(at === 0 ? 61 * MINUTE : 3 * 24 * 60 * MINUTE)
    await poll(async () => (await shown()).status === 'misconfigured')
    zones[OLD] = { cname: HOST }
    await pass(61 * MINUTE)
    await poll(async () => (await shown()).status === 'active')
    assert.deepEqual([(await shown()).narrowed, (await shown()).proof !== null], [false, true])
    await poll(async () => (await statuses()).join() === OPEN.join())
  }
  assert.match(await list(server), /old\.example\.com +active, with pages/)
  const proof = proofOf(await shown())
  zones[proof.name] = { txt: [proof.value] }
  await pass(61 * MINUTE)
  await poll(async () => (await shown()).narrowed)
  await poll(async () => (await statuses()).join() === NARROWED.join())
})

const ways: Record<string, (server: TestServer, token: string) => Promise<unknown>> = {
  'its token removes it': ({ url }, token) =>
    fetch(`${url}/api/domains/${OLD}`, { method: 'DELETE', headers: { authorization: `Bearer ${token}` } }),
  'the operator removes it': ({ dataDir }) => command(dataDir, 'domains', 'remove', OLD),
}

for (const [way, remove] of Object.entries(ways)) {
  test(`when ${way}, a name that led here goes on serving pages, also if it is registered again while its DNS looks otherwise`, async (t) => {
    const { server, statuses, register, shown, zones, pass } = await set(t, { [OLD]: { cname: HOST } })
    const { token = '' } = await register()
    await poll(async () => (await shown()).status === 'active')
    delete zones[OLD]
    await remove(server, token)
    assert.notEqual((await register()).token, token)
    await poll(async () => (await shown()).status === 'pending')
    await pass(10_000)
    zones[OLD] = { cname: HOST }
    await pass(2 * MINUTE)
    await poll(async () => (await shown()).status === 'active')
    assert.equal((await shown()).narrowed, false)
    assert.deepEqual(await statuses(), OPEN)
  })
}
