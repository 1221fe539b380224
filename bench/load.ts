// Load of several kinds at once, and probes that measure beside it.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { create, post } from '../test/support/server.ts'
import { LOAD_CORE, temporaryFolder, type Served } from './support.ts'

/** What is asked for, as the body of a Lua function that answers a request of wrk. */
export type Requests = Record<string, string>

const LINKS = 50

/** The kinds of requests that load a service, after links for them have been made. */
export async function requestsTo(quirl: Served): Promise<Requests> {
  const links = await Promise.all(
    Array.from({ length: LINKS }, (_, at) => create(quirl, { target: `https://example.com/menu/${at}` })),
  )
  const pick = (what: (link: { code: string; token: string }) => string) =>
    `({${links.map((link) => `"${what(link)}"`).join(',')}})[math.random(${LINKS})]`
  const json = (path: string, body: string) =>
    `wrk.format("POST", "${path}", {["Content-Type"] = "application/json"}, ${body})`
  const { status } = await post(`${quirl.url}/api/qr`, { data: 'warm', design: { shape: 'dots' } })
  if (status !== 200) throw new Error(`a design answered ${status}`)
  return {
    visits: `wrk.format("GET", "/" .. ${pick(({ code }) => code)})`,
    creations: json('/api/links', `'{"target":"https://example.com/menu"}'`),
    // No image twice: what is kept need not be drawn.
    images: 'wrk.format("GET", "/api/qr?size=1024&data=https://example.com/" .. math.random(1000000000))',
    designs: json(
      '/api/qr',
      `'{"data":"https://example.com/' .. math.random(1000000000) .. '","design":{"shape":"dots"}}'`,
    ),
    statistics: `wrk.format("GET", "/api/manage/" .. ${pick(({ token }) => token)} .. "/stats")`,
    exports: `wrk.format("GET", "/api/manage/" .. ${pick(({ token }) => token)} .. "/scans.csv")`,
    pages: `wrk.format("GET", "/m/" .. ${pick(({ token }) => token)})`,
  }
}

/** Answers by what they say; `failed` are connections that broke and answers that were waited for too long. */
export interface Answers {
  done: number
  limited: number
  refused: number
  other: number
  failed: number
}

/** So long may an answer take. */
const TIMEOUT = '10s'

/** Begins to load a service with requests, each of which is one of those given, at random. */
export function load(url: string, requests: string[], connections: number, seconds: number): Promise<Answers> {
  const script = join(temporaryFolder(), 'load.lua')
  const choices = requests.map((request, at) => `if kind == ${at + 1} then return ${request} end`).join('\n')
  writeFileSync(
    script,
    `local threads = {}
     function setup(thread) table.insert(threads, thread) end
     function init() done_, limited, refused, other = 0, 0, 0, 0; math.randomseed(42) end
     function request() local kind = math.random(${requests.length})\n${choices} end
     function response(status)
       if status < 400 then done_ = done_ + 1
       elseif status == 429 then limited = limited + 1
       elseif status == 503 then refused = refused + 1
       else other = other + 1 end
     end
     function done(summary)
       local thread, e = threads[1], summary.errors
       print(string.format("answers %d %d %d %d %d", thread:get("done_"), thread:get("limited"), thread:get("refused"),
         thread:get("other"), e.connect + e.read + e.write + e.timeout))
     end`,
  )
  const options = ['-t1', `-c${connections}`, `-d${seconds}s`, `--timeout=${TIMEOUT}`, '-s', script, url]
  const wrk = spawn('taskset', ['-c', LOAD_CORE, 'nice', '-n10', 'wrk', ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return answersOf(wrk)
}

async function answersOf(wrk: ChildProcess): Promise<Answers> {
  const stop = () => void wrk.kill('SIGKILL')
  process.once('exit', stop)
  let output = ''
  wrk.stdout?.on('data', (data) => (output += String(data)))
  await new Promise((resolve, reject) => wrk.once('close', resolve).once('error', reject))
  process.off('exit', stop)
  const [, ...counts] = /answers (\d+) (\d+) (\d+) (\d+) (\d+)/.exec(output) ?? []
  if (counts.length === 0) throw new Error(`wrk failed: ${output}`)
  const [done = 0, limited = 0, refused = 0, other = 0, failed = 0] = counts.map(Number)
  return { done, limited, refused, other, failed }
}

/** Keeps this process on the load's core: what it measures is the server, and not who shares its core. */
export function moveToLoadCore(): void {
  spawnSync('taskset', ['-acp', LOAD_CORE, String(process.pid)])
}

/** What a probe asks for, on a connection that is open already or on one of its own. */
export interface Probe {
  path: string
  isNew: boolean
}

/** Connections that open probes take turns on. */
const OPEN = 32

/**
 * Asks for something again and again, at a steady pace however long answers take, and tells how long each took (ms): from
 * when it was to be asked, also when it had to wait for one of the open connections.
 */
export async function probe(url: string, { path, isNew }: Probe, everyMs: number, seconds: number): Promise<number[]> {
  const open = () => connect({ port: Number(new URL(url).port), host: '127.0.0.1', noDelay: true })
  const took: number[] = []
  const asking: Promise<void>[] = []
  const lanes: Promise<Socket>[] = Array.from({ length: isNew ? 0 : OPEN }, () => opened(open()))
  await Promise.all(lanes)
  for (const end = performance.now() + seconds * 1000; performance.now() < end; await sleep(everyMs)) {
    const began = performance.now()
    const ask = async (socket: Socket) => {
      const isWhole = await exchange(socket, path, isNew)
      took.push(isWhole ? performance.now() - began : Number.POSITIVE_INFINITY)
      if (!isNew && isWhole) return socket
      socket.destroy()
      return isNew ? socket : opened(open())
    }
    const lane = isNew ? Promise.resolve(open()) : (lanes.shift() as Promise<Socket>)
    const asked = lane.then(ask)
    if (!isNew) lanes.push(asked)
    asking.push(asked.then(() => {}))
  }
  await Promise.all(asking)
  for (const lane of lanes) (await lane).destroy()
  return took
}

function opened(socket: Socket): Promise<Socket> {
  return new Promise((resolve, reject) => socket.once('connect', () => resolve(socket)).once('error', reject))
}

/** Whether the answer is one, and was there before the connection ended. */
function exchange(socket: Socket, path: string, isLast: boolean): Promise<boolean> {
  return new Promise((resolve) => {
    let received = ''
    const settle = (isWhole: boolean) => {
      socket.removeAllListeners()
      socket.on('error', () => {})
      resolve(isWhole)
    }
    socket.on('data', (data) => {
      received += data.toString('latin1')
      const head = received.indexOf('\r\n\r\n')
      if (head === -1) return
      const length = Number(/^content-length: (\d+)/im.exec(received)?.[1])
      if (received.length >= head + 4 + length) settle(/^HTTP\/1\.1 [23]/.test(received))
    })
    socket.on('error', () => settle(false)).on('close', () => settle(false))
    socket.write(`GET ${path} HTTP/1.1\r\nHost: quirl.example\r\n${isLast ? 'Connection: close\r\n' : ''}\r\n`)
  })
}

export function percentile(values: number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN
}
