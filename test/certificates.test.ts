import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { describe, test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createLocalBus } from '../src/bus/local.ts'
import { connectPostgres } from '../src/nodes/database/database.ts'
import { openDomains } from '../src/domains/open.ts'
import { insertOrder } from '../src/tls/issuance-store.ts'
import {
  shareAuthority,
  startAuthority,
  startAuthorityDns,
  type AuthorityDns,
  type TestAuthority,
} from './support/acme.ts'
import { endOfFile, temporaryFolder, undoLater } from './support/cleanup.ts'
import { command } from './support/cli.ts'
import { createDatabase } from './support/drivers.ts'
import { startDns, type TestDns } from './support/dns.ts'
import { ask } from './support/http.ts'
import { valueOf } from './support/metrics.ts'
import { PATIENCE_MS, poll } from './support/poll.ts'
import { freePort, isOpen } from './support/ports.ts'
import { run, type Running } from './support/processes.ts'
import { patientStop, program } from './support/program.ts'
import { urlOf } from './support/postgres.ts'
import { requireProgram } from './support/programs.ts'
import { startServer, type TestServer } from './support/server.ts'
import { askSecurely, seeHandshake, shakeHands } from './support/tls.ts'
import { sessionOf } from './support/tls-program.ts'

const BASE = 'https://go.bakery.shop'
const HOST = 'go.bakery.shop'
const NAME = 'qr.example.com'
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

const sharedAuthority = shareAuthority(endOfFile())

interface Setting extends TestServer {
  authority: TestAuthority
  authorityDns: AuthorityDns
  dns: TestDns
  env: Record<string, string>
  visit: (name: string, path?: string) => ReturnType<typeof askSecurely>
  /** Advances the clock. */
  advance: (ms: number) => void
  /** Advances the clock, and runs the tasks that have become due. */
  pass: (ms: number) => Promise<void>
  now: () => number
  /** Registers a name whose record points to the service. */
  activate: (name: string) => Promise<void>
}

async function set(
  t: TestContext,
  { ari, badNonces }: { badNonces?: number; ari?: TestAuthority['ari'] } = {},
): Promise<Setting | undefined> {
  if (!requireProgram(t, 'pebble', 'pebble') || !requireProgram(t, 'pebble-challtestsrv', 'pebble')) return
  const { httpPort, dns: authorityDns, start } = await sharedAuthority()
  const own = badNonces !== undefined && { httpPort, dns: authorityDns.address, badNonces }
  const authority = own ? await startAuthority(t, own) : await start(t)
  authority.ari = ari
  const dns = await startDns(t, { [HOST]: { a: ['192.0.2.1'] } })
  let ahead = 0
  const env = {
    BASE_URL: BASE,
    DNS_SERVERS: dns.address,
    TLS: 'on',
    HTTP_PORT: String(httpPort),
    HTTPS_PORT: '0',
    ACME_DIRECTORY: authority.directory,
  }
  const now = () => Date.now() + ahead
  const server = await startServer(t, env, now)
  return {
    ...server,
    authority,
    authorityDns,
    dns,
    env,
    now,
    visit: async (name, path = '/healthz') => askSecurely(server.httpsPort, name, path, await authority.root()),
    advance: (ms) => void (ahead += ms),
    async pass(ms) {
      ahead += ms
      await server.services.domains.sweep()
      await server.services.tls?.certificates.sweep()
    },
    async activate(name) {
      dns.zones[name] = { cname: HOST }
      await server.services.domains.register(name)
      assert.equal((await server.services.domains.read(name)).status, 'active')
    },
  }
}

/** The service, once it has its own certificate. */
async function ready(t: TestContext, behaviour: Parameters<typeof set>[1] = {}): Promise<Setting | undefined> {
  const service = await set(t, behaviour)
  if (service === undefined) return undefined
  assert.equal((await service.visit(HOST)).status, 200)
  return service
}

/** Of new orders, and of what follows. */
const orderPath = /^\/order-plz$/
const refusal = /ECONNRESET|socket disconnected|socket hang up/
const serialOf = async (service: Setting, name: string) =>
  (await seeHandshake(service.httpsPort, name, await service.authority.root())).serial

test('a registered domain is pending with its DNS fault until its record is set; its first visit then redirects over HTTPS', async (t) => {
  const service = await ready(t)
  if (service === undefined) return
  const { visit, dns, authority, httpsPort } = service
  const api = async (method: string, path: string, body?: object) => {
    const answer = await askSecurely(httpsPort, HOST, path, await authority.root(), {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { http: answer.status, ...(JSON.parse(answer.body) as Record<string, unknown>) } as Record<string, unknown>
  }
  await api('POST', '/api/links', { target: 'https://example.org/menu', alias: 'menu' })
  const registered = await api('POST', '/api/domains', { domain: NAME })
  assert.deepEqual([registered['http'], registered['status']], [201, 'pending'])
  const pending = await api('GET', `/api/domains/${NAME}`)
  assert.deepEqual([pending['status'], (pending['fault'] as { code: string }).code], ['pending', 'nxdomain'])
  await assert.rejects(visit(NAME, '/menu'), refusal)
  dns.zones[NAME] = { cname: HOST }
  await service.pass(10_000)
  const first = await visit(NAME, '/menu?qr=1')
  assert.deepEqual([first.status, first.headers.location], [302, 'https://example.org/menu'])
  assert.equal((await api('GET', `/api/domains/${NAME}`))['status'], 'active')
  assert.deepEqual(authority.orders, [HOST, NAME])
  const second = await visit(NAME, '/menu')
  assert.equal(second.status, 302)
  t.diagnostic(`first visit ${first.took.toFixed(0)} ms, second ${second.took.toFixed(1)} ms`)
})

describe('certificates', () => {
  test('50 concurrent first visits place one order, and all of them get a response', async (t) => {
    const service = await ready(t)
    if (service === undefined) return
    await service.activate(NAME)
    const answers = await Promise.all(Array.from({ length: 50 }, () => service.visit(NAME, '/none')))
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([404]))
    assert.deepEqual(service.authority.orders, [HOST, NAME])
  })

  test('are issued although the authority rejects two nonces in five', async (t) => {
    const service = await ready(t, { badNonces: 40 })
    if (service === undefined) return
    for (const name of ['a.example.com', 'b.example.com', 'c.example.com']) {
      await service.activate(name)
      assert.equal((await service.visit(name, '/none')).status, 404)
    }
    assert.deepEqual(service.authority.orders, [HOST, 'a.example.com', 'b.example.com', 'c.example.com'])
  })

  test('survive a restart, which places no order', async (t) => {
    const service = await ready(t)
    if (service === undefined) return
    await service.activate(NAME)
    await service.visit(NAME, '/none')
    const serial = await serialOf(service, NAME)
    await service.stop()
    const again = await startServer(t, { ...service.env, DATA_DIR: service.dataDir }, service.now)
    const answer = await askSecurely(again.httpsPort, NAME, '/none', await service.authority.root())
    assert.equal(answer.status, 404)
    assert.equal(await serialOf({ ...service, httpsPort: again.httpsPort }, NAME), serial)
    const certificates = again.services.tls?.certificates
    await certificates?.sweep()
    const { metrics, list } = certificates ?? assert.fail()
    for (const { name, notAfter = Number.NaN } of await list())
      assert.equal(
        valueOf(metrics, 'quirl_certificate_expiry_timestamp_seconds', name === HOST ? 'service' : 'domains'),
        notAfter / 1000,
      )
    assert.deepEqual(service.authority.orders, [HOST, NAME])
  })

  test('are never ordered for a name that is not registered, not even twice', async (t) => {
    const service = await ready(t)
    if (service === undefined) return
    for (const name of ['unknown.example.com', `x.${HOST}`, 'localhost'])
      await assert.rejects(service.visit(name), refusal)
    assert.deepEqual(service.authority.orders, [HOST])
  })

  test('are not ordered for a pending name until its DNS is correct, which the handshake checks', async (t) => {
    const service = await ready(t)
    if (service === undefined) return
    service.dns.zones[NAME] = { a: ['198.51.100.1'] }
    await service.services.domains.register(NAME)
    for (let at = 0; at < 5; at++) await assert.rejects(service.visit(NAME), refusal)
    assert.deepEqual(service.authority.orders, [HOST])
    service.dns.zones[NAME] = { cname: HOST }
    await service.pass(10_000)
    assert.equal((await service.visit(NAME, '/none')).status, 404)
  })

  test('are not used for a name that no longer points here, until it does again', async (t) => {
    const service = await ready(t)
    if (service === undefined) return
    await service.activate(NAME)
    await service.visit(NAME, '/none')
    service.dns.zones[NAME] = { a: ['198.51.100.1'] }
    await service.pass(60 * MINUTE)
    await assert.rejects(service.visit(NAME), refusal)
    service.dns.zones[NAME] = { cname: HOST }
    await service.pass(10_000)
    assert.equal((await service.visit(NAME, '/none')).status, 404)
    assert.deepEqual(service.authority.orders, [HOST, NAME])
  })

  test('keep working while the authority is down; new names fail at once, and are issued when it is back', async (t) => {
    const service = await ready(t)
    if (service === undefined) return
    await service.activate(NAME)
    await service.activate('new.example.com')
    await service.visit(NAME, '/none')
    service.authority.mode = 'down'
    // A handshake may be held for 30 seconds while a certificate is issued.
    const patience = AbortSignal.timeout(PATIENCE_MS)
    for (let at = 0; at < 3; at++) {
      await assert.rejects(service.visit('new.example.com'), refusal)
      assert.equal((await service.visit(NAME, '/none')).status, 404)
    }
    assert.equal(patience.aborted, false)
    assert.match(JSON.stringify(service.logged), /new\.example\.com.*unreachable: localhost:\d+: \S/)
    const { body } = await service.visit(HOST, '/domains?name=new.example.com')
    assert.match(body, /is no fault of your domain: .* after \d.* UTC\. <span [^>]*>\(unreachable: localhost:\d+: \S/)
    service.authority.mode = 'up'
    await assert.rejects(service.visit('new.example.com'), refusal, 'a failed name backs off for a minute')
    await service.pass(MINUTE)
    assert.equal((await service.visit('new.example.com', '/none')).status, 404)
  })

  test('are issued ten minutes at most after an authority is back that was away for hours, however it was', async (t) => {
    const service = await ready(t)
    if (service === undefined) return
    const { authority, visit, pass, activate } = service
    const faults: [name: string, Partial<TestAuthority>][] = [
      ['down.example.com', { mode: 'down' }],
      [
        'order.example.com',
        { refuse: (path) => (orderPath.test(path) ? { status: 500, type: 'serverInternal' } : undefined) },
      ],
      [
        'busy.example.com',
        { refuse: (path) => (orderPath.test(path) ? { status: 429, type: 'rateLimited', retryAfter: 1 } : undefined) },
      ],
      ['closed.example.com', { refuse: () => ({ status: 503, type: 'serverInternal' }) }],
    ]
    for (const [name, fault] of faults) {
      await activate(name)
      Object.assign(authority, fault)
      for (let minutes = 0; minutes < 300; minutes += 10) {
        await assert.rejects(visit(name), refusal)
        await pass(10 * MINUTE)
      }
      await assert.rejects(visit(name), refusal)
      // Its last attempt has ended.
      const { report } = service.services.tls?.certificates ?? assert.fail()
      await poll(async () => ((await report(name)).retryAt ?? 0) > service.now())
      Object.assign(authority, { mode: 'up', refuse: undefined })
      await pass(10 * MINUTE)
      assert.equal((await visit(name, '/none')).status, 404, name)
    }
  })

  test('of a crowd of names are issued as places become free, while their visitors wait', async (t) => {
    const service = await ready(t)
    if (service === undefined) return
    const names = Array.from({ length: 20 }, (_, at) => `${at}.example.com`)
    for (const name of names) await service.activate(name)
    const visits = Promise.all(names.map((name) => service.visit(name, '/none')))
    // The host has had a place of the first ten seconds, and two are kept.
    for (const placed of [8, 16, 21]) {
      await poll(() => service.authority.orders.length >= placed)
      await service.pass(10_000)
    }
    assert.deepEqual(new Set((await visits).map(({ status }) => status)), new Set([404]))
    assert.deepEqual(service.authority.orders.toSorted(), [...names, HOST].toSorted())
  })

  test('that the limit of orders delays are issued without another visit, also after a restart, and everybody is told', async (t) => {
    const service = await ready(t)
    if (service === undefined) return
    const { authority, now, services } = service
    const names = ['c.example.com', 'a.example.com', 'b.example.com']
    for (const name of names) await service.activate(name)
    for (let at = 0; at < 160; at++)
      await insertOrder(services.db.write, { name: NAME, purpose: 'own' }, now() - MINUTE, 0)
    for (const name of names) await assert.rejects(service.visit(name), refusal)
    for (const name of names) await assert.rejects(service.visit(name), refusal)
    assert.deepEqual(authority.orders, [HOST])
    assert.equal(JSON.stringify(service.logged).split('as many were ordered in the last three hours').length, 2)

    const certs = (await command(service.dataDir, 'certs')).stdout
    assert.match(certs, /\na\.example\.com +none yet +- +waits since 20\d\d-\S+ \S+\n/)
    const waiting =
      /3 names wait for their first certificate, the first since .*: 160 were ordered in three hours; it goes on after 20/
    assert.match(certs, waiting)
    assert.match((await command(service.dataDir, 'doctor')).stdout, waiting)
    const page = '/domains?name=a.example.com'
    assert.match(
      (await service.visit(HOST, page)).body,
      /issued as soon as the certificate authority may be asked again/,
    )
    const german = await askSecurely(service.httpsPort, HOST, page, await authority.root(), {
      headers: { 'accept-language': 'de' },
    })
    assert.match(german.body, /sobald die Zertifizierungsstelle wieder gefragt werden darf/)
    const status = JSON.parse((await service.visit(HOST, '/api/domains/a.example.com')).body) as {
      certificate: unknown
    }
    assert.deepEqual(status.certificate, { expires_at: null, waits_for: 'all', fault: null })
    await service.pass(0)
    const { metrics } = services.tls?.certificates ?? assert.fail()
    assert.equal(valueOf(metrics, 'quirl_certificate_names_waiting'), 3)
    assert.equal(valueOf(metrics, 'quirl_certificate_orders_limited'), 1)
    assert.equal((await command(service.dataDir, 'certs', 'renew', HOST)).status, 0, 'places are kept')

    await service.stop()
    const again = await startServer(t, { ...service.env, DATA_DIR: service.dataDir }, now)
    again.services.tls?.certificates.sweep()
    await poll(async () => (await again.services.tls?.certificates.waiting())?.stop !== undefined)
    service.advance(3 * 60 * MINUTE)
    await again.services.tls?.certificates.sweep()
    await poll(async () => (await again.services.tls?.certificates.waiting()) === undefined)
    assert.deepEqual(authority.orders.toSorted(), [...names, HOST, HOST].toSorted())
    await again.services.tls?.certificates.sweep()
    const after = again.services.tls?.certificates.metrics ?? []
    assert.deepEqual(
      ['quirl_certificate_names_waiting', 'quirl_certificate_orders_limited'].map((name) => valueOf(after, name)),
      [0, 0],
    )
  })

  test('are issued by an authority that lost the account: it is registered again', async (t) => {
    const service = await ready(t)
    if (service === undefined) return
    await service.authority.replace()
    await service.activate(NAME)
    assert.equal((await service.visit(NAME, '/none')).status, 404)
    assert.equal(service.authority.accounts, 2)
  })

  test('that the authority refused are ordered again after the back-off, when the DNS is correct', async (t) => {
    const service = await ready(t)
    if (service === undefined) return
    await service.activate(NAME)
    // Nothing listens there on the port that the authority connects to.
    await service.authorityDns.set('add-a', { host: NAME, addresses: ['127.0.0.77'] })
    await assert.rejects(service.visit(NAME), refusal)
    assert.match(JSON.stringify(service.logged), /"domain":"qr\.example\.com","fault":"[a-zA-Z]+: /)
    const { body } = await service.visit(HOST, `/domains?name=${NAME}`)
    assert.match(body, /could not be issued yet; the next attempt is after \d.* UTC\. .*<span [^>]*>\([a-zA-Z]+: \S/)
    for (let at = 0; at < 5; at++) await assert.rejects(service.visit(NAME), refusal)
    assert.deepEqual(service.authority.orders, [HOST, NAME])
    await service.authorityDns.set('clear-a', { host: NAME })
    await service.pass(MINUTE)
    assert.equal((await service.visit(NAME, '/none')).status, 404)
    assert.deepEqual(service.authority.orders, [HOST, NAME, NAME])
  })
})

describe('a host with port 443 alone', () => {
  test('obtains its certificates there (TLS-ALPN-01), and does not try port 80 again', async (t) => {
    if (!requireProgram(t, 'pebble', 'pebble') || !requireProgram(t, 'pebble-challtestsrv', 'pebble')) return
    const [closedPort, httpsPort] = [await freePort(), await freePort()]
    const dns = await startDns(t, { [HOST]: { a: ['192.0.2.1'] }, [NAME]: { cname: HOST } })
    const { address } = await startAuthorityDns(t)
    const authority = await startAuthority(t, { httpPort: closedPort, tlsPort: httpsPort, dns: address })
    const env = { BASE_URL: BASE, DNS_SERVERS: dns.address, TLS: 'on', HTTP_PORT: '0', HTTPS_PORT: String(httpsPort) }
    const service = await startServer(t, { ...env, ACME_DIRECTORY: authority.directory })
    const visit = async (name: string, path: string) => askSecurely(httpsPort, name, path, await authority.root())
    assert.equal((await visit(HOST, '/healthz')).status, 200)
    assert.deepEqual(authority.orders, [HOST, HOST])
    await service.services.domains.register(NAME)
    assert.equal((await visit(NAME, '/none')).status, 404)
    assert.deepEqual(authority.orders, [HOST, HOST, NAME])
    // A handshake for a challenge that is not set is rejected like one for an unknown name.
    const stranger = shakeHands(httpsPort, NAME, '', { ALPNProtocols: ['acme-tls/1'], rejectUnauthorized: false })
    await assert.rejects(stranger, refusal)
  })

  test('reports both faults when the authority reaches neither port', async (t) => {
    if (!requireProgram(t, 'pebble', 'pebble') || !requireProgram(t, 'pebble-challtestsrv', 'pebble')) return
    const [httpPort, tlsPort] = [await freePort(), await freePort()]
    const { address } = await startAuthorityDns(t)
    const authority = await startAuthority(t, { httpPort, tlsPort, dns: address })
    const env = { BASE_URL: BASE, TLS: 'on', HTTP_PORT: '0', HTTPS_PORT: '0', ACME_DIRECTORY: authority.directory }
    const service = await startServer(t, env)
    await assert.rejects(askSecurely(service.httpsPort, HOST, '/healthz', await authority.root()), refusal)
    assert.match(JSON.stringify(service.logged), /"fault":"connection: .*\(port 80\); .*\(port 443\)"/)
  })
})

describe('renewal', () => {
  const lifeOf = async (service: Setting) => {
    const { raw } = await seeHandshake(service.httpsPort, HOST, await service.authority.root())
    const leaf = new X509Certificate(raw)
    return { end: leaf.validToDate.getTime(), length: leaf.validToDate.getTime() - leaf.validFromDate.getTime() }
  }

  test('happens when a third of the lifetime is left, while connections stay open', async (t) => {
    const service = await ready(t)
    if (service === undefined) return
    const before = await serialOf(service, HOST)
    const { end, length } = await lifeOf(service)
    const open = await shakeHands(service.httpsPort, HOST, await service.authority.root())
    await service.pass(end - length / 3 - service.now() - 60 * MINUTE)
    assert.equal(await serialOf(service, HOST), before)
    await service.pass(2 * 60 * MINUTE)
    assert.notEqual(await serialOf(service, HOST), before)
    open.write(`GET /healthz HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`)
    assert.match(String(await once(open, 'data')), /^HTTP\/1\.1 200 /)
    assert.deepEqual(service.authority.orders, [HOST, HOST])
  })

  test('that fails leaves the old certificate in use until it expires, and is retried with back-off', async (t) => {
    const service = await ready(t)
    if (service === undefined) return
    const before = await serialOf(service, HOST)
    const { end, length } = await lifeOf(service)
    service.authority.mode = 'down'
    await service.pass(end - length / 4 - service.now())
    await service.pass(DAY)
    assert.equal((await service.visit(HOST)).status, 200)
    service.authority.mode = 'up'
    for (let days = 0; days < 2; days++) await service.pass(DAY)
    assert.notEqual(await serialOf(service, HOST), before)
    service.authority.mode = 'down'
    await service.pass(length + DAY)
    await assert.rejects(service.visit(HOST), refusal, 'an expired certificate is not used')
  })

  test('uses the window that the authority suggests, and names the certificate that it replaces', async (t) => {
    const future = Date.now() + 365 * DAY
    const service = await ready(t, { ari: { start: future, end: future + DAY } })
    if (service === undefined) return
    const { authority } = service
    const before = await serialOf(service, HOST)
    await service.pass(MINUTE)
    assert.equal(await serialOf(service, HOST), before)
    assert.equal(authority.ariRequests.length > 0, true)
    const [id = ''] = authority.ariRequests
    const serial = Buffer.from(id.split('.')[1] ?? '', 'base64url')
      .toString('hex')
      .toUpperCase()
      .replace(/^00/, '')
    assert.equal(serial, before.replace(/^00/, ''))
    authority.ari = { start: service.now() - 2 * DAY, end: service.now() - DAY }
    const requests = authority.ariRequests.length
    await service.pass(30 * MINUTE)
    assert.equal(authority.ariRequests.length, requests, 'checked again only after Retry-After')
    await service.pass(31 * MINUTE)
    assert.notEqual(await serialOf(service, HOST), before)
    assert.deepEqual(
      authority.orderBodies.map((body) => body.replaces),
      [undefined, id],
    )
  })
})

describe('several processes on one store', () => {
  interface Nodes {
    authority: TestAuthority
    start: () => Promise<{ port: number; running: Running }>
    visit: (port: number, name?: string) => ReturnType<typeof askSecurely>
  }

  /** A store in which a name is active, and nodes that share it. */
  async function setNodes(t: TestContext): Promise<Nodes | undefined> {
    if (!requireProgram(t, 'pebble', 'pebble') || !requireProgram(t, 'pebble-challtestsrv', 'pebble')) return
    if (!requireProgram(t, 'initdb', 'postgresql')) return
    const shared = await sharedAuthority()
    // Whichever node places the order, the authority connects to the first, which finds the challenge in the store.
    const httpPorts = [shared.httpPort, await freePort()]
    const authority = await shared.start(t)
    const dns = await startDns(t, { [HOST]: { a: ['192.0.2.1'] }, [NAME]: { cname: HOST } })
    const database = urlOf(await createDatabase())
    const db = connectPostgres({ url: database, max: 2 })
    const log = { error: assert.fail }
    const clocks = { now: Date.now, removalTime: async () => Date.now(), monotonic: () => performance.now() }
    const domains = await openDomains({
      db,
      bus: createLocalBus(),
      baseUrl: BASE,
      servers: [dns.address],
      ...clocks,
      log,
    })
    await domains.register(NAME)
    assert.equal((await domains.read(NAME)).status, 'active')
    domains.close()
    await db.close()
    const script = fileURLToPath(new URL('support/tls-node.ts', import.meta.url))
    const nodes: Running[] = []
    return {
      authority,
      async visit(port, name = NAME) {
        try {
          return await askSecurely(port, name, '/', await authority.root())
        } catch (cause) {
          const outputs = nodes.map(({ output }) => output()).join('\n')
          throw new Error(`a visit of ${name} on port ${port} failed; the nodes have logged:\n${outputs}`, { cause })
        }
      },
      async start() {
        const config = {
          database,
          httpPort: httpPorts.shift() ?? 0,
          dns: dns.address,
          baseUrl: BASE,
          acmeDirectory: authority.directory,
          host: '127.0.0.1',
          httpsPort: 0,
        }
        const running = run(t, process.execPath, [script, JSON.stringify(config)], {
          NODE_EXTRA_CA_CERTS: authority.trustFile,
        })
        nodes.push(running)
        for (;;) {
          const port = Number(/port (\d+)/.exec(running.output())?.[1])
          if (port > 0) return { port, running }
          const reason = running.ended()
          if (reason !== undefined) throw new Error(reason)
          await sleep(20)
        }
      },
    }
  }

  test('place one order for a name, and share its certificate', { timeout: 120_000 }, async (t) => {
    const nodes = await setNodes(t)
    if (nodes === undefined) return
    const [first, second] = await Promise.all([nodes.start(), nodes.start()])
    const visits = [first, second].flatMap(({ port }) => Array.from({ length: 25 }, () => nodes.visit(port)))
    const answers = await Promise.all(visits)
    assert.equal(new Set(answers.map(({ body }) => body)).size, 2)
    for (const { port } of [first, second]) assert.equal((await nodes.visit(port, HOST)).status, 200)
    assert.deepEqual(nodes.authority.orders.sort(), [HOST, NAME])
    const root = await nodes.authority.root()
    const serials = await Promise.all(
      [first, second].map(async ({ port }) => (await seeHandshake(port, NAME, root)).serial),
    )
    assert.equal(serials[0], serials[1])
  })

  test('take over the order of a process that was killed', { timeout: 120_000 }, async (t) => {
    const nodes = await setNodes(t)
    if (nodes === undefined) return
    const [first, second] = [await nodes.start(), await nodes.start()]
    // The authority requests the challenges at the first node's HTTP port, so the second node is the one to kill.
    for (const { port } of [first, second]) await nodes.visit(port, HOST)
    nodes.authority.mode = 'stuck'
    const lost = assert.rejects(nodes.visit(second.port))
    while (!nodes.authority.orders.includes(NAME)) await sleep(20)
    await second.running.stop('SIGKILL')
    await lost
    nodes.authority.mode = 'up'
    assert.equal((await nodes.visit(first.port)).status, 200)
    assert.deepEqual(nodes.authority.orders, [HOST, NAME, NAME])
  })

  test('accept each other’s session tickets', { timeout: 120_000 }, async (t) => {
    const nodes = await setNodes(t)
    if (nodes === undefined) return
    const [first, second] = await Promise.all([nodes.start(), nodes.start()])
    const root = await nodes.authority.root()
    for (const { port } of [first, second]) await nodes.visit(port)
    const session = await sessionOf(first.port, NAME, root, 'TLSv1.3')
    assert.equal((await seeHandshake(second.port, NAME, root, { session })).isResumed, true)
  })
})

describe('session tickets', () => {
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    test(`of one name resume that name and no other (${version})`, async (t) => {
      const service = await ready(t)
      if (service === undefined) return
      await service.activate(NAME)
      await service.activate('other.example.com')
      for (const name of [NAME, 'other.example.com']) await service.visit(name, '/none')
      const root = await service.authority.root()
      const session = await sessionOf(service.httpsPort, NAME, root, version)
      const resume = async (name: string) =>
        (
          await seeHandshake(service.httpsPort, name, root, {
            session,
            minVersion: version,
            maxVersion: version,
            // A resumed handshake sends no certificate to check.
            checkServerIdentity: () => undefined,
          })
        ).isResumed
      assert.equal(await resume(NAME), true)
      assert.equal(await resume('other.example.com'), false)
      assert.equal(await resume(HOST), false)
      await service.pass(12 * 60 * MINUTE)
      assert.equal(await resume(NAME), false, 'keys are rotated')
    })
  }

  test('do not admit a removed name: its handshake is rejected, and open connections get 421', async (t) => {
    const service = await ready(t)
    if (service === undefined) return
    await service.activate(NAME)
    await service.visit(NAME, '/none')
    const root = await service.authority.root()
    const session = await sessionOf(service.httpsPort, NAME, root, 'TLSv1.3')
    const open = await shakeHands(service.httpsPort, NAME, root, { session })
    assert.equal(open.isSessionReused(), true)
    await service.services.domains.removeAsOperator(NAME)
    open.write(`GET /none HTTP/1.1\r\nHost: ${NAME}\r\n\r\n`)
    assert.match(String(await once(open, 'data')), /^HTTP\/1\.1 421 [^]*"code":"misdirected"/)
    await assert.rejects(shakeHands(service.httpsPort, NAME, root, { session }))
  })
})

/** Waits until a connection is closed, with or without an error. */
const closed = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve))

describe('over HTTPS', () => {
  test('every request gets 421 unless its Host is the service or an active domain', async (t) => {
    const service = await ready(t)
    if (service === undefined) return
    await service.activate(NAME)
    await service.services.domains.register('pending.example.com')
    const root = await service.authority.root()
    for (const host of ['unknown.example.com', 'pending.example.com', '127.0.0.1', `x.${HOST}`, 'localhost']) {
      const { status, body } = await askSecurely(service.httpsPort, HOST, '/healthz', root, { headers: { host } })
      assert.deepEqual([status, (JSON.parse(body) as { code: string }).code], [421, 'misdirected'], host)
    }
    for (const host of [HOST, `${HOST}:${service.httpsPort}`, HOST.toUpperCase(), `${HOST}.`]) {
      assert.equal(
        (await askSecurely(service.httpsPort, HOST, '/healthz', root, { headers: { host } })).status,
        200,
        host,
      )
    }
  })

  test("only the service's own host sends Strict-Transport-Security", async (t) => {
    const service = await ready(t)
    if (service === undefined) return
    await service.activate(NAME)
    const created = await askSecurely(service.httpsPort, HOST, '/api/links', await service.authority.root(), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"target":"https://example.org/","alias":"menu"}',
    })
    assert.equal(created.status, 201)
    const own = await service.visit(HOST, '/menu')
    assert.deepEqual([own.status, own.headers['strict-transport-security']], [302, 'max-age=31536000'])
    const again = await service.visit(HOST, '/menu')
    assert.deepEqual(again.headers['strict-transport-security'], 'max-age=31536000', 'from memory as well')
    const custom = await service.visit(NAME, '/menu')
    assert.deepEqual([custom.status, custom.headers['strict-transport-security']], [302, undefined])
  })

  test('a client without a server name gets the certificate of the service', async (t) => {
    const service = await ready(t)
    if (service === undefined) return
    const { names } = await seeHandshake(service.httpsPort, '', await service.authority.root(), {
      checkServerIdentity: () => undefined,
    })
    assert.match(names, /go\.bakery\.shop/)
  })

  test('plain HTTP gets a 400 with the reason, and invalid bytes close the connection', async (t) => {
    const service = await set(t)
    if (service === undefined) return
    const answer = await ask(`http://127.0.0.1:${service.httpsPort}/`)
    assert.equal(answer.status, 400)
    assert.match(answer.body, /plain HTTP/)
    for (const bytes of [Buffer.from('rubbish'), Buffer.alloc(5, 0x16), Buffer.alloc(100_000, 0x41)]) {
      const socket = connect(service.httpsPort, '127.0.0.1')
      socket.on('error', () => {})
      socket.end(bytes)
      socket.resume()
      await closed(socket)
    }
  })

  test('a client that does not complete its ClientHello is disconnected', { timeout: 120_000 }, async (t) => {
    const service = await set(t)
    if (service === undefined) return
    const half = Buffer.from('16030100c8010000c40303', 'hex')
    const sockets = [Buffer.alloc(0), half.subarray(0, 1), half].map((bytes) => {
      const socket = connect(service.httpsPort, '127.0.0.1')
      socket.on('error', () => {})
      socket.resume().write(bytes)
      return socket
    })
    await Promise.all(sockets.map(closed))
  })
})

describe('over plain HTTP beside it', () => {
  test('pages redirect to HTTPS, the API is refused, health checks and challenges are served', async (t) => {
    const service = await set(t)
    if (service === undefined) return
    const at = (path: string, host: string, method = 'GET') => ask(service.url + path, { method, headers: { host } })
    for (const [path, host] of [
      ['/', HOST],
      ['/menu?qr=1', HOST],
      ['/m/token', HOST],
      ['/menu', 'unknown.example.com'],
      ['/', '127.0.0.1'],
    ] as const) {
      const { status, headers } = await at(path, host)
      assert.deepEqual([status, headers.location], [308, BASE + path])
    }
    assert.equal((await at('/', HOST, 'POST')).status, 308)
    for (const path of ['/api/links', '/api', '/api?x', '/api/qr?data=x', '/internal/tls-ask?domain=x']) {
      const { status, body } = await at(path, HOST, 'POST')
      assert.deepEqual([status, (JSON.parse(body) as { code: string }).code], [403, 'tls_required'], path)
    }
    assert.equal((await at('/healthz', '127.0.0.1')).status, 200)
    assert.equal((await at('/.well-known/acme-challenge/unknown', NAME)).status, 404)
  })

  test('the codes of a registered domain resolve, before it has a certificate', async (t) => {
    const service = await ready(t)
    if (service === undefined) return
    await askSecurely(service.httpsPort, HOST, '/api/links', await service.authority.root(), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"target":"https://example.org/","alias":"menu"}',
    })
    await service.services.domains.register(NAME)
    const at = (path: string) => ask(service.url + path, { headers: { host: NAME } })
    assert.equal((await at('/menu')).status, 302)
    assert.equal((await at('/menu/qr.png')).status, 200)
    for (const path of ['/', '/m/token', '/report', '/menu+', '/unknown/path']) {
      const { status, headers } = await at(path)
      assert.deepEqual([status, headers.location], [308, BASE + path], 'as on a name that is not registered')
    }
    for (const path of ['/api', '/api/openapi.json', '/internal/tls-ask']) assert.equal((await at(path)).status, 403)
    for (const path of ['/healthz', '/readyz']) assert.equal((await at(path)).status, 200)
    service.dns.zones[NAME] = { cname: HOST }
    assert.equal((await service.services.domains.check(NAME)).status, 'active')
    for (const path of ['/', '/m/token', '/api/openapi.json', '/menu+']) assert.equal((await at(path)).status, 404)
    for (const path of ['/menu/qr.png', '/healthz']) assert.equal((await at(path)).status, 200)
  })
})

describe('the operator', () => {
  test('lists certificates with their expiry and faults, and renews one despite its back-off', async (t) => {
    const service = await ready(t)
    if (service === undefined) return
    const run = async (...args: string[]) => {
      const { status, stdout, stderr } = await command(service.dataDir, ...args)
      return { status, text: stdout + stderr }
    }
    assert.match(
      (await run('certs')).text,
      /^NAME +EXPIRES \(UTC\) +RENEWAL \(UTC\) +STATE\ngo\.bakery\.shop +20\d\d-.* good\n$/,
    )
    await service.activate(NAME)
    service.authority.mode = 'down'
    await assert.rejects(service.visit(NAME), refusal)
    assert.match((await run('certs')).text, /qr\.example\.com +none yet +- +unreachable: .*; next attempt after 20/)
    const failed = await run('certs', 'renew', NAME)
    assert.equal(failed.status, 1)
    assert.match(failed.text, /^quirl: no certificate for qr\.example\.com: unreachable: localhost:\d+: \S.*\n$/)
    service.authority.mode = 'up'
    const renewed = await run('certs', 'renew', NAME)
    assert.match(renewed.text, /^qr\.example\.com has a certificate that is valid until 20\d\d-/)
    assert.equal((await service.visit(NAME, '/none')).status, 404)
    const before = await serialOf(service, HOST)
    assert.equal((await run('certs', 'renew', HOST.toUpperCase())).status, 0)
    assert.notEqual(await serialOf(service, HOST), before)
    assert.match((await run('certs', 'renew', 'unknown.example.com')).text, /neither the service nor an active domain/)
  })
})

describe('openssl and sslscan', () => {
  test('find TLS 1.2 and 1.3 with authenticated encryption and forward secrecy, and nothing weaker', async (t) => {
    if (!requireProgram(t, 'sslscan', 'sslscan') || !requireProgram(t, 'openssl', 'openssl')) return
    const service = await ready(t)
    if (service === undefined) return
    const at = `127.0.0.1:${service.httpsPort}`
    const scan = run(t, 'sslscan', ['--no-colour', '--no-failed', `--sni-name=${HOST}`, at])
    await once(scan.process, 'close')
    const report = scan.output()
    for (const version of ['SSLv2', 'SSLv3', 'TLSv1.0', 'TLSv1.1'])
      assert.match(report, new RegExp(`${version} +disabled`))
    for (const version of ['TLSv1.2', 'TLSv1.3']) assert.match(report, new RegExp(`${version} +enabled`))
    const suites = [...report.matchAll(/^(?:Preferred|Accepted) +TLSv1\.\d +\d+ bits +(\S+)/gm)].map(
      ([, suite]) => suite ?? '',
    )
    assert.ok(suites.length >= 6, report)
    for (const suite of suites)
      assert.match(suite, /^(?:TLS_(?:AES|CHACHA20)|ECDHE-ECDSA-(?:AES\d+-GCM|CHACHA20))/, suite)
    for (const flaw of [/vulnerable to heartbleed/, /Compression enabled/, /Insecure session renegotiation/]) {
      assert.doesNotMatch(report.replaceAll(/not vulnerable/g, ''), flaw)
    }
    for (const [args, isGood] of [
      [['-tls1_2'], true],
      [['-tls1_3'], true],
      [['-tls1_1', '-cipher', 'ALL:@SECLEVEL=0'], false],
      [['-tls1_2', '-cipher', 'ECDHE-ECDSA-AES128-SHA256'], false],
      [['-tls1_2', '-cipher', 'AES128-GCM-SHA256'], false],
    ] as const) {
      const client = run(t, 'openssl', ['s_client', '-connect', at, '-servername', HOST, ...args])
      await once(client.process, 'close')
      assert.equal(/Cipher is (?!\(NONE\))/.test(client.output()), isGood, `${args.join(' ')}: ${client.output()}`)
    }
  })
})

describe('the program with --tls', () => {
  test(
    'serves HTTPS as an operator starts it, finishes what runs on SIGTERM, and exits 0',
    { timeout: 120_000 },
    async (t) => {
      if (!requireProgram(t, 'pebble', 'pebble') || !requireProgram(t, 'pebble-challtestsrv', 'pebble')) return
      const [{ httpPort, start }, httpsPort] = [await sharedAuthority(), await freePort()]
      const authority = await start(t)
      const args = ['serve', '--tls', '--email', 'me@example.com', `--base-url=${BASE}`, '--host=127.0.0.1']
      const service = run(
        t,
        process.execPath,
        [
          patientStop.file,
          ...args,
          `--http-port=${httpPort}`,
          `--https-port=${httpsPort}`,
          `--data-dir=${temporaryFolder(t)}`,
        ],
        { ...patientStop.env, ACME_DIRECTORY: authority.directory, NODE_EXTRA_CA_CERTS: authority.trustFile },
      )
      await poll(() => service.ended() !== undefined || service.output().includes(' serves '), service.output)
      assert.equal(service.ended(), undefined)
      const root = await authority.root()
      assert.equal((await askSecurely(httpsPort, HOST, '/healthz', root)).status, 200)
      assert.match(
        service.output(),
        /^quirl \d+\.\d+\.\d+ serves https:\/\/go\.bakery\.shop and keeps its data in \S+\n$/,
      )
      const body = '{"target":"https://example.com/"}'
      const running = await shakeHands(httpsPort, HOST, root)
      const headers = `Host: ${HOST}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
      running.write(`POST /api/links HTTP/1.1\r\n${headers}\r\nExpect: 100-continue\r\n\r\n${body.slice(0, 5)}`)
      // The service sends "100 Continue" when it has begun to process the request.
      assert.equal(String(await once(running, 'data')), 'HTTP/1.1 100 Continue\r\n\r\n')
      service.process.kill('SIGTERM')
      await poll(async () => (await askSecurely(httpsPort, HOST, '/readyz', root)).status === 503)
      assert.equal((await askSecurely(httpsPort, HOST, '/healthz', root)).status, 200)
      running.write(body.slice(5))
      assert.match(String(await once(running, 'data')), /^HTTP\/1\.1 201 /)
      await once(service.process, 'exit')
      assert.equal(service.process.exitCode, 0)
      assert.equal(await isOpen(httpsPort), false)
    },
  )

  test('with unusable settings prints one line and exits 1', { timeout: 120_000 }, async (t) => {
    const busy = createServer().listen(0, '127.0.0.1')
    await once(busy, 'listening')
    const { port } = busy.address() as AddressInfo
    undoLater(t, () => void busy.close())
    const cases: [args: string[], line: RegExp][] = [
      [[], /^quirl: TLS=on needs a BASE_URL such as https:\/\/qr\.example\.com.* it is unset\n$/],
      [['--base-url=http://go.bakery.shop'], /^quirl: TLS=on needs a BASE_URL .* it is http:\/\/go\.bakery\.shop\n$/],
      [['--base-url=https://192.0.2.1'], /^quirl: TLS=on needs a BASE_URL /],
      [['--base-url=https://localhost'], /^quirl: TLS=on needs a BASE_URL /],
      [
        [`--base-url=${BASE}`, `--https-port=${port}`],
        /^quirl: cannot listen on HOST=127\.0\.0\.1 HTTPS_PORT=\d+: .*EADDRINUSE.*\n$/,
      ],
      [
        [`--base-url=${BASE}`, `--http-port=${port}`],
        /^quirl: cannot listen on HOST=127\.0\.0\.1 HTTP_PORT=\d+: .*EADDRINUSE.*\n$/,
      ],
    ]
    for (const [args, line] of cases) {
      const given = ['--tls', '--host=127.0.0.1', '--http-port=0', `--data-dir=${temporaryFolder(t)}`, ...args]
      const service = run(t, process.execPath, [program, ...given])
      await once(service.process, 'close')
      assert.match(service.output(), line)
      assert.equal(service.process.exitCode, 1)
    }
  })
})
