import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config/config.ts'
import type { Timeouts } from '../../src/http/server.ts'
import { openServices, type Services } from '../../src/services.ts'
import type { Environment } from '../../src/services/environment.ts'
import { temporaryFolder, undoLater, type Ending } from './cleanup.ts'
import { writeMigratedLinks } from './migrated-links.ts'
import { PATIENCE_MS } from './poll.ts'

/** A running service on a free port of loopback, with its own data folder. */
export interface TestServer {
  url: string
  app: FastifyInstance
  services: Services
  dataDir: string
  /** The log so far, one parsed line each. */
  logged: Record<string, unknown>[]
  /** With `TLS=on`, the port for HTTPS; `url` is then the one for plain HTTP. */
  httpsPort: number
  /** Stops it before the test ends. */
  stop: () => Promise<void>
}

/** Nothing listens there: no test queries a DNS server outside. */
const NO_DNS = '127.0.0.1:9'

/** No thread is ended because the machine is slow. */
export const patientThreads = {
  queueTimeout: PATIENCE_MS,
  timeout: PATIENCE_MS,
  cpuTime: PATIENCE_MS,
  turn: PATIENCE_MS,
}

/** Changes of lists are applied quickly; nothing times out because the machine is slow. */
const patience = {
  sweepWaitMs: 10,
  queueMs: PATIENCE_MS,
  drawing: { ...patientThreads, maxWait: PATIENCE_MS },
  foldWaitMs: PATIENCE_MS,
  // No test leaves the machine.
  recommendedLists: [],
  redisMs: PATIENCE_MS,
  postgresTimes: { connectMs: PATIENCE_MS, statementMs: PATIENCE_MS },
}

/** A client may wait that long for an image that others are drawn before. */
const clientPatience = { silentMs: 10 * PATIENCE_MS }

/** Opening the tables of places takes a fifth of a start; a test that looks places up says so by `GEOIP_DB`. */
const placeless = { GEOIP_DB: 'off' }

/** Writing it takes the disk some time, and few tests fill one. */
const noReserve = { disk: { reserveBytes: 0 } }

/** All tests come from one address. */
const unlimited = Object.fromEntries(
  ['LINKS', 'CHANGES', 'BULK', 'QR', 'DOMAINS', 'REPORTS', 'FAILURES', 'MISSES', 'GUESSES', 'LINK_GUESSES'].map(
    (name) => [`LIMIT_${name}`, '0'],
  ),
)

/** What a test replaces of the program's environment. */
type Overrides = Pick<
  Environment,
  | 'machine'
  | 'monotonic'
  | 'slots'
  | 'work'
  | 'queueMs'
  | 'drawing'
  | 'redisMs'
  | 'sync'
  | 'scrypt'
  | 'webhooks'
  | 'postgresTimes'
  | 'foldWaitMs'
  | 'recommendedLists'
  | 'disk'
> & { timeouts?: Partial<Timeouts> }

/** The kind of server that `startServer` starts: `npm run test:stores` runs tests on each. */
const kind = process.env['QUIRL_TEST_STORE'] ?? 'sqlite'
/** Why a test that reads or changes files of SQLite is skipped on others. */
export const skipUnlessSqlite = kind !== 'sqlite' && 'only SQLite has these files'
/** Why a test that looks into the process of the server is skipped on several nodes. */
export const skipUnlessOneNode = kind === 'two-nodes' && 'the balancer chooses the node'
// While the file loads, because the module registers what happens at its end.
const stores = kind === 'sqlite' ? undefined : await import('./test-stores.ts')

/**
 * Starts the service in this process with the test's clock, on the folder in `DATA_DIR` or a new one, with no quotas
 * but those in `env`.
 */
export async function startServer(
  t: Ending,
  env: Record<string, string> = {},
  now: () => number = Date.now,
  overrides: Overrides = {},
): Promise<TestServer> {
  if (stores === undefined || env['DATABASE_URL'] !== undefined) return startNode(t, env, now, overrides)
  return stores.startOn(kind, t, env, (more, port) => startNode(t, { ...env, ...more }, now, overrides, port))
}

/** @param outerPort the port that clients use, when it is not the service's own */
async function startNode(
  t: Ending,
  env: Record<string, string>,
  now: () => number,
  overrides: Overrides,
  outerPort?: () => number,
): Promise<TestServer> {
  const dataDir = env['DATA_DIR'] ?? (await newDataFolder(t))
  const defaults = { HOST: '127.0.0.1', PORT: '0', DATA_DIR: dataDir, DNS_SERVERS: NO_DNS, ...placeless, ...unlimited }
  const invocation = readConfig([], { ...defaults, ...env }, '/nonexistent')
  if (invocation.run !== 'serve') throw new Error('unreachable')
  let port = 0
  const logged: Record<string, unknown>[] = []
  const log = pino({ base: null, level: 'warn' }, { write: (line) => logged.push(JSON.parse(line)) })
  // A test that advances its clock advances both; a test that sets it back passes a monotonic one.
  const clocks = { now, ...(now !== Date.now && { monotonic: now }) }
  const environment = {
    version: '0.0.0',
    port: outerPort ?? (() => port),
    log,
    ...clocks,
    ...patience,
    ...noReserve,
    ...overrides,
  }
  const services = await openServices(invocation.config, environment)
  const app = await createApp(invocation.config, services, log, { ...clientPatience, ...overrides.timeouts })
  const { config } = invocation
  await app.listen({ host: '127.0.0.1', port: config.tls ? config.httpPort : 0 })
  const httpsPort = (await services.tls?.listen(app.server)) ?? 0
  port = (app.server.address() as AddressInfo).port
  let stopped: Promise<void> | undefined
  const stop = () =>
    (stopped ??= (async () => {
      const closed = services.tls?.close()
      app.server.closeAllConnections()
      await Promise.all([app.close(), closed])
      await services.close()
    })())
  undoLater(t, stop)
  return { url: `http://127.0.0.1:${port}`, app, services, dataDir, logged, stop, httpsPort }
}

/** The folder of a service that has served nothing yet. */
async function newDataFolder(t: Ending): Promise<string> {
  const folder = temporaryFolder(t)
  await writeMigratedLinks(join(folder, 'links.db'))
  return folder
}

/** The response to a creation. */
export interface Created {
  code: string
  short_url: string
  qr_png: string
  qr_svg: string
  manage_url: string
  token: string
}

/** Where the owner of a link reads and changes it. @param path of the API below it, with its slash */
export function manage({ url }: Pick<TestServer, 'url'>, { token }: Pick<Created, 'token'>, path = ''): string {
  return `${url}/api/manage/${token}${path}`
}

/** What the owner of a link reads of it. */
export async function details<Body = Record<string, unknown>>(
  server: Pick<TestServer, 'url'>,
  link: Pick<Created, 'token'>,
  path = '',
): Promise<Body> {
  return (await (await fetch(manage(server, link, path))).json()) as Body
}

export function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return send('POST', url, body, headers)
}

export function put(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return send('PUT', url, body, headers)
}

function send(method: string, url: string, body: unknown, headers: Record<string, string>): Promise<Response> {
  return fetch(url, { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } })
}

/** Creates a link; throws if that fails. */
export async function create(
  server: Pick<TestServer, 'url'>,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Created> {
  const response = await post(`${server.url}/api/links`, body, headers)
  if (response.status !== 201) throw new Error(`creation returned ${response.status}: ${await response.text()}`)
  return (await response.json()) as Created
}

/** A body without warnings: those of a test are about its service, whose URLs others cannot reach (test/notices.test.ts). */
export function withoutWarnings<T>(body: T): T {
  return JSON.parse(JSON.stringify(body), (name, value) => (name === 'warnings' ? undefined : value)) as T
}

/** Visits a link without following the redirect. */
export function visit(url: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { redirect: 'manual', headers })
}

const DAY_MS = 86_400_000

/** Has the clock of a service go on while it runs: after a longer pause it is not believed at once. */
export async function runFor(
  { services }: Pick<TestServer, 'services'>,
  ms: number,
  advance: (ms: number) => void,
): Promise<void> {
  for (let left = ms; left > 0; left -= DAY_MS) {
    advance(Math.min(left, DAY_MS))
    await services.clock.check()
  }
}
