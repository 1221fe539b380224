import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_AWAITING } from '../src/domains/checks.ts'
import { findDomain, listDomains } from '../src/domains/store.ts'
import { MAX_WAITING } from '../src/domains/waiting-names.ts'
import { asHolder } from '../src/lib/holder.ts'
import { defaultBounds } from '../src/limits/work.ts'
import { startDns, type Zone } from './support/dns.ts'
import { attackers, fetchFrom, honest, sendFrom } from './support/loopback.ts'
import { poll } from './support/poll.ts'
import { skipUnlessOneNode, startServer } from './support/server.ts'

const HOST = 'go.bakery.shop'
const NAME = 'qr.example.com'

test(
  'names whose DNS servers do not respond keep nobody from registering others, seeing them and having them activated',
  { skip: skipUnlessOneNode },
  async (t) => {
    const silent: Record<string, Zone> = Object.fromEntries(
      Array.from({ length: 2 * defaultBounds.domains.concurrent }, (_, at) => [
        `qr.stranger${at}.com`,
        { fails: 'silence' } as const,
      ]),
    )
    const { address, zones, queries } = await startDns(t, { [HOST]: { a: ['192.0.2.1'] }, ...silent })
    // The names are registered before they have servers: the check at the registration ends at once.
    for (const name of Object.keys(silent)) delete zones[name]
    let now = Date.now()
    const server = await startServer(t, { BASE_URL: `https://${HOST}`, DNS_SERVERS: address }, () => now, {
      monotonic: () => performance.now(),
      queueMs: 2_000,
    })
    const strangers = attackers(16)
    const of = (name: string) => `${server.url}/api/domains/${name}`
    const register = (from: string, domain: string) => sendFrom(from, `${server.url}/api/domains`, { domain })
    const isChecked = async (name: string) =>
      (JSON.parse((await fetchFrom(honest(), of(name))).text) as { checked_at: string | null }).checked_at !== null
    for (const [at, name] of Object.keys(silent).entries()) {
      assert.equal((await register(strangers[at % 16] ?? '', name)).status, 201)
      await poll(() => isChecked(name))
    }
    assert.equal((await register(honest(), NAME)).status, 201)
    await poll(() => isChecked(NAME))

    Object.assign(zones, silent, { [NAME]: { cname: HOST } })
    now += 10_000
    queries.length = 0
    const waiting = Object.keys(silent).map((name, at) => fetchFrom(strangers[at % 16] ?? '', of(name)))
    await poll(() => new Set(queries).size >= MAX_AWAITING)
    const [shown, other] = [await fetchFrom(honest(), of(NAME)), await register(honest(), 'go.example.com')]
    assert.deepEqual([shown.status, other.status], [200, 201])
    assert.equal((JSON.parse(shown.text) as { status: string }).status, 'active')
    await Promise.all(waiting)
  },
)

test(
  'of a thousand names of a network that do not lead here, those of whoever has most give way, and nobody has more than all others',
  { skip: skipUnlessOneNode },
  async (t) => {
    const { address } = await startDns(t, { [HOST]: { a: ['192.0.2.1'] } })
    const server = await startServer(t, { BASE_URL: `https://${HOST}`, DNS_SERVERS: address })
    const { domains } = server.services
    const [one = '', other = ''] = attackers(2)
    for (let at = 0; at < MAX_WAITING; at++) await domains.register(`n.stranger${at}.com`, asHolder(one))
    const register = (from: string, body: object) => sendFrom(from, `${server.url}/api/domains`, body)
    for (const body of [{ domain: NAME }, { domain: NAME, claim: true }]) {
      const refused = await register(one, body)
      assert.equal(refused.status, 409)
      assert.match(refused.text, /too_many_waiting.*1000 names|1000 names.*too_many_waiting/)
    }
    assert.equal((await register(one, { domain: 'n.stranger1.com' })).status, 200)
    assert.equal((await register(one, { domain: 'n.stranger1.com', claim: true })).status, 201)
    assert.equal((await register(honest(), { domain: NAME })).status, 201)
    const isThere = async (name: string) => (await findDomain(server.services.db.read, name)) !== undefined
    for (const [name, gone] of Object.entries({ 'go.example.com': 0, 'www.example.com': 2 })) {
      assert.equal(await isThere(`n.stranger${gone}.com`), true)
      assert.equal((await register(other, { domain: name })).status, 201)
      assert.deepEqual([await isThere(`n.stranger${gone}.com`), await isThere(name)], [false, true])
    }
    assert.equal((await register(one, { domain: 'more.example.com' })).status, 409)
    assert.equal(await isThere('more.example.com'), false)
    assert.equal(await isThere('n.stranger1.com'), true, 'somebody claims it')
  },
)

test('of two networks of one IPv6 allocation, the one with more names gives way, however many clients it has', async (t) => {
  const { address } = await startDns(t, { [HOST]: { a: ['192.0.2.1'] } })
  const { services } = await startServer(t, { BASE_URL: `https://${HOST}`, DNS_SERVERS: address })
  const { domains } = services
  const clientOf = (network: number, at: number) => asHolder(`2001:db8:${network}:${at.toString(16)}::`)
  for (let at = 0; at < MAX_WAITING; at++) await domains.register(`n.stranger${at}.com`, clientOf(1, at))
  for (const name of ['a.example.com', 'b.example.com']) await domains.register(name, clientOf(2, 1))
  await assert.rejects(domains.register('c.example.com', clientOf(1, MAX_WAITING)), { code: 'too_many_waiting' })
  const names = (await listDomains(services.db.read)).map(({ name }) => name)
  assert.deepEqual([names.length, names[0], names[1]], [MAX_WAITING, 'a.example.com', 'b.example.com'])
})
