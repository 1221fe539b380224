import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import manifest from '../package.json' with { type: 'json' }

// One core for the server, the other for the load, so that they do not compete.
export const SERVER_CORE = '0'
export const LOAD_CORE = '1'

const startWords = manifest.scripts.start.split(' ')
/** The flags of Node in `npm start`. */
export const startFlags = startWords.filter((word) => word.startsWith('--'))
/** The variables that it sets. */
export const startVariables: Record<string, string> = Object.fromEntries(
  startWords.filter((word) => /^[A-Z_]+=/.test(word)).map((word) => word.split('=')),
)

export interface Served {
  process: ChildProcess
  url: string
  stop: () => Promise<void>
}

/** Starts a script on a core and waits for the line with its address. */
export async function serve(
  script: string,
  args: string[] = [],
  flags: string[] = [],
  core = SERVER_CORE,
): Promise<Served> {
  const started = spawn('taskset', ['-c', core, process.execPath, ...flags, script, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...startVariables },
  })
  servers.add(started)
  const ended = new Promise<void>((resolve) =>
    started.once('exit', () => {
      servers.delete(started)
      resolve()
    }),
  )
  const url = await new Promise<string>((resolve, reject) => {
    started.once('exit', (code) => reject(new Error(`${script} ended with ${code}`)))
    started.stdout.on('data', (data) => {
      const port = /https?:\/\/[\w.]+:(\d+)/.exec(String(data))?.[1]
      if (port) resolve(`http://127.0.0.1:${port}`)
    })
  })
  const stop = async () => {
    started.kill('SIGTERM')
    await ended
  }
  return { process: started, url, stop }
}

/** Reads one of the server's metrics, on a new connection: a kept one does not survive wrk's load. */
export async function readMetric(served: Served, name: string): Promise<number> {
  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    get(`${served.url}/metrics`, { agent: false }, resolve).once('error', reject),
  )
  return Number(new RegExp(`^${name} (.+)$`, 'm').exec(await text(response))?.[1])
}

/** Disables quotas: all load comes from one address. */
export const unlimited = ['links', 'changes', 'bulk', 'aliases', 'qr', 'failures', 'misses'].map(
  (name) => `--limit-${name}=0`,
)

/** Starts quirl on a data folder, with the flags of `npm start` and without quotas. */
export function serveQuirl(dataDir: string, ...args: string[]): Promise<Served> {
  return serveQuirlOn(SERVER_CORE, dataDir, ...args)
}

/** The same on a core. */
export function serveQuirlOn(core: string, dataDir: string, ...args: string[]): Promise<Served> {
  const script = fileURLToPath(new URL('../bin/quirl.js', import.meta.url))
  const all = ['--port=0', '--host=127.0.0.1', `--data-dir=${dataDir}`, ...unlimited, ...args]
  return serve(script, all, startFlags, core)
}

const folders: string[] = []
const servers = new Set<ChildProcess>()
// Runs however the bench ends: normally, with an error, or by a signal.
process.on('exit', () => {
  for (const server of servers) server.kill('SIGKILL')
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})
process.once('SIGINT', () => process.exit(130))
process.once('SIGTERM', () => process.exit(143))

/** A folder that is removed when the bench ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quirl-bench-'))
  folders.push(folder)
  return folder
}

export interface Load {
  requests: number
  requestsPerSecond: number
  p50Milliseconds: number
  p99Milliseconds: number
}

/**
 * Runs wrk on the load's core for some seconds. A script may choose the requests. The p99 includes the first responses, which are
 * late when a request takes long: libuv accepts one connection per iteration (its pull request 3696), so the last of 64
 * connections waits for 63 iterations of ever more requests.
 */
export function wrk(url: string, seconds: number, script?: string, connections = 64): Load {
  const command = wrkOn(LOAD_CORE, url, seconds, script, connections)
  const { stdout, error } = spawnSync('taskset', command, { encoding: 'utf8' })
  if (error) throw error
  return loadOf(stdout)
}

/** The same on a core, beside other work. */
export async function startWrk(core: string, url: string, seconds: number, script?: string): Promise<Load> {
  const started = spawn('taskset', wrkOn(core, url, seconds, script, 64), { stdio: ['ignore', 'pipe', 'inherit'] })
  return loadOf(await text(started.stdout))
}

/** The same at a server name, which need not resolve, on open connections or on a new one for each visit. */
export function wrkNamed(url: URL, name: string, seconds: number, isNew: boolean): Load {
  const file = join(temporaryFolder(), 'named.lua')
  const resolve = 'wrk.resolve = function(_, service) wrk.addrs = wrk.lookup("127.0.0.1", service) end'
  writeFileSync(file, isNew ? `${resolve}\nwrk.headers["Connection"] = "close"` : resolve)
  return wrk(`${url.protocol}//${name}:${url.port}${url.pathname}${url.search}`, seconds, file)
}

function wrkOn(core: string, url: string, seconds: number, script: string | undefined, connections: number): string[] {
  const options = ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', '--timeout', '20s']
  return ['-c', core, 'wrk', ...options, ...(script ? ['-s', script] : []), url]
}

/** Parses what wrk prints. */
function loadOf(stdout: string): Load {
  if (/Non-2xx or 3xx|Socket errors/.test(stdout)) throw new Error(stdout)
  return {
    requests: Number(/(\d+) requests in/.exec(stdout)?.[1]),
    requestsPerSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
    p50Milliseconds: milliseconds(stdout, '50%'),
    p99Milliseconds: milliseconds(stdout, '99%'),
  }
}

/** Parses one of the times that wrk prints, each in a unit of its choice. */
function milliseconds(printed: string, share: string): number {
  const [, amount = '', unit = 'ms'] = new RegExp(`${share}\\s+([\\d.]+)(us|ms|s)`).exec(printed) ?? []
  return Number(amount) * ({ us: 0.001, ms: 1, s: 1000 }[unit] ?? 1)
}

/** A wrk script that creates a link with each request. */
export function creationScript(): string {
  const file = join(temporaryFolder(), 'creations.lua')
  const headers = 'wrk.headers["Content-Type"] = "application/json"'
  writeFileSync(file, `wrk.method = "POST"\n${headers}\nwrk.body = '{"target":"https://example.com/menu"}'`)
  return file
}

export function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

/** Prints rows as a Markdown table. */
export function printTable(title: string, rows: Record<string, string | number>[]): void {
  const names = Object.keys(rows[0] ?? {})
  console.log(`\n${title}\n`)
  console.log(`| ${names.join(' | ')} |`)
  console.log(`| ${names.map(() => '---').join(' | ')} |`)
  for (const row of rows) console.log(`| ${names.map((name) => row[name]).join(' | ')} |`)
}
