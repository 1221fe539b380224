import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from './support/cleanup.ts'
import { startDns } from './support/dns.ts'
import { ask } from './support/http.ts'
import { freePort, listening } from './support/ports.ts'
import { poll } from './support/poll.ts'
import { run } from './support/processes.ts'
import { requireProgram } from './support/programs.ts'
import { create, startServer, type TestServer } from './support/server.ts'
import { askSecurely } from './support/tls.ts'

const HOST = 'go.bakery.shop'
const NAME = 'qr.example.com'
const caddyfile = fileURLToPath(new URL('../deploy/Caddyfile', import.meta.url))

/** Starts the service behind Caddy as `deploy/Caddyfile` configures it, with Caddy's internal certificate authority. */
async function set(t: TestContext) {
  if (!requireProgram(t, 'caddy', 'caddy')) return
  const dns = await startDns(t, { [HOST]: { a: ['192.0.2.1'] } })
  let ahead = 0
  const env = { BASE_URL: `https://${HOST}`, DNS_SERVERS: dns.address, TRUST_PROXY: '127.0.0.1' }
  const server: TestServer = await startServer(t, env, () => Date.now() + ahead)
  const [httpPort, httpsPort, folder] = [await freePort(), await freePort(), temporaryFolder(t)]
  const options = ['local_certs', 'skip_install_trust', 'admin off', `http_port ${httpPort}`, `https_port ${httpsPort}`]
  const caddy = run(t, 'caddy', ['run', '--config', caddyfile, '--adapter', 'caddyfile'], {
    QUIRL_HOST: HOST,
    QUIRL_UPSTREAM: new URL(server.url).host,
    CADDY_GLOBAL_OPTIONS: options.join('\n'),
    XDG_DATA_HOME: folder,
    XDG_CONFIG_HOME: folder,
    HOME: folder,
  })
  await listening(httpsPort, caddy.ended)
  const root = () => readFileSync(join(folder, 'caddy/pki/authorities/local/root.crt'), 'utf8')
  // Caddy listens before it has the certificate of the service itself, and logs that it has one before it uses it.
  const connect = async () => askSecurely(httpsPort, HOST, '/healthz', root())
  await poll(() => {
    assert.equal(caddy.ended(), undefined)
    return connect().then(
      ({ status }) => status === 200,
      () => false,
    )
  })
  return {
    ...server,
    dns,
    httpPort,
    pass: (ms: number) => void (ahead += ms),
    visit: (name: string, path: string, headers: Record<string, string> = {}) =>
      askSecurely(httpsPort, name, path, root(), { headers }),
  }
}

test('Caddy obtains a certificate on the first visit of an active name, and for no other name', async (t) => {
  const service = await set(t)
  if (service === undefined) return
  const { visit, dns, services } = service
  await create(service, { target: 'https://example.org/menu', alias: 'menu' })
  assert.equal((await visit(HOST, '/menu')).headers.location, 'https://example.org/menu')
  dns.zones[NAME] = { cname: HOST }
  await services.domains.register(NAME)
  assert.equal((await services.domains.read(NAME)).status, 'active')
  const first = await visit(NAME, '/menu')
  assert.deepEqual([first.status, first.headers.location], [302, 'https://example.org/menu'])
  assert.equal(first.headers['strict-transport-security'], undefined)
  await services.domains.register('pending.example.com')
  for (const name of ['pending.example.com', 'unknown.example.com', `x.${HOST}`]) {
    await assert.rejects(visit(name, '/menu'), /alert|ECONNRESET|socket/, name)
  }
})

test('a name works on its first visit right after its record was set', async (t) => {
  const service = await set(t)
  if (service === undefined) return
  const { visit, dns, services } = service
  await services.domains.register(NAME)
  assert.equal((await services.domains.read(NAME)).status, 'pending')
  dns.zones[NAME] = { cname: HOST }
  service.pass(10_000)
  assert.equal((await visit(NAME, '/none')).status, 404)
  assert.equal(services.domains.statusOf(NAME), 'active')
})

test('clients of Caddy cannot use its tls-ask endpoint; plain HTTP redirects to HTTPS', async (t) => {
  const service = await set(t)
  if (service === undefined) return
  assert.equal((await service.visit(HOST, `/internal/tls-ask?domain=${HOST}`)).status, 403)
  assert.equal((await ask(`${service.url}/internal/tls-ask?domain=${HOST}`)).status, 200)
  const plain = await ask(`http://127.0.0.1:${service.httpPort}/menu`, { headers: { host: NAME } })
  assert.deepEqual([plain.status, plain.headers.location?.startsWith(`https://${NAME}`)], [308, true])
})
