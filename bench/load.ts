// Generates load of several kinds at once, and probes that measure beside it.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { create, post } from '../test/support/server.ts'
import { LOAD_CORE, temporaryFolder, type Served } from './support.ts'

/** Kinds of requests, each the body of a Lua function that returns a request for wrk. */
export type Requests = Record<string, string>

const LINKS = 50

/** Creates links, and returns the kinds of requests that use them. */
export async function requestsTo(quirl: Served): Promise<Requests> {
  const links = await Promise.all(
    Array.from({ length: LINKS }, (_, at) => create(quirl, { target: `https://example.com/menu/${at}` })),
  )
  const pick = (part: (link: { code: string; token: string }) => string) =>
    `({${links.map((link) => `"${part(link)}"`).join(',')}})[math.random(${LINKS})]`
  const json = (path: string, body: string) =>
    `wrk.format("POST", "${path}", {["Content-Type"] = "application/json"}, ${body})`
  const { status } = await post(`${quirl.url}/api/qr`, { data: 'warm', design: { shape: 'dots' } })
  if (status !== 200) throw new Error(`a design returned ${status}`)
  return {
    visits: `wrk.format("GET", "/" .. ${pick(({ code }) => code)})`,
    creations: json('/api/links', `'{"target":"https://example.com/menu"}'`),
    // A different image each time: a cached one is not drawn.
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

/** Creates links, and returns a wrk script that visits them in turn, each time on a new connection if `isNew`. */
export async function visitScript(quirl: Served, links: number, isNew = false): Promise<string> {
  const paths: string[] = []
  for (let at = 0; at < links; at++)
    paths.push(`/${(await create(quirl, { target: 'https://example.com/menu' })).code}?qr=1`)
  const file = join(temporaryFolder(), 'visits.lua')
  writeFileSync(
    file,
    `${isNew ? 'wrk.headers["Connection"] = "close"\n' : ''}local paths = {${paths.map((path) => `"${path}"`).join(', ')}}\nlocal at = 0
request = function() at = at % ${links} + 1 return wrk.format("GET", paths[at]) end`,
  )
  return file
}

/** Responses by status; `failed` counts broken connections and time-outs. */
export interface Responses {
  done: number
  limited: number
  refused: number
  other: number
  failed: number
}

/** The time-out of a response. */
const TIMEOUT = '10s'

/** Starts to load a service with random requests of the given kinds. */
export function load(url: string, requests: string[], connections: number, seconds: number): Promise<Responses> {
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
       print(string.format("responses %d %d %d %d %d", thread:get("done_"), thread:get("limited"), thread:get("refused"),
         thread:get("other"), e.connect + e.read + e.write + e.timeout))
     end`,
  )
  const options = ['-t1', `-c${connections}`, `-d${seconds}s`, `--timeout=${TIMEOUT}`, '-s', script, url]
  const wrk = spawn('taskset', ['-c', LOAD_CORE, 'nice', '-n10', 'wrk', ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return responsesOf(wrk)
}

async function responsesOf(wrk: ChildProcess): Promise<Responses> {
  const stop = () => void wrk.kill('SIGKILL')
  process.once('exit', stop)
  let output = ''
  wrk.stdout?.on('data', (data) => (output += String(data)))
  await new Promise((resolve, reject) => wrk.once('close', resolve).once('error', reject))
  process.off('exit', stop)
  const [, ...counts] = /responses (\d+) (\d+) (\d+) (\d+) (\d+)/.exec(output) ?? []
  if (counts.length === 0) throw new Error(`wrk failed: ${output}`)
  const [done = 0, limited = 0, refused = 0, other = 0, failed = 0] = counts.map(Number)
  return { done, limited, refused, other, failed }
}

/** Moves this process to the load's core, so that it does not share the server's. */
export function moveToLoadCore(): void {
  spawnSync('taskset', ['-acp', LOAD_CORE, String(process.pid)])
}

/** A path to probe, on an open connection or on a new one for each request. */
export interface Probe {
  path: string
  isNew: boolean
}

/** The number of connections that probes of open connections share. */
const OPEN = 32

/**
 * Sends requests at a steady pace, however long responses take, and returns the duration of each (ms), measured from
 * the time it was due: waiting for an open connection counts.
 */
export async function probe(url: string, { path, isNew }: Probe, everyMs: number, seconds: number): Promise<number[]> {
  const open = () => connect({ port: Number(new URL(url).port), host: '127.0.0.1', noDelay: true })
  const took: number[] = []
  const pending: Promise<void>[] = []
  const lanes: Promise<Socket>[] = Array.from({ length: isNew ? 0 : OPEN }, () => opened(open()))
  await Promise.all(lanes)
  for (const end = performance.now() + seconds * 1000; performance.now() < end; await sleep(everyMs)) {
    const began = performance.now()
    const send = async (socket: Socket) => {
      const isWhole = await exchange(socket, path, isNew)
      took.push(isWhole ? performance.now() - began : Number.POSITIVE_INFINITY)
      if (!isNew && isWhole) return socket
      socket.destroy()
      return isNew ? socket : opened(open())
    }
    const lane = isNew ? Promise.resolve(open()) : (lanes.shift() as Promise<Socket>)
    const sent = lane.then(send)
    if (!isNew) lanes.push(sent)
    pending.push(sent.then(() => {}))
  }
  await Promise.all(pending)
  for (const lane of lanes) (await lane).destroy()
  return took
}

function opened(socket: Socket): Promise<Socket> {
  return new Promise((resolve, reject) => socket.once('connect', () => resolve(socket)).once('error', reject))
}

/** Whether a successful response arrived completely before the connection ended. */
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
