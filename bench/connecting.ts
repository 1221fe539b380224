// A client that opens a new connection for each visit, and prints what they took from the first packet to the last, as JSON:
// `connecting.ts '{"port":…,"path":…,"name":…,"isSecure":…,"resumes":…,"seconds":…,"atOnce":…}'`, or `"visits"` in place of `"atOnce"`.
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectSecurely, type TLSSocket } from 'node:tls'
import { percentile } from './load.ts'

/** What is asked for, and how. */
export interface Visits {
  port: number
  path: string
  /** The server name and host. */
  name: string
  isSecure: boolean
  /** Whether a handshake resumes the session of an earlier one. */
  resumes: boolean
  seconds: number
  /** How many there are at a time, each after the one before, as many as the seconds allow. */
  atOnce?: number
  /** How many begin in these seconds, whether those before are answered or not. */
  visits?: number
}

/** What became of them. Durations are in milliseconds. */
export interface Visited {
  /** Those that were answered, without the first ones. */
  visits: number
  /** Those that were answered before the time began. */
  first: number
  perSecond: number
  withinSecond: number
  failed: number
  resumed: number
  p50: number
  p99: number
}

const { port, path, name, isSecure, resumes, seconds, atOnce, visits } = JSON.parse(process.argv[2] ?? '') as Visits
const request = `GET ${path} HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`
const took: number[] = []
let [failed, resumed] = [0, 0]
let session: Buffer | undefined

function open() {
  if (!isSecure) return connect({ port, host: '127.0.0.1', noDelay: true })
  const resumed = session === undefined ? {} : { session }
  const socket = connectSecurely({ port, host: '127.0.0.1', servername: name, rejectUnauthorized: false, ...resumed })
  if (resumes) socket.on('session', (given: Buffer) => (session = given))
  return socket
}

async function visit(): Promise<void> {
  const began = performance.now()
  const socket = open()
  let answer = ''
  socket.on('data', (data: Buffer) => (answer += data.toString('latin1'))).on('error', () => {})
  socket.write(request)
  if (resumes) socket.once('secureConnect', () => (resumed += Number((socket as TLSSocket).isSessionReused())))
  await new Promise((resolve) => socket.once('close', resolve))
  if (answer.startsWith('HTTP/1.1 302')) took.push(performance.now() - began)
  else failed++
}

async function visitInTurn(until: number): Promise<void> {
  while (performance.now() < until) await visit()
}

async function visitSteadily(count: number, began: number): Promise<void> {
  const open: Promise<void>[] = []
  while (open.length < count) {
    const due = Math.min(count, Math.ceil(((performance.now() - began) / (seconds * 1000)) * count))
    while (open.length < due) open.push(visit())
    await sleep(1)
  }
  await Promise.all(open)
}

// The first makes the session, and the others let the compiler see the code.
const FIRST = 20
for (let first = 0; first < FIRST; first++) await visit()
took.length = 0
failed = resumed = 0
const began = performance.now()
if (visits !== undefined) await visitSteadily(visits, began)
else await Promise.all(Array.from({ length: atOnce ?? 1 }, () => visitInTurn(began + seconds * 1000)))
const visited: Visited = {
  visits: took.length,
  first: FIRST,
  perSecond: took.length / ((performance.now() - began) / 1000),
  withinSecond: took.filter((ms) => ms <= 1000).length,
  failed,
  resumed,
  p50: percentile(took, 0.5),
  p99: percentile(took, 0.99),
}
console.log(JSON.stringify(visited))
