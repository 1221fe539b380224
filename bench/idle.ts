// Claim: a phone that stays connected after its visit costs as much memory as in bare node:http and node:https, and ten thousand do not
// end the process. Connections come from 200 addresses, and rest; the figures are from the moment when the last one has been answered.
import { connect, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import { connectTo, NAME, startBare, startQuirl, startSecureQuirl, stopAll, type Answerer } from './answerers.ts'
import { moveToLoadCore } from './load.ts'
import { describeMachine } from './peers/machine.ts'
import { residentMemory } from './processors.ts'
import { printTable } from './support.ts'

const CONNECTIONS = Number(process.env['CONNECTIONS'] ?? 10_000)
/** Handshakes at a time. */
const AT_ONCE = 50
/** Addresses on loopback from which connections come, each of a network of its own. */
const NETWORKS = 200
const WARM_UP = 3_000

const rows: Record<string, string | number>[] = []

async function measure(to: Answerer): Promise<void> {
  // As in a service that runs for a while: the compiler has seen the code, and memory that garbage needs is taken.
  await connectTo(to, { resumes: false, seconds: 2, visits: WARM_UP })
  const [pid = 0] = to.pids
  const before = residentMemory(pid)
  const began = performance.now()
  const sockets: Socket[] = []
  await Promise.all(Array.from({ length: AT_ONCE }, (_, first) => openInTurn(to, first, sockets)))
  const after = residentMemory(pid)
  const open = sockets.filter((socket) => !socket.destroyed && !socket.readableEnded).length
  rows.push({
    server: to.name,
    by: to.isSecure ? 'TLS' : 'TCP',
    opened: sockets.length,
    'still open': open,
    seconds: ((performance.now() - began) / 1000).toFixed(1),
    'MiB before': before.toFixed(0),
    'MiB with them': after.toFixed(0),
    'KiB each': (((after - before) * 1024) / open).toFixed(1),
  })
  for (const socket of sockets) socket.destroy()
}

async function openInTurn(to: Answerer, first: number, sockets: Socket[]): Promise<void> {
  for (let at = first; at < CONNECTIONS; at += AT_ONCE) sockets.push(await visit(to, at))
}

/** Visits on a new connection, which stays open. */
async function visit({ port, path, isSecure }: Answerer, at: number): Promise<Socket> {
  const from = { port, host: '127.0.0.1', localAddress: `127.0.${at % NETWORKS}.2`, noDelay: true }
  const socket = isSecure ? connectSecurely({ ...from, servername: NAME, rejectUnauthorized: false }) : connect(from)
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${NAME}\r\n\r\n`)
  await new Promise<void>((resolve, reject) => socket.once('data', () => resolve()).once('error', reject))
  // A connection that the server ends is no error.
  socket.on('error', () => {})
  return socket
}

console.log(describeMachine())
moveToLoadCore()
for (const start of [() => startBare(false), startQuirl, () => startBare(true), startSecureQuirl])
  await measure(await start())
await stopAll()
printTable(`${CONNECTIONS} connections that rest after a visit`, rows)
process.exit()
