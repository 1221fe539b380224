import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openDomains } from '../src/domains/domains.ts'
import { undoLater, type Ending } from './support/cleanup.ts'
import { quirl } from './support/cli.ts'
import { startDns, type TestDns, type Zone } from './support/dns.ts'
import { ask } from './support/http.ts'
import { create, post, startServer, visit, type TestServer } from './support/server.ts'

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
  checked_at: string | null
  created_at: string
  expires_at: string | null
  token?: string
}

interface Setting extends TestServer {
  dns: TestDns
  /** Lets time pass, and does what has become due. */
  pass: (ms: number) => Promise<void>
  register: (domain: string) => Promise<Shown>
  status: (domain?: string) => Promise<Shown>
  point: (name: string, zone?: Zone) => void
}

async function set(t: Ending, env: Record<string, string> = {}): Promise<Setting> {
  let now = Date.UTC(2026, 10, 21)
  const dns = await startDns(t, { [HOST]: { a: ['192.0.2.1'], aaaa: ['2001:db8::1'] } })
  const server = await startServer(t, { BASE_URL: BASE, DNS_SERVERS: dns.address, ...env }, () => now)
  return {
    ...server,
    dns,
    async pass(ms) {
      now += ms
      await server.deps.domains.sweep()
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
  }
}

const problemOf = async (response: Response, status: number, code: string) => {
  const body = (await response.json()) as { code: string; detail: string; errors?: unknown }
  assert.deepEqual([response.status, body.code], [status, code], JSON.stringify(body))
  return body
}

describe('registering a domain', () => {
  test('answers 201 with the record to set, when it expires, and a token that is told this once', async (t) => {
    const { url, register } = await set(t)
    const response = await post(`${url}/api/domains`, { domain: 'QR.Bücher.Example.' })
    assert.equal(response.status, 201)
    assert.equal(response.headers.get('cache-control'), 'no-store')
    const body = (await response.json()) as Shown
    assert.match(body.token ?? '', /^[\w-]{43}$/)
    assert.deepEqual(body, {
      domain: 'qr.xn--bcher-kva.example',
      status: 'pending',
      records: [{ type: 'CNAME', name: 'qr.xn--bcher-kva.example', value: HOST }],
      alternatives: [],
      fault: null,
      checked_at: null,
      created_at: '2026-11-21T00:00:00.000Z',
      expires_at: '2026-11-28T00:00:00.000Z',
      token: body.token,
    })
    const again = await post(`${url}/api/domains`, { domain: 'qr.bücher.example' })
    assert.equal(again.status, 200)
    const { token, ...rest } = body
    assert.ok(token)
    assert.equal(((await again.json()) as Shown).domain, rest.domain)
    assert.equal((await register('qr.bücher.example')).token, undefined)
  })

  test('gives one token to one of many who ask at once', async (t) => {
    const { register } = await set(t)
    const all = await Promise.all(Array.from({ length: 20 }, () => register(NAME)))
    assert.equal(all.filter(({ token }) => token !== undefined).length, 1)
  })

  test('names the addresses as well for a domain itself, which can have no CNAME', async (t) => {
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

  test('of a service without a name asks for an address record', async (t) => {
    const { register } = await set(t, { BASE_URL: 'http://203.0.113.9' })
    assert.deepEqual((await register(NAME)).records, [{ type: 'A', name: NAME, value: '203.0.113.9' }])
    const six = await set(t, { BASE_URL: 'http://[2001:db8::9]:8080' })
    assert.deepEqual((await six.register(NAME)).records, [{ type: 'AAAA', name: NAME, value: '2001:db8::9' }])
  })

  test('refuses what is no public host name with a 400 that points at the field, and keeps nothing', async (t) => {
    const { url, deps } = await set(t)
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
    assert.deepEqual(await deps.domains.list(), [])
  })

  test('is refused with 409 when 40 names of one registrable domain are active; other domains are free', async (t) => {
    const { url, register, status, point, pass } = await set(t)
    for (let at = 0; at < 45; at++) await register(`n${at}.example.co.uk`)
    assert.equal((await register('free.example.org')).status, 'pending', 'pending names exclude nobody')
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

  test('keeps no token: the data folder holds only its hash', async (t) => {
    const { register, deps } = await set(t)
    const { token } = await register(NAME)
    const [kept] = await deps.domains.list()
    assert.equal(JSON.stringify(kept).includes(token ?? ''), false)
  })
})

describe('the status of a domain', () => {
  test('names the DNS fault, and is active as soon as the record is there', async (t) => {
    const { register, status, point, pass } = await set(t)
    await register(NAME)
    const before = await status()
    assert.deepEqual([before.status, before.fault?.code], ['pending', 'nxdomain'])
    assert.equal(before.checked_at, '2026-11-21T00:00:00.000Z')
    point(NAME)
    assert.equal((await status()).status, 'pending', 'asked again only after ten seconds')
    await pass(10 * SECOND)
    const after = await status()
    assert.deepEqual([after.status, after.fault, after.expires_at], ['active', null, null])
  })

  test('is looked up at most once in ten seconds a name, however often it is asked for', async (t) => {
    const { register, status, dns, pass } = await set(t)
    await register(NAME)
    await status()
    const asked = dns.asked.length
    await Promise.all(Array.from({ length: 50 }, () => status()))
    assert.equal(dns.asked.length, asked)
    await pass(10 * SECOND)
    await Promise.all(Array.from({ length: 50 }, () => status()))
    assert.equal(dns.asked.filter((name) => name === NAME).length, asked * 2)
  })

  test('becomes misconfigured when the record goes, and active again when it is back', async (t) => {
    const { register, status, point, pass, dns } = await set(t)
    point(NAME)
    await register(NAME)
    assert.equal((await status()).status, 'active')
    delete dns.zones[NAME]
    await pass(59 * MINUTE)
    assert.equal((await status()).status, 'active', 'an active name is looked up each hour')
    await pass(MINUTE)
    const lost = await status()
    assert.deepEqual([lost.status, lost.fault?.code], ['misconfigured', 'nxdomain'])
    assert.equal(lost.expires_at, '2026-12-21T01:00:00.000Z')
    point(NAME)
    await pass(MINUTE)
    assert.equal((await status()).status, 'active')
  })

  test('of an active name outlives silent DNS servers for a day, and no longer', async (t) => {
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

  test('is looked up again after 1, 2, 4 … minutes while it is wrong, at most an hour', async (t) => {
    const { register, status, pass, deps } = await set(t)
    await register(NAME)
    await status()
    const delays: number[] = []
    for (let at = 0; at < 9; at++) {
      const [domain] = await deps.domains.list()
      const delay = (domain?.nextCheckAt ?? 0) - (domain?.checkedAt ?? 0)
      delays.push(delay / MINUTE)
      await pass(delay)
    }
    assert.deepEqual(delays, [1, 2, 4, 8, 16, 32, 60, 60, 60])
  })

  test('is forgotten after 7 days as pending and 30 as misconfigured; then the name is free again', async (t) => {
    const { register, status, point, pass, dns, url, deps } = await set(t)
    await register('never.example.com')
    point(NAME)
    await register(NAME)
    assert.equal((await status()).status, 'active')
    await pass(7 * DAY)
    assert.equal((await status('never.example.com')).status, 'pending')
    await pass(SECOND)
    await problemOf(await fetch(`${url}/api/domains/never.example.com`), 404, 'unknown_domain')
    assert.equal(deps.domains.statusOf('never.example.com'), undefined)
    assert.equal((await status()).status, 'active')
    delete dns.zones[NAME]
    await pass(HOUR)
    await pass(30 * DAY)
    assert.equal((await status()).status, 'misconfigured')
    await pass(SECOND)
    await problemOf(await fetch(`${url}/api/domains/${NAME}`), 404, 'unknown_domain')
    assert.ok((await register(NAME)).token)
  })

  test('of an unknown name, or of what can be none, is a 404', async (t) => {
    const { url } = await set(t)
    for (const name of [NAME, 'localhost', '%20', '192.0.2.1', 'x'.repeat(2000), '%C3%BC.example.com']) {
      await problemOf(await fetch(`${url}/api/domains/${name}`), 404, 'unknown_domain')
    }
  })

  test('is there after a restart, for requests as well', async (t) => {
    const { register, status, point, deps, dns } = await set(t)
    point(NAME)
    await register(NAME)
    await status()
    const restarted = await openDomains({ ...deps, baseUrl: BASE, servers: [dns.address], log: { error: assert.fail } })
    undoLater(t, restarted.close)
    assert.deepEqual([restarted.isEmpty(), restarted.statusOf(NAME)], [false, 'active'])
    assert.equal(await restarted.admits(NAME), true)
  })

  test('is seen by the other processes on the store within seconds: registered, active, removed', async (t) => {
    const { register, point, pass, deps, dns } = await set(t)
    const other = await openDomains({ ...deps, baseUrl: BASE, servers: [dns.address], log: { error: assert.fail } })
    undoLater(t, other.close)
    const { token = '' } = await register(NAME)
    await other.sweep()
    assert.equal(other.statusOf(NAME), 'pending')
    point(NAME)
    await pass(MINUTE)
    await other.sweep()
    assert.equal(other.statusOf(NAME), 'active')
    await register('another.example.com')
    await deps.domains.remove(NAME, token)
    await other.sweep()
    assert.deepEqual([other.statusOf(NAME), other.statusOf('another.example.com')], [undefined, 'pending'])
  })

  test('is known to a process that is asked about it right after another has registered or removed it', async (t) => {
    const { register, point, deps, dns, status } = await set(t)
    const other = await openDomains({ ...deps, baseUrl: BASE, servers: [dns.address], log: { error: assert.fail } })
    undoLater(t, other.close)
    point(NAME)
    const { token = '' } = await register(NAME)
    assert.equal((await status()).status, 'active')
    assert.equal(await other.admits(NAME), true)
    assert.equal(other.statusOf(NAME), 'active')
    await deps.domains.remove(NAME, token)
    await assert.rejects(other.read(NAME), /no domain of this name/)
  })

  test('is looked up once when two processes find the check due', async (t) => {
    const { register, status, pass, deps, dns } = await set(t)
    const other = await openDomains({ ...deps, baseUrl: BASE, servers: [dns.address], log: { error: assert.fail } })
    undoLater(t, other.close)
    await register(NAME)
    await status()
    const asked = dns.asked.length
    await Promise.all([pass(MINUTE), other.sweep()])
    assert.equal(dns.asked.length, asked * 2)
  })
})

test('a domain is removed by its token alone', async (t) => {
  const { url, register, deps } = await set(t)
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
  assert.equal(deps.domains.statusOf(NAME), undefined)
})

describe('on a custom domain', () => {
  const at = (server: TestServer, path: string, host = NAME, headers = {}) =>
    ask(server.url + path, { headers: { host, ...headers } })

  test('every code resolves over plain HTTP, whatever the status, in any case and with any port', async (t) => {
    const server = await set(t)
    await create(server, { target: 'https://example.org/menu', alias: 'menu' })
    await server.register(NAME)
    for (const host of [NAME, NAME.toUpperCase(), `${NAME}:8080`, `${NAME}.`]) {
      const { status, headers } = await at(server, '/menu?qr=1', host)
      assert.deepEqual([status, headers.location], [302, 'https://example.org/menu'], host)
    }
    assert.equal((await at(server, '/nothing')).status, 404)
  })

  test('there are QR images and vCards as well, and the style of pages, and nothing else', async (t) => {
    const server = await set(t)
    const { token } = await create(server, { kind: 'vcard', firstName: 'Ada', alias: 'ada' })
    await server.register(NAME)
    for (const path of ['/ada', '/ada.vcf', '/ada/qr.png', '/ada/qr.svg', '/assets/quirl.css', '/assets/quirl.svg']) {
      assert.equal((await at(server, path)).status, 200, path)
    }
    for (const path of [
      '/',
      '/ada+',
      `/m/${token}`,
      `/api/manage/${token}`,
      '/api/openapi.json',
      '/api/qr?data=x',
      '/healthz',
      '/readyz',
      '/internal/tls-ask',
      '/x/y',
    ]) {
      assert.equal((await at(server, path)).status, 404, path)
      assert.notEqual((await at(server, path, 'unregistered.example.com')).status, path === '/x/y' ? 200 : 404, path)
    }
    const page = await at(server, '/', NAME, { accept: 'text/html' })
    assert.match(page.body, /There is nothing at this address/)
    assert.doesNotMatch(page.body, /href="\/"/, 'the page must not lead to what is not there')
    const posted = await ask(`${server.url}/api/links`, {
      method: 'POST',
      headers: { host: NAME, 'content-type': 'application/json' },
      body: '{"target":"https://example.com/"}',
    })
    assert.equal(posted.status, 404)
    assert.equal((await ask(`${server.url}/ada`, { method: 'POST', headers: { host: NAME } })).status, 405)
  })

  test('an image encodes the address there, and the same one whatever the status is', async (t) => {
    const server = await set(t)
    await create(server, { target: 'https://example.org/', alias: 'Menu' })
    await server.register(NAME)
    const decoded = async (host: string) => {
      const response = await ask(`${server.url}/menu/qr.svg`, { headers: { host } })
      return { svg: response.body, etag: response.headers.etag }
    }
    const pending = await decoded(NAME)
    server.point(NAME)
    await server.pass(MINUTE)
    assert.equal((await server.status()).status, 'active')
    assert.deepEqual(await decoded(NAME), pending)
    const own = await decoded(HOST)
    assert.notEqual(own.etag, pending.etag)
    const image = await fetch(`${server.url}/api/qr?format=svg&data=${encodeURIComponent(`https://${NAME}/Menu?qr=1`)}`)
    assert.equal(await image.text(), pending.svg)
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

describe('a proxy that gets certificates on demand', () => {
  const mayHave = async ({ url }: TestServer, domain: string, headers = {}) =>
    (await visit(`${url}/internal/tls-ask?domain=${encodeURIComponent(domain)}`, headers)).status

  test('may have one for an active name and for the service itself, and for no other', async (t) => {
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

  test('has a pending name looked up when it asks, at most once in ten seconds', async (t) => {
    const server = await set(t)
    await server.register(NAME)
    assert.equal(await mayHave(server, NAME), 403)
    server.point(NAME)
    assert.equal(await mayHave(server, NAME), 403)
    await server.pass(10 * SECOND)
    assert.equal(await mayHave(server, NAME), 200)
  })

  test('must ask by itself: what it passes on for others is refused', async (t) => {
    const server = await set(t)
    assert.equal(await mayHave(server, HOST, { 'x-forwarded-for': '198.51.100.1' }), 403)
    assert.equal(await mayHave(server, HOST, { forwarded: 'for=198.51.100.1' }), 403)
  })
})

describe('the operator', () => {
  const run = async (server: TestServer, ...args: string[]) => {
    const { status, stdout, stderr } = await quirl(server.dataDir, ...args)
    return { status, text: stdout + stderr }
  }

  test('lists domains with their faults, has one looked up at once, and removes one', async (t) => {
    const server = await set(t)
    assert.deepEqual(await run(server, 'domains'), { status: 0, text: 'no domain is registered\n' })
    await server.register(NAME)
    await server.status()
    assert.match(
      (await run(server, 'domains')).text,
      /^DOMAIN +STATUS +SINCE \(UTC\) +CHECKED \(UTC\) +FAULT\nqr\.example\.com +pending +2026-11-21 00:00 +2026-11-21 00:00 +qr\.example\.com does not exist in DNS \(NXDOMAIN\)\n$/,
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
    assert.equal(server.deps.domains.statusOf(NAME), undefined)
  })

  test('is told what cannot be done, with exit status 1', async (t) => {
    const server = await set(t)
    for (const [args, line] of [
      [['domains', 'check', NAME], /no domain of this name is registered/],
      [['domains', 'remove', 'localhost'], /no domain of this name is registered/],
      [['domains', 'remove'], /name one domain/],
      [['domains', 'frob', NAME], /has no "frob"/],
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
