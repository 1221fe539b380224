// A client that opens a new connection for each visit, some at a time, for some seconds, and prints what they took from the first
// packet to the last, as JSON: `connecting.ts '{"port":…,"path":…,"name":…,"isSecure":…,"resumes":…,"atOnce":…,"seconds":…}'`.
import { once } from 'node:events'
import { connect } from 'node:net'
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
  atOnce: number
  seconds: number
}

/** Durations in milliseconds. */
export interface Visited {
  visits: number
  perSecond: number
  failed: number
  resumed: number
  p50: number
  p99: number
}

const { port, path, name, isSecure, resumes, atOnce, seconds } = JSON.parse(process.argv[2] ?? '') as Visits
const request = `GET ${path} HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`
const took: number[] = []
let [failed, resumed] = [0, 0]
let session: Buffer | undefined

function open() {
  if (!isSecure) return connect({ port, host: '127.0.0.1', noDelay: true })
  const socket = connectSecurely({
    port,
    host: '127.0.0.1',
    servername: name,
    rejectUnauthorized: false,
    ...(session !== undefined && { session }),
  })
  if (resumes) socket.on('session', (given: Buffer) => (session = given))
  return socket
}

async function visit(): Promise<void> {
  const began = performance.now()
  const socket = open()
  let answer = ''
  socket.on('data', (data: Buffer) => (answer += data.toString('latin1'))).on('error', () => {})
  socket.write(request)
  if (isSecure && resumes)
    socket.once('secureConnect', () => (resumed += Number((socket as TLSSocket).isSessionReused())))
  await once(socket, 'close')
  if (answer.startsWith('HTTP/1.1 302')) took.push(performance.now() - began)
  else failed++
}

async function lane(until: number): Promise<void> {
  while (performance.now() < until) await visit()
}

if (resumes) await visit()
;[took.length, resumed] = [0, 0]
const began = performance.now()
await Promise.all(Array.from({ length: atOnce }, () => lane(began + seconds * 1000)))
const visited: Visited = {
  visits: took.length,
  perSecond: took.length / ((performance.now() - began) / 1000),
  failed,
  resumed,
  p50: percentile(took, 0.5),
  p99: percentile(took, 0.99),
}
console.log(JSON.stringify(visited))
