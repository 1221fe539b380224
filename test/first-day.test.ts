// What docs/first-day.md has a self-hoster paste: the proxies run as they stand there, and settings are allowed.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { parse as parseYaml } from 'yaml'
import { settings } from '../src/config/config.ts'
import { temporaryFolder, undoLater } from './support/cleanup.ts'
import { startDns } from './support/dns.ts'
import { documentedBlocks } from './support/doc-blocks.ts'
import { ask as askPlainly } from './support/http.ts'
import { poll } from './support/poll.ts'
import { freePort, listening } from './support/ports.ts'
import { run, type Running } from './support/processes.ts'
import { requireProgram } from './support/programs.ts'
import { startServer, type Created } from './support/server.ts'
import { askSecurely } from './support/tls.ts'

const HOST = 'go.example.com'
const DOMAIN = 'qr.example.org'
const BACKEND = '127.0.0.1:3000'
const MIB = 1024 * 1024

const blocks = documentedBlocks().filter(({ page }) => page === 'docs/first-day.md')
const textsIn = (language: string) => blocks.filter((block) => block.language === language).map(({ text }) => text)
/** The settings that the page shows, in the blocks under each heading. */
const assigned = (under?: string) =>
  blocks
    .filter(({ language, heading }) => language === 'sh' && (under === undefined || heading === under))
    .flatMap(({ text }) =>
      Array.from(text.matchAll(/^([A-Z_]+)=(.*)$/gm), ([, name = '', value = '']) => [name, value] as const),
    )

interface Proxy {
  httpPort: number
  httpsPort: number
  /** The certificate that clients trust. */
  ca: () => string
  running: Running
}
type StartProxy = (t: TestContext, backend: string) => Promise<Proxy>

/** Starts Caddy with the page's block, and its own authority. */
const startCaddy: StartProxy = async (t, backend) => {
  const [httpPort, httpsPort, folder] = [await freePort(), await freePort(), temporaryFolder(t)]
  const [site = ''] = textsIn('caddyfile')
  assert.ok(site.includes(BACKEND))
  const options = ['local_certs', 'skip_install_trust', 'admin off', `http_port ${httpPort}`, `https_port ${httpsPort}`]
  const file = join(folder, 'Caddyfile')
  writeFileSync(file, `{\n${options.join('\n')}\n}\n${site.replace(BACKEND, backend)}`)
  const home = { XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, HOME: folder }
  const running = run(t, 'caddy', ['run', '--config', file, '--adapter', 'caddyfile'], home)
  return {
    httpPort,
    httpsPort,
    ca: () => readFileSync(join(folder, 'caddy/pki/authorities/local/root.crt'), 'utf8'),
    running,
  }
}

/** Starts nginx with the page's block in a configuration that is otherwise empty, and a certificate of its own. */
const startNginx: StartProxy = async (t, backend) => {
  const [httpPort, httpsPort, folder] = [await freePort(), await freePort(), temporaryFolder(t)]
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const subject = ['-subj', `/CN=${HOST}`, '-addext', `subjectAltName=DNS:${HOST}`]
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', certificate, ...subject]
  assert.equal(spawnSync('openssl', made).status, 0)
  const [site = ''] = textsIn('nginx')
  const servers = site
    .replaceAll(/^ *listen \[::\].*\n/gm, '')
    .replace('listen 80;', `listen 127.0.0.1:${httpPort};`)
    .replace('listen 443 ', `listen 127.0.0.1:${httpsPort} `)
    .replaceAll(/\/etc\/letsencrypt\/\S*privkey\.pem/g, key)
    .replaceAll(/\/etc\/letsencrypt\/\S*fullchain\.pem/g, certificate)
    .replace(BACKEND, backend)
  assert.ok(!servers.includes('/etc/') && servers.includes(backend))
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((each) => `${each}_temp_path ${folder};`)
  const file = join(folder, 'nginx.conf')
  // The folder is for the user of this process only, which nginx would leave when it is root.
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  const main = `daemon off; master_process off; error_log stderr; pid ${folder}/pid; ${user} events {}`
  writeFileSync(file, `${main} http { access_log off; ${places.join(' ')}\n${servers}\n}\n`)
  const running = run(t, 'nginx', ['-e', 'stderr', '-p', folder, '-c', file])
  return { httpPort, httpsPort, ca: () => readFileSync(certificate, 'utf8'), running }
}

/** Starts the service with the settings that the page has for a proxy, and the proxy before it. */
async function start(t: TestContext, startProxy: StartProxy) {
  const { HOST: host, ...shown } = Object.fromEntries(assigned('Behind a proxy'))
  assert.deepEqual(host, '127.0.0.1')
  const dns = await startDns(t, { [HOST]: { a: ['192.0.2.1'] }, [DOMAIN]: {} })
  const server = await startServer(t, {
    DNS_SERVERS: dns.address,
    ...shown,
    ...Object.fromEntries(assigned('1. The address')),
    LIMIT_LINKS: '2',
  })
  const proxy = await startProxy(t, new URL(server.url).host)
  await listening(proxy.httpsPort, proxy.running.ended)
  const ask = (
    path: string,
    localAddress = '127.0.0.2',
    more: { body?: string; headers?: Record<string, string> } = {},
  ) =>
    askSecurely(proxy.httpsPort, HOST, path, proxy.ca(), {
      localAddress,
      ...more,
      ...(more.body !== undefined && { method: 'POST' }),
      headers: { 'content-type': 'application/json', ...more.headers },
    })
  // Caddy listens before it has its certificate.
  await poll(() => {
    assert.equal(proxy.running.ended(), undefined)
    return ask('/healthz').then(
      ({ status }) => status === 200,
      () => false,
    )
  })
  const create = (from?: string, headers: Record<string, string> = {}) =>
    ask('/api/links', from, { body: '{"target":"https://example.com/menu"}', headers })
  return { dns, server, proxy, ask, create }
}

/** What the page promises of a proxy. */
async function checkProxy(t: TestContext, startProxy: StartProxy) {
  const { proxy, ask, create } = await start(t, startProxy)
  const created = await create()
  assert.equal(created.status, 201, created.body)
  const link = JSON.parse(created.body) as Created
  assert.equal(link.short_url, `https://${HOST}/${link.code}`)
  const visited = await ask(`/${link.code}`)
  assert.deepEqual([visited.status, visited.headers.location], [302, 'https://example.com/menu'])
  assert.equal(visited.headers['strict-transport-security'], 'max-age=31536000')

  await checkRedirect(proxy)
  await checkStream(t, proxy, link, ask)
  await checkLargeBody(ask)
  assert.equal((await ask('/metrics')).status, 403, 'only the machine itself reads them')

  assert.equal((await create()).status, 201)
  const forged = { 'x-forwarded-for': '192.0.2.7' }
  assert.equal((await create(undefined, forged)).status, 429, 'a client cannot choose the address it counts as')
  assert.equal((await create('127.0.0.3')).status, 201, 'another client has a quota of its own')
}

async function checkRedirect({ httpPort }: Proxy) {
  const plain = await askPlainly(`http://127.0.0.1:${httpPort}/menu?x=1`, { headers: { host: HOST } })
  assert.deepEqual([plain.status, plain.headers.location], [308, `https://${HOST}/menu?x=1`])
}

/** Each event arrives while the stream goes on. */
async function checkStream(t: TestContext, proxy: Proxy, link: Created, ask: (path: string) => Promise<unknown>) {
  const { httpsPort: port } = proxy
  const path = `/api/manage/${link.token}/stream`
  const options = { host: '127.0.0.1', port, path, servername: HOST, ca: proxy.ca(), agent: false }
  const sent = request({ ...options, headers: { host: HOST } }).end()
  undoLater(t, () => void sent.destroy())
  const [response] = await once(sent, 'response')
  let received = ''
  response.on('data', (data: Buffer) => (received += String(data)))
  const counted = () => Array.from(received.matchAll(/"scans":(\d+)/g), ([, scans]) => Number(scans)).at(-1) ?? -1
  await poll(
    () => counted() === 1,
    () => received,
  )
  await ask(`/${link.code}`)
  await poll(
    () => counted() === 2,
    () => received,
  )
}

async function checkLargeBody(ask: Awaited<ReturnType<typeof start>>['ask']) {
  const links = '[{"target":"https://example.com/table"}]'
  const { status, body } = await ask('/api/bulk', '127.0.0.4', { body: links.padEnd(4 * MIB) })
  assert.equal(status, 201, body)
}

test('behind Caddy as docs/first-day.md has it, links, streams and large tables work, and clients are told apart', async (t) => {
  if (!requireProgram(t, 'caddy', 'caddy')) return
  await checkProxy(t, startCaddy)
})

test('behind nginx as docs/first-day.md has it, links, streams and large tables work, and clients are told apart', async (t) => {
  if (!requireProgram(t, 'nginx', 'nginx')) return
  await checkProxy(t, startNginx)
})

test('nginx as docs/first-day.md has it keeps its connections to quirl, and each of its own is another visitor', async (t) => {
  if (!requireProgram(t, 'nginx', 'nginx')) return
  const { server, ask, create } = await start(t, startNginx)
  const { code, token } = JSON.parse((await create()).body) as Created
  let opened = 0
  server.app.server.on('connection', () => opened++)
  const phones = Array.from({ length: 20 }, (_, at) => `127.0.1.${at + 1}`)
  for (const phone of phones) assert.equal((await ask(`/${code}`, phone)).status, 302)
  assert.ok(opened <= 1, `${opened} connections were opened`)
  await server.services.scans.fold()
  const { body } = await ask(`/api/manage/${token}/stats?days=1`)
  const { totals } = JSON.parse(body) as { totals: { scans: number; unique_visitors: number } }
  assert.deepEqual(totals, { ...totals, scans: 20, unique_visitors: 20 })
})

test('nginx as docs/first-day.md has it passes on the host, by which quirl knows a custom domain', async (t) => {
  if (!requireProgram(t, 'nginx', 'nginx')) return
  const { dns, server, ask } = await start(t, startNginx)
  await server.services.domains.register(DOMAIN)
  const statusOf = async () => (await server.services.domains.read(DOMAIN)).status
  assert.equal(await statusOf(), 'pending')
  dns.zones[DOMAIN] = { cname: HOST }
  await poll(async () => (await statusOf()) === 'active')
  const statusOn = async (host: string) => (await ask('/', undefined, { headers: { host } })).status
  assert.deepEqual([await statusOn(HOST), await statusOn(DOMAIN)], [200, 404])
})

interface Traefik {
  entryPoints: Record<string, { address: string; http?: { redirections: { entryPoint: { to: string } } } }>
  certificatesResolvers: Record<string, unknown>
  providers: { file: { filename: string } }
}
interface TraefikSites {
  http: {
    routers: Record<string, { rule: string; entryPoints: string[]; service: string; tls: { certResolver: string } }>
    services: Record<string, { loadBalancer: { servers: { url: string }[] } }>
  }
}

test("what docs/first-day.md has for Traefik fits together and leads to quirl's port", () => {
  const files = textsIn('yaml')
  const [own, sites] = files.map((text) => parseYaml(text) as unknown) as [Traefik, TraefikSites]
  assert.deepEqual(
    files.map((text) => /^# (.*)$/m.exec(text)?.[1]),
    ['/etc/traefik/traefik.yml', own.providers.file.filename],
  )
  assert.deepEqual(Object.keys(sites.http), ['routers', 'services'], 'no middleware buffers or limits')
  const [router] = Object.values(sites.http.routers)
  assert.ok(router)
  assert.equal(router.rule, `Host(\`${HOST}\`)`)
  const [plain, secure] = ['80', '443'].map(
    (port) => Object.entries(own.entryPoints).find(([, { address }]) => address === `:${port}`)?.[0],
  )
  assert.deepEqual(router.entryPoints, [secure])
  assert.equal(own.entryPoints[plain ?? '']?.http?.redirections.entryPoint.to, secure)
  assert.deepEqual(Object.keys(own.certificatesResolvers), [router.tls.certResolver])
  assert.deepEqual(Object.keys(sites.http.services), [router.service])
  const { servers } = Object.values(sites.http.services)[0]?.loadBalancer ?? {}
  assert.deepEqual(servers, [{ url: `http://127.0.0.1:${settings.port.fallback}` }])
})

test('each setting that docs/first-day.md shows exists, and has a value that is allowed', () => {
  const all = assigned()
  assert.ok(all.length > 6)
  for (const [name, value] of all) {
    const setting = Object.values(settings).find((each) => each.name === name)
    assert.ok(setting, `${name} is no setting`)
    assert.notEqual(setting.parse(value ?? ''), undefined, `${name}=${value}`)
  }
})
