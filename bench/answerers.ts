import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { get as getSecurely } from 'node:https'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { openDatabase } from '../src/db/open.ts'
import { saveCertificate } from '../src/tls/certificate-store.ts'
import { readCertificate } from '../src/tls/certificate.ts'
import { freePort } from '../test/support/ports.ts'
import { create } from '../test/support/server.ts'
import type { Visited, Visits } from './connecting.ts'
import { makeIdentity, startCaddyFront, startNginxFront, type Behind, type Front } from './peers/fronts.ts'
import { LOAD_CORE, serve, serveQuirl, temporaryFolder, type Served } from './support.ts'

/** The name at which all answer. */
export const NAME = 'go.example.com'

/** One that answers visits, by TCP or TLS. */
export interface Answerer {
  name: string
  /** Its processes; the threads of one of them have what a main thread does. */
  pids: number[]
  /** The process of Node among them. */
  node: number | undefined
  port: number
  path: string
  isSecure: boolean
}

const identity = makeIdentity(NAME)
const stops: (() => Promise<unknown>)[] = []

/** Stops all that were started. */
export async function stopAll(): Promise<void> {
  await Promise.all(stops.map((stop) => stop()))
}

export async function startBare(isSecure: boolean): Promise<Answerer> {
  const script = fileURLToPath(new URL('bare-http.ts', import.meta.url))
  const served = await serve(script, isSecure ? [identity.key, identity.certificate] : [])
  return answererOf('bare node', served, { path: '/menu', isSecure })
}

/** quirl with a link. */
export async function startQuirl(...args: string[]): Promise<Answerer> {
  const served = await serveQuirl(temporaryFolder(), ...args)
  return answererOf('quirl', served, { path: await linkOf(served), isSecure: false })
}

/** quirl with a link and its own TLS, for which its store has a certificate before it starts. */
export async function startSecureQuirl(): Promise<Answerer> {
  const dataDir = temporaryFolder()
  const before = await serveQuirl(dataDir)
  const path = await linkOf(before)
  await before.stop()
  await storeCertificate(dataDir)
  const [port, securePort] = [await freePort(), await freePort()]
  const ports = [`--http-port=${port}`, `--https-port=${securePort}`, `--base-url=https://${NAME}:${securePort}`]
  return answererOf('quirl', await serveQuirl(dataDir, '--tls', ...ports), { path, isSecure: true })
}

function answererOf(name: string, served: Served, of: Pick<Answerer, 'path' | 'isSecure'>): Answerer {
  stops.push(served.stop)
  const { pid = 0 } = served.process
  return { name, pids: [pid], node: pid, port: Number(new URL(served.url).port), ...of }
}

/** The link's scans are told from others. */
async function linkOf(served: { url: string }): Promise<string> {
  return `/${(await create(served, { target: 'https://example.com/menu' })).code}?qr=1`
}

async function storeCertificate(dataDir: string): Promise<void> {
  const db = await openDatabase(dataDir, Date.now)
  const [chain, key] = [readFileSync(identity.certificate, 'utf8'), readFileSync(identity.key, 'utf8')]
  const { notAfter, ...certificate } = readCertificate(NAME, chain, key, Date.now())
  await saveCertificate(db.write, { ...certificate, notAfter, renewAt: notAfter, checkRenewalAt: notAfter })
  await db.close()
}

const fronts = { nginx: startNginxFront, caddy: startCaddyFront }

/** Starts nginx and Caddy, where they are installed; each answers by itself, or passes visits on to quirl. */
export async function startFronts(quirl?: Answerer): Promise<Answerer[]> {
  const answerers: Answerer[] = []
  for (const [name, start] of Object.entries(fronts)) {
    const behind: Behind = quirl?.port
    const started = await start(identity, behind)
    if (started === undefined) console.error(`${name} is not installed: it is left out`)
    else answerers.push(...answerersOf(name, started, quirl))
  }
  return answerers
}

function answerersOf(name: string, { pid, port, securePort, stop }: Front, quirl?: Answerer): Answerer[] {
  stops.push(stop)
  const { node, path = '/menu' } = quirl ?? {}
  const of = {
    name: quirl === undefined ? name : `quirl behind ${name}`,
    pids: node === undefined ? [pid] : [pid, node],
    node,
    path,
  }
  return [
    { ...of, port, isSecure: false },
    { ...of, port: securePort, isSecure: true },
  ]
}

/** Visits by clients that open a connection for each. */
export async function connectTo(
  to: Answerer,
  how: Omit<Visits, 'port' | 'path' | 'name' | 'isSecure'>,
): Promise<Visited> {
  const visits: Visits = { port: to.port, path: to.path, name: NAME, isSecure: to.isSecure, ...how }
  const script = fileURLToPath(new URL('connecting.ts', import.meta.url))
  const args = ['-c', LOAD_CORE, process.execPath, script, JSON.stringify(visits)]
  const client = spawn('taskset', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  return JSON.parse(await text(client.stdout)) as Visited
}

/** How many scans quirl has recorded. */
export async function recordedBy({ port, isSecure }: Answerer): Promise<number> {
  const request = {
    host: '127.0.0.1',
    port,
    path: '/metrics',
    headers: { host: isSecure ? NAME : 'localhost' },
    agent: false,
  }
  const options = { ...request, servername: NAME, rejectUnauthorized: false }
  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    (isSecure ? getSecurely(options, resolve) : get(request, resolve)).once('error', reject),
  )
  return Number(/^quirl_scans_recorded_total (\d+)$/m.exec(await text(response))?.[1])
}
