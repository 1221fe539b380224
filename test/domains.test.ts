import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { MAX_ACTIVE } from '../src/domains/check-domain.ts'
import type { Domain } from '../src/domains/domain.ts'
import { insertDomain } from '../src/domains/store.ts'
import { stylesheets } from '../src/styles/stylesheets.ts'
import { openDomains } from '../src/domains/open.ts'
import { hashToken } from '../src/lib/token.ts'
import { undoLater, type Ending } from './support/cleanup.ts'
import { command } from './support/cli.ts'
import { startDns, type TestDns, type Zone } from './support/dns.ts'
import { ask } from './support/http.ts'
import { poll } from './support/poll.ts'
import { create, post, runFor, skipUnlessOneNode, startServer, visit, type TestServer } from './support/server.ts'
import { domain } from './support/stored-domains.ts'

const BASE = 'https://go.bakery.shop'
const HOST = 'go.bakery.shop'
const NAME = 'qr.example.com'
const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

interface Shown {
  domain: string
  status: string
  records: { type: string; name: string; value: string }[]
  alternatives: { type: string; name: string; value: string }[]
  fault: { code: string; detail: string } | null
  narrowed: boolean
  proof: { type: string; name: string; value: string } | null
  checked_at: string | null
  created_at: string
  expires_at: string | null
  claimed_at: string | null
  claim_expires_at?: string
  token?: string
}

interface Setting extends TestServer {
  dns: TestDns
  /** Advances the clock, and runs the tasks that have become due. */
  pass: (ms: number) => Promise<void>
  register: (domain: string) => Promise<Shown>
  status: (domain?: string) => Promise<Shown>
  point: (name: string, zone?: Zone) => void
  /** Registers a name that does not lead here yet, and sets its record then, so that it is active. Ten seconds pass. */
  lead: (name?: string, zone?: Zone) => Promise<Shown>
}

async function set(t: Ending, env: Record<string, string> = {}): Promise<Setting> {
  // In the past: PostgreSQL has a clock of its own, and the earlier of both counts where what is old is removed.
  let now = Date.UTC(2026, 5, 21)
  const dns = await startDns(t, { [HOST]: { a: ['192.0.2.1'], aaaa: ['2001:db8::1'] } })
  const server = await startServer(t, { BASE_URL: BASE, DNS_SERVERS: dns.address, ...env }, () => now)
  const setting: Setting = {
    ...server,
    dns,
    async pass(ms) {
      await runFor(server, ms, (step) => (now += step))
      await server.services.domains.sweep()
    },
    async register(domain) {
      const response = await post(`${server.url}/api/domains`, { domain })
      assert.ok(response.ok, await response.clone().text())
      return (await response.json()) as Shown
    },
    async status(domain = NAME) {
      const response = await fetch(`${server.url}/api/domains/${domain}`)
      assert.equal(response.status, 200, await response.clone().text())
      return (await response.json()) as Shown
    },
    point: (name, zone = { cname: HOST }) => (dns.zones[name] = zone),
    async lead(name = NAME, zone) {
      const registered = await setting.register(name)
      await poll(async () => (await setting.status(name)).checked_at !== null)
      setting.point(name, zone)
      await setting.pass(10 * SECOND)
      await poll(async () => (await setting.status(name)).status === 'active')
      return registered
    },
  }
  return setting
}

const problemOf = async (response: Response, status: number, code: string) => {
  const body = (await response.json()) as { code: string; detail: string; errors?: unknown }
  assert.deepEqual([response.status, body.code], [status, code], JSON.stringify(body))
  return body
}

describe('registering a domain', () => {
  test('returns 201 with the record to set, the time of expiry, and a token that is only returned once', async (t) => {
    const { url, register } = await set(t)
    const response = await post(`${url}/api/domains`, { domain: 'QR.Bücher.Example.' })
    assert.equal(response.status, 201)
    assert.equal(response.headers.get('cache-control'), 'no-store')
    const body = (await response.json()) as Shown
    assert.match(body.token ?? '', /^[\w-]{43}$/)
    assert.deepEqual(body, {
      domain: 'qr.xn--bcher-kva.example',
      status: 'pending',
      narrowed: false,
      proof: null,
      records: [{ type: 'CNAME', name: 'qr.xn--bcher-kva.example', value: HOST }],
      alternatives: [],
      fault: null,
      findings: [],
      checked_at: null,
      claimed_at: null,
      created_at: '2026-06-21T00:00:00.000Z',
      expires_at: '2026-06-28T00:00:00.000Z',
      token: body.token,
    })
    const again = await post(`${url}/api/domains`, { domain: 'qr.bücher.example' })
    assert.equal(again.status, 200)
    const { token, ...rest } = body
    assert.ok(token)
    assert.equal(((await again.json()) as Shown).domain, rest.domain)
    assert.equal((await register('qr.bücher.example')).token, undefined)
  })

  test('returns the token to only one of many concurrent requests', async (t) => {
    const { register } = await set(t)
    const all = await Promise.all(Array.from({ length: 20 }, () => register(NAME)))
    assert.equal(all.filter(({ token }) => token !== undefined).length, 1)
  })

  test('also lists the addresses for an apex domain, which cannot have a CNAME', async (t) => {
    const { register, point, status } = await set(t)
    const { records, alternatives } = await register('example.com')
    assert.deepEqual(records, [{ type: 'CNAME', name: 'example.com', value: HOST }])
    assert.deepEqual(alternatives, [
      { type: 'A', name: 'example.com', value: '192.0.2.1' },
      { type: 'AAAA', name: 'example.com', value: '2001:db8::1' },
    ])
    await status('example.com')
    point('example.org', { a: ['192.0.2.1'] })
    await register('example.org')
    assert.equal((await status('example.org')).status, 'active')
  })

  test('of a service without a name requires an address record, which only an apex domain can use', async (t) => {
    const { register, status } = await set(t, { BASE_URL: 'http://203.0.113.9' })
    const name = 'example.com'
    assert.deepEqual((await register(name)).records, [{ type: 'A', name, value: '203.0.113.9' }])
    const six = await set(t, { BASE_URL: 'http://[2001:db8::9]:8080' })
    assert.deepEqual((await six.register(name)).records, [{ type: 'AAAA', name, value: '2001:db8::9' }])
    const { records, fault } = await register(NAME)
    assert.deepEqual([records, fault?.code], [[], 'no_public_name'])
    assert.match(fault?.detail ?? '', /no public name yet, only the address 203\.0\.113\.9/)
    assert.equal((await status(NAME)).status, 'pending')
  })

  test('works while the service has no public name, with that fault, and no name becomes active', async (t) => {
    for (const base of ['', 'http://localhost:3000', 'http://127.0.0.1', 'http://0.0.0.0:3000', 'http://[::1]']) {
      const { register, status, point, pass, url } = await set(t, { BASE_URL: base })
      point(NAME, { cname: 'localhost' })
      point('example.com', { a: ['127.0.0.1'], aaaa: ['::1'] })
      point('localhost', { a: ['127.0.0.1'], aaaa: ['::1'] })
      for (const name of [NAME, 'example.com']) {
        const { status: state, records, alternatives, fault, token } = await register(name)
        assert.deepEqual([state, records, alternatives, fault?.code], ['pending', [], [], 'no_public_name'], base)
        assert.match(fault?.detail ?? '', /^this service has no public name yet: .* BASE_URL$/)
        assert.ok(token)
        assert.equal((await status(name)).status, 'pending')
        await pass(HOUR)
        assert.deepEqual([(await status(name)).status, (await status(name)).fault], ['pending', fault])
        assert.equal((await visit(`${url}/internal/tls-ask?domain=${name}`)).status, 403)
      }
      assert.equal((await visit(`${url}/internal/tls-ask?domain=localhost`)).status, 403)
    }
  })

  test('may precede the public name of the service: the domain is active once there is one and the record is set', async (t) => {
    const { register, point, services, dns } = await set(t, { BASE_URL: '' })
    await register(NAME)
    point(NAME)
    const named = await openDomains({ ...services, baseUrl: BASE, servers: [dns.address], log: { error: assert.fail } })
    undoLater(t, named.close)
    assert.equal((await named.check(NAME)).status, 'active')
  })

  test('refuses an invalid or private host name with a 400 that points to the field, and stores nothing', async (t) => {
    const { url, services } = await set(t)
    for (const domain of [
      'localhost',
      '192.0.2.7',
      '[::1]',
      'co.uk',
      'a..b',
      '_x.example.com',
      HOST,
      `x.${HOST}`,
      'a.local',
    ]) {
      const { errors } = await problemOf(await post(`${url}/api/domains`, { domain }), 400, 'invalid_request')
      assert.equal((errors as { pointer: string }[])[0]?.pointer, '/domain', domain)
    }
    for (const body of [
      {},
      [],
      null,
      { domain: 5 },
      { domain: null },
      { domain: ['a.example.com'] },
      { domain: 'x'.repeat(1001) },
    ]) {
      await problemOf(await post(`${url}/api/domains`, body), 400, 'invalid_request')
    }
    assert.deepEqual(await services.domains.list(), [])
  })

  test('is refused with 409 when 40 names of one registrable domain are active, which does not affect other domains', async (t) => {
    const { url, register, status, point, pass } = await set(t)
    for (let at = 0; at < 45; at++) await register(`n${at}.example.co.uk`)
    assert.equal((await register('free.example.org')).status, 'pending', 'pending names do not count')
    for (let at = 0; at < 45; at++) point(`n${at}.example.co.uk`)
    await pass(2 * MINUTE)
    const all = await Promise.all(Array.from({ length: 45 }, (_, at) => status(`n${at}.example.co.uk`)))
    assert.equal(all.filter((each) => each.status === 'active').length, 40)
    const refused = all.find((each) => each.status === 'pending')
    assert.equal(refused?.fault?.code, 'too_many_active')
    assert.match(refused.fault.detail, /40 names under example\.co\.uk/)
    await problemOf(await post(`${url}/api/domains`, { domain: 'n99.example.co.uk' }), 409, 'too_many_domains')
    await register('n99.other.co.uk')
  })

  test('stores only the hash of the token', async (t) => {
    const { register, services } = await set(t)
    const { token } = await register(NAME)
    const [kept] = await services.domains.list()
    assert.equal(JSON.stringify(kept).includes(token ?? ''), false)
  })
})

describe('the status of a domain', () => {
  test('has the DNS fault, and becomes active as soon as the record is set', async (t) => {
    const { register, status, point, pass } = await set(t)
    await register(NAME)
    const before = await status()
    assert.deepEqual([before.status, before.fault?.code], ['pending', 'nxdomain'])
    assert.equal(before.checked_at, '2026-06-21T00:00:00.000Z')
    point(NAME)
    assert.equal((await status()).status, 'pending', 'checked again only after ten seconds')
    await pass(10 * SECOND)
    const after = await status()
    assert.deepEqual([after.status, after.fault, after.expires_at], ['active', null, null])
  })

  test(
    'is checked at most every ten seconds, no matter how many requests ask for it',
    { skip: skipUnlessOneNode },
    async (t) => {
      const { register, status, dns, pass } = await set(t)
      await register(NAME)
      await status()
      const queries = dns.queries.length
      await Promise.all(Array.from({ length: 50 }, () => status()))
      assert.equal(dns.queries.length, queries)
      await pass(10 * SECOND)
      await Promise.all(Array.from({ length: 50 }, () => status()))
      // The proof of the registration is looked up until the name is known to lead elsewhere.
      assert.equal(dns.queries.filter((name) => name === NAME).length, (queries - 1) * 2)
    },
  )

  test('becomes misconfigured when the record is removed, and active again when it is restored', async (t) => {
    const { lead, status, point, pass, dns } = await set(t)
    await lead()
    assert.equal((await status()).status, 'active')
    delete dns.zones[NAME]
    await pass(59 * MINUTE)
    assert.equal((await status()).status, 'active', 'an active name is looked up each hour')
    await pass(MINUTE)
    const lost = await status()
    assert.deepEqual([lost.status, lost.fault?.code], ['misconfigured', 'nxdomain'])
    assert.equal(lost.expires_at, '2026-07-21T01:00:10.000Z')
    point(NAME)
    await pass(MINUTE)
    assert.equal((await status()).status, 'active')
  })

  test('stays active for a day while the DNS servers do not respond', async (t) => {
    const { register, status, point, pass } = await set(t)
    point(NAME)
    await register(NAME)
    await status()
    point(NAME, { fails: 'SERVFAIL' })
    await pass(HOUR)
    const failing = await status()
    assert.deepEqual([failing.status, failing.fault?.code], ['active', 'servfail'])
    for (let hours = 1; hours < 24; hours++) await pass(HOUR)
    assert.equal((await status()).status, 'active')
    await pass(HOUR)
    assert.equal((await status()).status, 'misconfigured')
  })

  test('is checked again after 1, 2, 4 … minutes while there is a fault, at most an hour', async (t) => {
    const { register, status, pass, services } = await set(t)
    await register(NAME)
    await status()
    const delays: number[] = []
    for (let at = 0; at < 9; at++) {
      const [domain] = await services.domains.list()
      const delay = (domain?.nextCheckAt ?? 0) - (domain?.checkedAt ?? 0)
      delays.push(delay / MINUTE)
      await pass(delay)
    }
    assert.deepEqual(delays, [1, 2, 4, 8, 16, 32, 60, 60, 60])
  })

  test('does not expire by a clock that is a year ahead at once', async (t) => {
    let now = Date.UTC(2020, 5, 21)
    const server = await startServer(t, { BASE_URL: BASE }, () => now)
    assert.equal((await post(`${server.url}/api/domains`, { domain: NAME })).status, 201)
    now += 365 * DAY
    await server.services.clock.check()
    await server.services.domains.sweep()
    assert.equal((await fetch(`${server.url}/api/domains/${NAME}`)).status, 200)
  })

  test('expires after 7 days as pending and 30 as misconfigured; then the name can be registered again', async (t) => {
    const { register, status, point, pass, dns, url, services } = await set(t)
    await register('never.example.com')
    point(NAME)
    await register(NAME)
    assert.equal((await status()).status, 'active')
    await pass(7 * DAY)
    assert.equal((await status('never.example.com')).status, 'pending')
    await pass(SECOND)
    await problemOf(await fetch(`${url}/api/domains/never.example.com`), 404, 'unknown_domain')
    assert.equal(services.domains.statusOf('never.example.com'), undefined)
    assert.equal((await status()).status, 'active')
    delete dns.zones[NAME]
    await pass(HOUR)
    await pass(30 * DAY)
    assert.equal((await status()).status, 'misconfigured')
    await pass(SECOND)
    await problemOf(await fetch(`${url}/api/domains/${NAME}`), 404, 'unknown_domain')
    assert.ok((await register(NAME)).token)
  })

  test('of an unknown or invalid name gets a 404', async (t) => {
    const { url } = await set(t)
    for (const name of [NAME, 'localhost', '%20', '192.0.2.1', 'x'.repeat(2000), '%C3%BC.example.com']) {
      await problemOf(await fetch(`${url}/api/domains/${name}`), 404, 'unknown_domain')
    }
  })

  test('survives a restart', async (t) => {
    const { lead, services, dns } = await set(t)
    await lead()
    const restarted = await openDomains({
      ...services,
      baseUrl: BASE,
      servers: [dns.address],
      log: { error: assert.fail },
    })
    undoLater(t, restarted.close)
    assert.deepEqual([restarted.isEmpty(), restarted.statusOf(NAME)], [false, 'active'])
    assert.equal(await restarted.mayHaveCertificate(NAME), true)
  })

  test('reaches the other processes on the store within seconds: registered, active, removed', async (t) => {
    const { register, point, pass, services, dns } = await set(t)
    const other = await openDomains({ ...services, baseUrl: BASE, servers: [dns.address], log: { error: assert.fail } })
    undoLater(t, other.close)
    const { token = '' } = await register(NAME)
    await other.sweep()
    assert.equal(other.statusOf(NAME), 'pending')
    point(NAME)
    await pass(MINUTE)
    await other.sweep()
    assert.equal(other.statusOf(NAME), 'active')
    await register('another.example.com')
    await services.domains.remove(NAME, token)
    await other.sweep()
    assert.deepEqual([other.statusOf(NAME), other.statusOf('another.example.com')], [undefined, 'pending'])
  })

  test('is correct in a process right after another process has registered or removed the name', async (t) => {
    const { register, point, services, dns, status, pass } = await set(t)
    const other = await openDomains({ ...services, baseUrl: BASE, servers: [dns.address], log: { error: assert.fail } })
    undoLater(t, other.close)
    const { token = '' } = await register(NAME)
    await status()
    point(NAME)
    await pass(10 * SECOND)
    assert.equal((await status()).status, 'active')
    assert.equal(await other.mayHaveCertificate(NAME), true)
    assert.equal(other.statusOf(NAME), 'active')
    await services.domains.remove(NAME, token)
    await assert.rejects(other.read(NAME), /no domain of this name/)
  })

  test('is checked once when the check is due in two processes', async (t) => {
    const { register, status, pass, services, dns } = await set(t)
    const other = await openDomains({ ...services, baseUrl: BASE, servers: [dns.address], log: { error: assert.fail } })
    undoLater(t, other.close)
    await register(NAME)
    await status()
    const began = dns.queries.length
    await pass(MINUTE)
    const once = dns.queries.length - began
    await Promise.all([pass(2 * MINUTE), other.sweep()])
    assert.deepEqual([once > 0, dns.queries.length - began], [true, 2 * once])
  })
})

describe('a claim', () => {
  interface Claimed extends Omit<Shown, 'proof'> {
    token: string
    proof: string
  }
  const claim = async ({ url }: TestServer, domain = NAME): Promise<Claimed> => {
    const response = await post(`${url}/api/domains`, { domain, claim: true })
    assert.equal(response.status, 201, await response.clone().text())
    const shown = (await response.json()) as Shown & { token: string }
    const { name, value: proof } = shown.records.find(({ type }) => type === 'TXT') ?? assert.fail()
    assert.equal(name, `_quirl.${domain}`)
    return { ...shown, proof }
  }
  const remove = ({ url }: TestServer, token = '', domain = NAME) =>
    fetch(`${url}/api/domains/${domain}`, { method: 'DELETE', headers: { authorization: `Bearer ${token}` } })
  const isHeldBy = async ({ services }: TestServer, token = '') =>
    (await services.domains.list()).find(({ name }) => name === NAME)?.tokenHash === hashToken(token)
  const publish = (server: Setting, ...txt: (string | string[])[]) => server.point(`_quirl.${NAME}`, { txt })

  /** Registers a name as another owner, with a record that points to the service. */
  async function squatted(t: Ending): Promise<Setting & { squatter: string }> {
    const server = await set(t)
    server.point(NAME)
    const { token = '' } = await server.register(NAME)
    assert.equal((await server.status()).status, 'active')
    return { ...server, squatter: token }
  }

  test('takes over an active name once its record is set, and invalidates the earlier token', async (t) => {
    const server = await squatted(t)
    const mine = await claim(server)
    assert.deepEqual(
      [mine.domain, mine.status, mine.claimed_at, mine.claim_expires_at, mine.records.map(({ type }) => type)],
      [NAME, 'active', null, '2026-06-28T00:00:00.000Z', ['CNAME', 'TXT']],
    )
    assert.match(mine.token, /^[\w-]{43}$/)
    await server.pass(10 * SECOND)
    assert.equal((await server.status()).claimed_at, null)
    await problemOf(await remove(server, mine.token), 404, 'unknown_domain')
    assert.ok(await isHeldBy(server, server.squatter))
    publish(server, 'v=spf1 -all', mine.proof)
    await server.pass(10 * SECOND)
    const { status, claimed_at: claimedAt } = await server.status()
    assert.deepEqual([status, claimedAt], ['active', '2026-06-21T00:00:20.000Z'])
    await problemOf(await remove(server, server.squatter), 404, 'unknown_domain')
    // The record is no longer needed.
    delete server.dns.zones[`_quirl.${NAME}`]
    await server.pass(HOUR)
    assert.ok(await isHeldBy(server, mine.token))
    assert.equal((await remove(server, mine.token)).status, 200)
  })

  test('has a place for its name where strangers made 40 active by a wildcard record, as long as 40 are not proven', async (t) => {
    const server = await set(t)
    const { db } = server.services
    const later = { status: 'active', nextCheckAt: Date.UTC(2026, 5, 21, 1) } as const
    const put = (name: string, more: Partial<Domain> = {}) =>
      db.transaction((transaction) => insertDomain(transaction, domain(name, { ...later, ...more })))
    for (let at = 0; at < MAX_ACTIVE; at++) await put(`n${at}.example.com`)
    const refused = await problemOf(await post(`${server.url}/api/domains`, { domain: NAME }), 409, 'too_many_domains')
    assert.match(refused.detail, /claim this one/)
    const mine = await claim(server)
    // The check that the registration causes has ended.
    await server.status()
    server.point(NAME)
    await server.pass(10 * SECOND)
    assert.equal((await server.status()).fault?.code, 'too_many_active')
    publish(server, mine.proof)
    await server.pass(10 * SECOND)
    assert.equal((await server.status()).status, 'active')

    for (let at = 1; at < MAX_ACTIVE; at++) await put(`p${at}.example.com`, { claimedAt: Date.UTC(2026, 5, 21) })
    const other = await claim(server, 'other.example.com')
    await server.status('other.example.com')
    server.point('other.example.com')
    server.point('_quirl.other.example.com', { txt: [other.proof] })
    await server.pass(10 * SECOND)
    const { status, claimed_at: claimedAt, fault } = await server.status('other.example.com')
    assert.ok(claimedAt !== null)
    assert.deepEqual([status, fault?.code], ['pending', 'too_many_active'])
  })

  test('registers an unregistered name, with both records', { skip: skipUnlessOneNode }, async (t) => {
    const server = await set(t)
    const mine = await claim(server)
    assert.deepEqual([mine.status, mine.records[0]], ['pending', { type: 'CNAME', name: NAME, value: HOST }])
    assert.equal(mine.expires_at, '2026-06-28T00:00:00.000Z')
    assert.ok(await isHeldBy(server, mine.token))
    // The check that the registration causes has ended.
    await server.status()
    server.point(NAME)
    publish(server, mine.proof)
    await server.pass(10 * SECOND)
    const { status, claimed_at: claimedAt } = await server.status()
    assert.deepEqual([status, claimedAt], ['active', '2026-06-21T00:00:10.000Z'])
    assert.ok(await isHeldBy(server, mine.token))
  })

  test('competes with others: the DNS decides, and each proof counts once', async (t) => {
    const server = await squatted(t)
    const [first, second, third] = [await claim(server), await claim(server), await claim(server)]
    assert.equal(new Set([first, second, third].flatMap(({ token, proof }) => [token, proof])).size, 6)
    const holds = async (holder: Claimed) => {
      await server.pass(10 * SECOND)
      await server.status()
      assert.ok(await isHeldBy(server, holder.token))
    }
    publish(server, second.proof)
    await holds(second)
    publish(server, second.proof, first.proof)
    await holds(first)
    // Both records still exist: neither takes the name back.
    await holds(first)
    const again = await claim(server)
    publish(server, first.proof, again.proof, second.proof)
    await holds(again)
    await holds(again)
    for (const { token } of [first, second, third, { token: server.squatter }]) {
      await problemOf(await remove(server, token), 404, 'unknown_domain')
    }
  })

  test('cannot be used by readers of its record, nor for another name', async (t) => {
    const server = await squatted(t)
    const mine = await claim(server)
    const foreign = await claim(server, 'other.example.com')
    publish(server, foreign.proof, `${mine.proof}x`, mine.token, hashToken(mine.token))
    await server.pass(10 * SECOND)
    assert.equal((await server.status()).claimed_at, null)
    publish(server, mine.proof)
    await claim(server)
    await server.pass(10 * SECOND)
    await server.status()
    assert.ok(await isHeldBy(server, mine.token), 'not the claim that came after it')
  })

  test(
    'causes a check at most every ten seconds, and only while it is valid',
    { skip: skipUnlessOneNode },
    async (t) => {
      const server = await set(t)
      await server.lead()
      const queries = () => server.dns.queries.filter((name) => name === `_quirl.${NAME}`).length
      const began = queries()
      await Promise.all(Array.from({ length: 20 }, () => server.status()))
      assert.equal(queries(), began)
      await claim(server)
      await server.pass(10 * SECOND)
      const all = () => Promise.all(Array.from({ length: 20 }, () => server.status()))
      await all()
      await all()
      assert.equal(queries(), began + 1)
      await server.pass(10 * SECOND)
      await all()
      assert.equal(queries(), began + 2)
    },
  )

  test('is checked in the background: after a minute, then with doubling intervals', async (t) => {
    const server = await squatted(t)
    const mine = await claim(server)
    publish(server, mine.proof)
    await server.pass(MINUTE - SECOND)
    assert.ok(await isHeldBy(server, server.squatter))
    await server.pass(SECOND)
    assert.ok(await isHeldBy(server, mine.token))

    const late = await claim(server)
    const began = server.dns.queries.length
    for (let minutes = 0; minutes < 60; minutes++) await server.pass(MINUTE)
    const looks = server.dns.queries.slice(began).filter((name) => name === `_quirl.${NAME}`).length
    assert.equal(looks, 6, 'after 1, 2, 4, 8, 16 and 32 minutes')
    publish(server, late.proof)
    await server.pass(HOUR)
    assert.ok(await isHeldBy(server, late.token))
  })

  test('expires after 7 days; until then the name does not expire', async (t) => {
    const server = await set(t)
    await server.register(NAME)
    await server.pass(6 * DAY)
    const mine = await claim(server)
    await server.pass(2 * DAY)
    assert.equal((await server.status()).status, 'pending')
    await server.pass(5 * DAY)
    publish(server, mine.proof)
    const second = await claim(server)
    await server.pass(SECOND)
    await server.pass(MINUTE)
    assert.equal((await server.status()).claimed_at, null, 'the first is too old by a second')
    publish(server, second.proof)
    await server.pass(HOUR)
    assert.ok(await isHeldBy(server, second.token))
    assert.equal((await server.status()).expires_at, '2026-07-11T01:01:01.000Z', '7 days more')
    await server.pass(7 * DAY)
    assert.equal((await server.status()).status, 'pending')
    await server.pass(SECOND)
    await problemOf(await fetch(`${server.url}/api/domains/${NAME}`), 404, 'unknown_domain')
  })

  test('stays valid after a removal by the earlier token, when the name is registered again', async (t) => {
    const server = await squatted(t)
    const mine = await claim(server)
    assert.equal((await remove(server, server.squatter)).status, 200)
    await server.register(NAME)
    // The check that the registration causes has ended.
    await server.status()
    publish(server, mine.proof)
    await server.pass(MINUTE)
    assert.ok(await isHeldBy(server, mine.token))
  })

  test('made in one process is proven in another', async (t) => {
    const server = await squatted(t)
    const { services, dns } = server
    const other = await openDomains({ ...services, baseUrl: BASE, servers: [dns.address], log: { error: assert.fail } })
    undoLater(t, other.close)
    const mine = await claim(server)
    publish(server, mine.proof)
    // Both processes check at the same time: one transfers the name, and neither drops it.
    await Promise.all([other.check(NAME), services.domains.check(NAME)])
    assert.ok(await isHeldBy(server, mine.token))
    assert.deepEqual([other.statusOf(NAME), services.domains.statusOf(NAME)], ['active', 'active'])
    await other.remove(NAME, mine.token)
  })

  test('is validated and charged like a registration', async (t) => {
    const server = await set(t, { LIMIT_DOMAINS: '1' })
    for (const domain of ['localhost', HOST, `x.${HOST}`]) {
      await problemOf(await post(`${server.url}/api/domains`, { domain, claim: true }), 400, 'invalid_request')
    }
    await claim(server)
    await problemOf(await post(`${server.url}/api/domains`, { domain: NAME, claim: true }), 429, 'rate_limited')
  })

  test('that is refused counts as a refused creation, like a registration', async (t) => {
    const server = await set(t, { LIMIT_FAILURES: '2' })
    await problemOf(
      await post(`${server.url}/api/domains`, { domain: 'localhost', claim: true }),
      400,
      'invalid_request',
    )
    await problemOf(await post(`${server.url}/api/domains`, { domain: 'localhost' }), 400, 'invalid_request')
    await problemOf(await post(`${server.url}/api/domains`, { domain: NAME }), 429, 'rate_limited')
  })

  test('requires the value true, and a name that is short enough for its record', async (t) => {
    const server = await set(t)
    for (const word of [1, 'true', null, {}]) {
      const body = await problemOf(
        await post(`${server.url}/api/domains`, { domain: NAME, claim: word }),
        400,
        'invalid_request',
      )
      assert.equal((body.errors as { pointer: string }[])[0]?.pointer, '/claim')
    }
    const none = await post(`${server.url}/api/domains`, { domain: NAME, claim: false })
    assert.deepEqual(((await none.json()) as Shown).records.length, 1)
    const long = (length: number) =>
      `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(length - 187)}.com`
    assert.equal((await claim(server, long(246))).domain.length, 246)
    const refused = await post(`${server.url}/api/domains`, { domain: long(247), claim: true })
    assert.match((await problemOf(refused, 400, 'invalid_request')).detail, /at most 246 characters/)
  })
})

test('who guesses tokens or names of domains is charged, on the pages too, and the right token goes on to work', async (t) => {
  const { url, register } = await set(t, { LIMIT_MISSES: '4' })
  const { token } = await register(NAME)
  const remove = (given: string) =>
    fetch(`${url}/api/domains/${NAME}`, { method: 'DELETE', headers: { authorization: `Bearer ${given}` } })
  const removeByForm = (given: string) =>
    fetch(`${url}/domains`, {
      method: 'POST',
      body: new URLSearchParams({ name: NAME, action: 'remove', token: given }),
    })
  const guesses = [
    () => remove('domain_wrong'),
    () => fetch(`${url}/api/domains/unknown.example.com`),
    () => removeByForm('domain_wrong'),
    () => fetch(`${url}/domains?name=unknown.example.com`),
  ]
  for (const guess of guesses) assert.equal((await guess()).status, 404)
  for (const guess of guesses) assert.equal((await guess()).status, 429)
  assert.equal((await fetch(`${url}/api/domains/${NAME}`)).status, 200)
  assert.equal((await removeByForm(token ?? '')).status, 200)
})

test('a domain is removed by its token alone', async (t) => {
  const { url, register, services } = await set(t)
  const { token } = await register(NAME)
  const other = await register('other.example.com')
  const remove = (authorization?: string) =>
    fetch(`${url}/api/domains/${NAME.toUpperCase()}`, {
      method: 'DELETE',
      headers: authorization === undefined ? {} : { authorization },
    })
  await problemOf(await remove(), 404, 'unknown_domain')
  await problemOf(await remove(`Bearer ${other.token}`), 404, 'unknown_domain')
  await problemOf(await remove(`Basic ${token}`), 404, 'unknown_domain')
  const removed = await remove(`Bearer ${token}`)
  assert.deepEqual([removed.status, await removed.json()], [200, { deleted: true, domain: NAME }])
  await problemOf(await remove(`Bearer ${token}`), 404, 'unknown_domain')
  assert.equal(services.domains.statusOf(NAME), undefined)
})

describe('on a custom domain', () => {
  const at = (server: TestServer, path: string, host = NAME, headers = {}) =>
    ask(server.url + path, { headers: { host, ...headers } })

  test('every code resolves over plain HTTP with any status, case and port', async (t) => {
    const server = await set(t)
    await create(server, { target: 'https://example.org/menu', alias: 'menu' })
    await server.register(NAME)
    for (const host of [NAME, NAME.toUpperCase(), `${NAME}:8080`, `${NAME}.`]) {
      const { status, headers } = await at(server, '/menu?qr=1', host)
      assert.deepEqual([status, headers.location], [302, 'https://example.org/menu'], host)
    }
    assert.equal((await at(server, '/nothing')).status, 404)
  })

  test('only links, QR images, vCards, style sheets and health checks are served', async (t) => {
    const server = await set(t)
    const { token } = await create(server, { kind: 'vcard', firstName: 'Ada', alias: 'ada' })
    await server.lead()
    const shared = [stylesheets.visitor.path, '/assets/quirl.svg', '/healthz', '/readyz']
    for (const path of ['/ada', '/ada.vcf', '/ada/qr.png', '/ada/qr.svg', ...shared]) {
      assert.equal((await at(server, path)).status, 200, path)
    }
    for (const path of [
      '/',
      '/ada+',
      `/m/${token}`,
      `/api/manage/${token}`,
      '/api/openapi.json',
      '/api/qr?data=x',
      '/internal/tls-ask',
      '/x/y',
    ]) {
      assert.equal((await at(server, path)).status, 404, path)
      assert.notEqual((await at(server, path, 'unregistered.example.com')).status, path === '/x/y' ? 200 : 404, path)
    }
    const page = await at(server, '/', NAME, { accept: 'text/html' })
    assert.match(page.body, /There is nothing at this address/)
    assert.doesNotMatch(page.body, /href="\/"/, 'the page must not link to missing pages')
    const posted = await ask(`${server.url}/api/links`, {
      method: 'POST',
      headers: { host: NAME, 'content-type': 'application/json' },
      body: '{"target":"https://example.com/"}',
    })
    assert.equal(posted.status, 404)
    assert.equal((await ask(`${server.url}/ada`, { method: 'POST', headers: { host: NAME } })).status, 405)
  })

  test('that is not active, or under which owners have opened their pages, everything is served: it may be an alternative name of the service', async (t) => {
    for (const env of [{}, { BASE_URL: '' }]) {
      const server = await set(t, env)
      const { token } = await create(server, { target: 'https://example.org/', alias: 'menu' })
      const paths = ['/', `/m/${token}`, `/api/manage/${token}`, '/healthz', '/readyz', '/menu+', '/report']
      const bodies = async () => {
        const found = []
        for (const path of paths) {
          const { status, body } = await at(server, path)
          assert.equal(status, 200, path)
          // The form of the home page has a new key each time.
          found.push(body.replace(/[\da-f]{8}-[\da-f-]{27}/g, 'key'))
        }
        const posted = await at(server, '/api/links', NAME, { 'content-type': 'application/json' })
        assert.equal(posted.status, 405)
        return found
      }
      const before = await bodies()
      await server.register(NAME)
      assert.deepEqual(await bodies(), before, 'pending')
      if (env.BASE_URL === '') continue
      server.point(NAME)
      await server.pass(MINUTE)
      await poll(async () => (await server.status()).status === 'active')
      assert.deepEqual(await bodies(), before, 'owners have opened their pages under it')
      delete server.dns.zones[NAME]
      await server.pass(HOUR)
      assert.equal((await server.status()).status, 'misconfigured')
      assert.deepEqual(await bodies(), before, 'misconfigured')
    }
  })

  test('that is not active, responses have the URLs of the service', async (t) => {
    for (const [env, origin] of [
      [{}, BASE],
      [{ BASE_URL: '' }, /^http:\/\/localhost:\d+$/],
    ] as const) {
      const server = await set(t, env)
      await server.register(NAME)
      const { body } = await ask(`${server.url}/api/links`, {
        method: 'POST',
        headers: { host: NAME, 'content-type': 'application/json' },
        body: '{"target":"https://example.org/","alias":"menu"}',
      })
      const { short_url: shortUrl, manage_url: manageUrl } = JSON.parse(body) as Record<string, string>
      for (const url of [shortUrl, manageUrl]) assert.match(new URL(url ?? '').origin, new RegExp(origin))
    }
  })

  test('that is not active, visits are still attributed to it', async (t) => {
    const server = await set(t)
    const { token } = await create(server, { target: 'https://example.org/', alias: 'menu' })
    await server.register('news.example.com')
    await visit(`${server.url}/menu`, { referer: 'https://news.example.com/' })
    const stats = await (await fetch(`${server.url}/api/manage/${token}/stats`)).text()
    assert.match(stats, /"referrer":\[\{"value":"news\.example\.com"/)
  })

  test("that has become the service's own, or one under it, everything is served, and the operator can remove it", async (t) => {
    const server = await set(t)
    await server.lead()
    await server.lead(`www.${NAME}`)
    await server.stop()
    const { dataDir, dns } = server
    const env = { BASE_URL: `https://${NAME}`, DATA_DIR: dataDir, DNS_SERVERS: dns.address }
    const moved = await startServer(t, env, () => Date.UTC(2026, 10, 22))
    for (const host of [NAME, `www.${NAME}`]) assert.equal((await at(moved, '/', host)).status, 200, host)
    await moved.services.domains.sweep()
    const kept = await moved.services.domains.list()
    assert.deepEqual(
      kept.map(({ status, fault }) => [status, fault?.code]),
      [
        ['misconfigured', 'own_name'],
        ['misconfigured', 'own_name'],
      ],
    )
    assert.equal((await command(dataDir, 'domains', 'remove', NAME)).stdout, `${NAME} is removed\n`)
  })

  test('an image encodes the URL on that domain once it is active, and the URL of the service until then', async (t) => {
    const server = await set(t)
    await create(server, { target: 'https://example.org/', alias: 'Menu' })
    await server.register(NAME)
    // The check that the registration causes has ended.
    await server.status()
    const image = async (host: string) => {
      const response = await ask(`${server.url}/menu/qr.svg`, { headers: { host } })
      return { svg: response.body, etag: response.headers.etag }
    }
    const own = await image(HOST)
    assert.deepEqual(await image(NAME), own)
    server.point(NAME)
    await server.pass(MINUTE)
    assert.equal((await server.status()).status, 'active')
    const active = await image(NAME)
    assert.notEqual(active.etag, own.etag)
    const drawn = await fetch(`${server.url}/api/qr?format=svg&data=${encodeURIComponent(`https://${NAME}/Menu?qr=1`)}`)
    assert.equal(await drawn.text(), active.svg)
    assert.deepEqual(await image(HOST), own)
  })
})

test('an active custom domain may not be a destination, at any port: a redirect there would never end', async (t) => {
  const server = await set(t)
  server.point(NAME)
  await server.register(NAME)
  await server.register('pending.example.com')
  await server.status()
  for (const target of [`https://${NAME}/x`, `http://${NAME.toUpperCase()}:8080/`, `${BASE}/x`]) {
    const { detail } = await problemOf(await post(`${server.url}/api/links`, { target }), 400, 'invalid_request')
    assert.match(detail, /must not lead back to this service/)
  }
  await create(server, { target: 'https://pending.example.com/' })
  await create(server, { target: 'https://example.com/' })
})

describe('a proxy that obtains certificates on demand', () => {
  const mayHave = async ({ url }: TestServer, domain: string, headers = {}) =>
    (await visit(`${url}/internal/tls-ask?domain=${encodeURIComponent(domain)}`, headers)).status

  test('may obtain one for an active name and for the service itself, and for no other', async (t) => {
    const server = await set(t)
    server.point(NAME)
    await server.register(NAME)
    await server.register('pending.example.com')
    assert.equal((await server.status()).status, 'active')
    assert.equal(await mayHave(server, NAME), 200)
    assert.equal(await mayHave(server, `${NAME.toUpperCase()}.`), 200)
    assert.equal(await mayHave(server, HOST), 200)
    for (const name of ['pending.example.com', 'unknown.example.com', '', '*', '192.0.2.1', `x.${NAME}`]) {
      assert.equal(await mayHave(server, name), 403, name)
    }
    assert.equal((await visit(`${server.url}/internal/tls-ask?domain=${NAME}&domain=${HOST}`)).status, 403)
    assert.equal((await visit(`${server.url}/internal/tls-ask`)).status, 403)
  })

  test('causes a check of a pending name, at most every ten seconds', async (t) => {
    const server = await set(t)
    await server.register(NAME)
    assert.equal(await mayHave(server, NAME), 403)
    server.point(NAME)
    assert.equal(await mayHave(server, NAME), 403)
    await server.pass(10 * SECOND)
    assert.equal(await mayHave(server, NAME), 200)
  })

  test('must send the request itself: forwarded requests are refused', async (t) => {
    const server = await set(t)
    assert.equal(await mayHave(server, HOST, { 'x-forwarded-for': '198.51.100.1' }), 403)
    assert.equal(await mayHave(server, HOST, { forwarded: 'for=198.51.100.1' }), 403)
  })

  test('must name this machine: a page whose name a stranger points here reads neither this nor the metrics', async (t) => {
    const server = await set(t)
    const statuses = (host: string) =>
      Promise.all(
        [`/internal/tls-ask?domain=${HOST}`, '/metrics'].map(
          async (path) => (await ask(`${server.url}${path}`, { headers: { host } })).status,
        ),
      )
    for (const host of ['evil.example.org', 'localhost.evil.example.org'])
      assert.deepEqual(await statuses(host), [403, 403])
    for (const host of ['127.0.0.1:3000', 'quirl:3000', HOST]) assert.deepEqual(await statuses(host), [200, 200])
  })
})

describe('the operator', () => {
  const run = async (server: TestServer, ...args: string[]) => {
    const { status, stdout, stderr } = await command(server.dataDir, ...args)
    return { status, text: stdout + stderr }
  }

  test('lists domains with their faults, checks one immediately, and removes one', async (t) => {
    const server = await set(t)
    assert.deepEqual(await run(server, 'domains'), { status: 0, text: 'no domain is registered\n' })
    await server.register(NAME)
    await server.status()
    assert.match(
      (await run(server, 'domains')).text,
      /^DOMAIN +STATUS +SINCE \(UTC\) +CHECKED \(UTC\) +FAULT\nqr\.example\.com +pending +2026-06-21 00:00 +2026-06-21 00:00 +qr\.example\.com does not exist in DNS \(NXDOMAIN\)\n$/,
    )
    server.point(NAME)
    assert.deepEqual(await run(server, 'domains', 'check', 'QR.example.com'), {
      status: 0,
      text: `${NAME} is active\n`,
    })
    server.point(NAME, {})
    assert.deepEqual(await run(server, 'domains', 'check', NAME), {
      status: 0,
      text: `${NAME} is misconfigured: ${NAME} has no CNAME, A or AAAA record\n`,
    })
    assert.deepEqual(await run(server, 'domains', 'remove', NAME), { status: 0, text: `${NAME} is removed\n` })
    assert.equal(server.services.domains.statusOf(NAME), undefined)
  })

  test('refuses a name and all names under it, until it is allowed again', async (t) => {
    const server = await set(t)
    for (const name of ['bakery.shop', 'www.bakery.shop', 'xbakery.shop']) await server.lead(name)
    await server.pass(30 * SECOND)
    assert.equal(
      (await run(server, 'domains', 'refuse', 'Bakery.Shop')).text,
      'bakery.shop and names under it cannot be registered\n',
    )
    const status = (name: string) => server.services.domains.statusOf(name)
    assert.deepEqual(['bakery.shop', 'www.bakery.shop', 'xbakery.shop'].map(status), [undefined, undefined, 'active'])
    for (const [domain, claim] of [
      ['bakery.shop', false],
      ['bakery.shop', true],
      ['a.b.www.bakery.shop', false],
    ] as const) {
      const refused = await post(`${server.url}/api/domains`, { domain, claim })
      assert.match(
        (await problemOf(refused, 400, 'invalid_request')).detail,
        /is reserved by the operator of this service/,
      )
    }
    assert.equal((await run(server, 'domains', 'refuse', 'bakery.shop')).status, 0, 'twice is once')
    assert.match((await run(server, 'domains')).text, /\nbakery\.shop +refused +2026-06-21 00:01 +- +none\n/)
    assert.equal((await run(server, 'domains', 'allow', 'bakery.shop')).text, 'bakery.shop can be registered again\n')
    assert.ok((await server.register('bakery.shop')).token)
  })

  test('sees one line and exit status 1 when a command fails', async (t) => {
    const server = await set(t)
    for (const [args, line] of [
      [['domains', 'check', NAME], /no domain of this name is registered/],
      [['domains', 'remove', 'localhost'], /no domain of this name is registered/],
      [['domains', 'remove'], /give one domain/],
      [['domains', 'frob', NAME], /has no "frob"/],
      [['domains', 'refuse', 'localhost'], /the name must be a full name/],
      [['domains', 'allow', NAME], /qr\.example\.com is not refused/],
      [['certs'], /TLS is off/],
      [['certs', 'renew', NAME], /TLS is off/],
      [['certs', 'frob'], /has no "frob"/],
    ] as const) {
      const { status, text } = await run(server, ...args)
      assert.equal(status, 1, text)
      assert.match(text, line)
      assert.match(text, /^quirl: [^\n]+\n$/)
    }
  })
})
