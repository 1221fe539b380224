// Claim: a visit on a connection of its own, as phones make it, costs little more than one of bare node:http or node:https, which
// record nothing. CPU time is that of the server's process, from /proc: machines are noisy, and it is steadier than visits a second.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openDatabase } from '../src/db/open.ts'
import { saveCertificate } from '../src/tls/certificate-store.ts'
import { readCertificate } from '../src/tls/certificate.ts'
import { create } from '../test/support/server.ts'
import { freePort } from '../test/support/ports.ts'
import type { Visited, Visits } from './connecting.ts'
import { makeIdentity, startCaddyFront, startNginxFront, type Front } from './peers/fronts.ts'
import { describeMachine } from './peers/machine.ts'
import { familyTime, mainThreadTime } from './processors.ts'
import { LOAD_CORE, median, printTable, serve, serveQuirl, temporaryFolder, wrkNamed } from './support.ts'

const RUNS = Number(process.env['RUNS'] ?? 3)
const SECONDS = Number(process.env['SECONDS'] ?? 4)
const NAME = 'go.example.com'

/** One that answers visits. */
interface Answerer {
  name: string
  pid: number
  port: number
  path: string
  isSecure: boolean
}

const identity = makeIdentity(NAME)

const folder = temporaryFolder()
const stops: (() => Promise<unknown>)[] = []

function bare(isSecure: boolean): Promise<Answerer> {
  const script = fileURLToPath(new URL('bare-http.ts', import.meta.url))
  return answerer('bare node', serve(script, isSecure ? [identity.key, identity.certificate] : []), isSecure)
}

async function answerer(name: string, starting: ReturnType<typeof serve>, isSecure: boolean, path = '/menu') {
  const served = await starting
  stops.push(served.stop)
  return { name, pid: served.process.pid ?? 0, port: Number(new URL(served.url).port), path, isSecure }
}

/** quirl on a data folder that has a link, and a certificate of the bench's own. */
async function quirl(): Promise<[plain: Answerer, secure: Answerer]> {
  const [plainDir, secureDir] = [join(folder, 'plain'), join(folder, 'secure')]
  const plain = await serveQuirl(plainDir)
  const path = await linkOf(plain)
  const first = await serveQuirl(secureDir)
  const securePath = await linkOf(first)
  await first.stop()
  await storeCertificate(secureDir)
  const [port, securePort] = [await freePort(), await freePort()]
  const secure = [
    '--tls',
    `--http-port=${port}`,
    `--https-port=${securePort}`,
    `--base-url=https://${NAME}:${securePort}`,
  ]
  return [
    await answerer('quirl', Promise.resolve(plain), false, path),
    await answerer('quirl', serveQuirl(secureDir, ...secure), true, securePath),
  ]
}

async function linkOf(served: { url: string }): Promise<string> {
  return `/${(await create(served, { target: 'https://example.com/menu' })).code}?qr=1`
}

async function storeCertificate(dataDir: string): Promise<void> {
  const db = await openDatabase(dataDir, Date.now)
  const [chain, key] = [readFileSync(identity.certificate, 'utf8'), readFileSync(identity.key, 'utf8')]
  const certificate = readCertificate(NAME, chain, key, Date.now())
  await saveCertificate(db.write, {
    ...certificate,
    renewAt: certificate.notAfter,
    checkRenewalAt: certificate.notAfter,
  })
  await db.close()
}

function front(name: string, started: Front | undefined): Answerer[] {
  if (started === undefined) {
    console.error(`${name} is not installed: it is left out`)
    return []
  }
  stops.push(started.stop)
  const { pid, port, securePort } = started
  return [
    { name, pid, port, path: '/menu', isSecure: false },
    { name, pid, port: securePort, path: '/menu', isSecure: true },
  ]
}

/** What visits took: CPU time of the server for each in microseconds, and durations in milliseconds. */
interface Measured extends Taken {
  process: number
  mainThread: number
}

interface Taken {
  visits: number
  perSecond: number
  p50: number
  p99: number
}

type Kind = (to: Answerer) => Taken

function measure(to: Answerer, kind: Kind): Measured {
  const times = () => [familyTime(to.pid), mainThreadTime(to.pid)] as const
  const before = times()
  const taken = kind(to)
  const after = times()
  return { ...taken, process: (after[0] - before[0]) / taken.visits, mainThread: (after[1] - before[1]) / taken.visits }
}

const urlOf = ({ port, path, isSecure }: Answerer) => new URL(`http${isSecure ? 's' : ''}://127.0.0.1:${port}${path}`)

const loading =
  (isNew: boolean): Kind =>
  (to) => {
    const { requests, requestsPerSecond, p50Milliseconds, p99Milliseconds } = wrkNamed(urlOf(to), NAME, SECONDS, isNew)
    return { visits: requests, perSecond: requestsPerSecond, p50: p50Milliseconds, p99: p99Milliseconds }
  }

/** Visits by a client that takes the time from the first packet to the last; wrk begins after the handshake. */
const connecting =
  (resumes: boolean, atOnce: number): Kind =>
  (to) => {
    const visits: Visits = { ...to, name: NAME, resumes, atOnce, seconds: SECONDS }
    const script = fileURLToPath(new URL('connecting.ts', import.meta.url))
    const args = ['-c', LOAD_CORE, process.execPath, script, JSON.stringify(visits)]
    const { stdout, stderr } = spawnSync('taskset', args, { encoding: 'utf8' })
    if (stdout === '') throw new Error(stderr)
    const visited = JSON.parse(stdout) as Visited
    if (visited.failed > 0) throw new Error(`${to.name}: ${visited.failed} visits failed`)
    if (resumes && visited.resumed < visited.visits / 2) throw new Error(`${to.name} resumes no sessions`)
    return visited
  }

const plainKinds: Record<string, Kind> = {
  'kept alive': loading(false),
  'new connections': loading(true),
  'new connections, 4 at a time': connecting(false, 4),
}
const secureKinds: Record<string, Kind> = {
  ...plainKinds,
  'resumed sessions': connecting(true, 32),
}

async function compare(title: string, answerers: Answerer[], kinds: Record<string, Kind>): Promise<void> {
  for (const [name, kind] of Object.entries(kinds)) {
    const all = new Map<Answerer, Measured[]>(answerers.map((each) => [each, []]))
    for (const to of answerers) kind(to)
    for (let run = 0; run < RUNS; run++) for (const [to, runs] of all) runs.push(measure(to, kind))
    const of = (runs: Measured[], field: keyof Measured) => median(runs.map((run) => run[field]))
    const baseline = of(all.get(answerers[0] as Answerer) ?? [], 'mainThread')
    const rows = [...all].map(([to, runs]) => ({
      server: to.name,
      'CPU µs': of(runs, 'process').toFixed(0),
      'main thread µs': of(runs, 'mainThread').toFixed(0),
      ratio: (of(runs, 'mainThread') / baseline).toFixed(2),
      'visits/s': Math.round(of(runs, 'perSecond')),
      'p50 ms': of(runs, 'p50').toFixed(2),
      'p99 ms': of(runs, 'p99').toFixed(1),
    }))
    printTable(`${title}, ${name}: medians of ${RUNS} alternating runs of ${SECONDS} s`, rows)
  }
}

console.log(describeMachine())
const [quirlPlain, quirlSecure] = await quirl()
const fronts = [...front('nginx', await startNginxFront(identity)), ...front('caddy', await startCaddyFront(identity))]
const ofFronts = (isSecure: boolean) => fronts.filter((each) => each.isSecure === isSecure)
await compare('TCP', [await bare(false), quirlPlain, ...ofFronts(false)], plainKinds)
await compare('TLS', [await bare(true), quirlSecure, ...ofFronts(true)], secureKinds)
await Promise.all(stops.map((stop) => stop()))
