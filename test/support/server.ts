import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config/config.ts'
import { openServices, type Services } from '../../src/services.ts'
import type { Environment } from '../../src/services/environment.ts'
import { temporaryFolder, undoLater, type Ending } from './cleanup.ts'
import { PATIENCE_MS } from './poll.ts'

/** A running service on a free port of loopback, with a data folder of its own. */
export interface TestServer {
  url: string
  app: FastifyInstance
  services: Services
  dataDir: string
  /** What was logged so far, one parsed line each. */
  logged: Record<string, unknown>[]
  /** With `TLS=on`, the port for HTTPS; `url` is then the one for plain HTTP. */
  httpsPort: number
  /** Stops it before the test ends. */
  stop: () => Promise<void>
}

/** Nobody listens there: no test asks a server outside for a name. */
const NO_DNS = '127.0.0.1:9'

/** What lists change is looked for at once; nothing else is given up because the machine is slow. */
const patience = { settleMs: 10, drawMs: PATIENCE_MS, foldWaitMs: PATIENCE_MS }

/** All tests come from one address. */
const unlimited = Object.fromEntries(
  ['LINKS', 'BULK', 'QR', 'DOMAINS', 'REPORTS', 'FAILURES', 'MISSES'].map((name) => [`LIMIT_${name}`, '0']),
)

/**
 * Starts the service in this process, with the clock that the test gives it; on the folder in `DATA_DIR`, or an empty
 * one; with no limits but those in `env`, in the surroundings that it is told of.
 */
export async function startServer(
  t: Ending,
  env: Record<string, string> = {},
  now: () => number = Date.now,
  surroundings: Pick<Environment, 'machine' | 'monotonic' | 'slots' | 'work' | 'sync'> = {},
): Promise<TestServer> {
  const dataDir = env['DATA_DIR'] ?? temporaryFolder(t)
  const defaults = { HOST: '127.0.0.1', PORT: '0', DATA_DIR: dataDir, DNS_SERVERS: NO_DNS, ...unlimited }
  const invocation = readConfig([], { ...defaults, ...env }, '/nonexistent')
  if (invocation.run !== 'serve') throw new Error('unreachable')
  let port = 0
  const logged: Record<string, unknown>[] = []
  const log = pino({ base: null, level: 'warn' }, { write: (line) => logged.push(JSON.parse(line)) })
  // A clock that a test moves on is both; one that is set back must be told apart.
  const clocks = { now, ...(now !== Date.now && { monotonic: now }) }
  const environment = { version: '0.0.0', port: () => port, log, ...clocks, ...patience, ...surroundings }
  const services = await openServices(invocation.config, environment)
  const app = await createApp(invocation.config, services, log)
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

/** What a creation answered. */
export interface Created {
  code: string
  short_url: string
  qr_png: string
  qr_svg: string
  manage_url: string
  token: string
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

/** Creates a link and insists that it worked. */
export async function create(server: Pick<TestServer, 'url'>, body: unknown): Promise<Created> {
  const response = await post(`${server.url}/api/links`, body)
  if (response.status !== 201) throw new Error(`creation answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as Created
}

/** A visit that does not follow the redirect. */
export function visit(url: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { redirect: 'manual', headers })
}
