import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, request as httpsRequest } from 'node:https'
import { once } from 'node:events'
import { join } from 'node:path'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { temporaryFolder, undoLater, type Ending } from './cleanup.ts'
import { freePort, listening } from './ports.ts'
import { run, type Running } from './processes.ts'

/** A certificate authority on loopback: Debian's pebble behind a proxy that counts requests and can fail. */
export interface TestAuthority {
  /** For `ACME_DIRECTORY`. */
  directory: string
  /** The file with the certificate of its HTTPS server, for `NODE_EXTRA_CA_CERTS`. */
  trustFile: string
  /** Its current root certificate, PEM. */
  root: () => Promise<string>
  /** The names for which certificates were ordered. */
  orders: string[]
  /** Bodies of the orders, as the client signed them. */
  orderBodies: { identifiers: { value: string }[]; replaces?: string }[]
  /** The number of accounts created. */
  accounts: number
  /** While it is down, it refuses connections; while it is stuck, it accepts orders and never responds. */
  mode: 'up' | 'down' | 'stuck'
  /** What it answers in place of pebble, by path; undefined: nothing else. */
  refuse: ((path: string) => Refusal | undefined) | undefined
  /** Renewal information (RFC 9773), which Debian's pebble does not support; undefined: not offered. */
  ari: { start: number; end: number } | undefined
  /** The identifiers whose renewal information was requested. */
  ariRequests: string[]
  /** Replaces pebble by a new one, without accounts and with another root. */
  replace: () => Promise<void>
}

/** A response with a problem of RFC 8555. */
export interface Refusal {
  status: number
  /** The last part of its type. */
  type: string
  /** In seconds. */
  retryAfter?: number
}

/** Options of pebble; see its README. */
export interface Behaviour {
  /** The port for HTTP validation. */
  httpPort: number
  /** The port for TLS-ALPN validation. */
  tlsPort?: number
  /** The percentage of valid nonces that it rejects. */
  badNonces?: number
  /** The DNS server that it queries. */
  dns: string
}

/** Starts an authority for one test. */
export async function startAuthority(t: Ending, behaviour: Behaviour): Promise<TestAuthority> {
  return startFront(t, await startPebble(t, behaviour))
}

/**
 * Creates authorities that share one pebble and one validation port: starting pebble generates two RSA keys, which can
 * take seconds. Each authority has its own records and behaviour.
 */
export function shareAuthority(end: Ending): () => Promise<SharedAuthority> {
  let shared: Promise<Omit<SharedAuthority, 'start'> & { pebble: Pebble }> | undefined
  const share = async () => {
    const [httpPort, dns] = [await freePort(), await startAuthorityDns(end)]
    return { httpPort, dns, pebble: await startPebble(end, { httpPort, dns: dns.address }) }
  }
  return async () => {
    const { pebble, ...more } = await (shared ??= share())
    return { ...more, start: (t) => startFront(t, pebble) }
  }
}

export interface SharedAuthority {
  httpPort: number
  dns: AuthorityDns
  start: (t: Ending) => Promise<TestAuthority>
}

interface Pebble {
  port: number
  managementPort: number
  own: ReturnType<typeof makeCertificate>
  /** Replaces it by a new one, without accounts and with another root. */
  replace: () => Promise<void>
}

async function startPebble(t: Ending, { httpPort, tlsPort = 1, badNonces = 5, dns }: Behaviour): Promise<Pebble> {
  const folder = temporaryFolder(t)
  const own = makeCertificate(folder)
  setDefaultCACertificates([...getCACertificates('default'), own.cert])
  const [port, managementPort] = [await freePort(), await freePort()]
  const config = join(folder, 'pebble.json')
  const settings = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${managementPort}`,
    certificate: own.certFile,
    privateKey: own.keyFile,
    httpPort,
    tlsPort,
    ocspResponderURL: '',
    externalAccountBindingRequired: false,
  }
  writeFileSync(config, JSON.stringify({ pebble: settings }))
  const env = { PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: String(badNonces), PEBBLE_AUTHZREUSE: '0' }
  const start = async () => {
    const started = run(t, 'pebble', ['-config', config, '-dnsserver', dns], env)
    await listening(port, started.ended)
    await listening(managementPort, started.ended)
    return started
  }
  let pebble: Running = await start()
  const replace = async () => {
    await pebble.stop()
    pebble = await start()
  }
  return { port, managementPort, own, replace }
}

async function startFront(t: Ending, { port, managementPort, own, replace }: Pebble): Promise<TestAuthority> {
  const state: TestAuthority = {
    directory: '',
    trustFile: own.certFile,
    orders: [],
    orderBodies: [],
    accounts: 0,
    mode: 'up',
    refuse: undefined,
    ari: undefined,
    ariRequests: [],
    root: async () => (await forward(managementPort, '/roots/0')).body.toString('utf8'),
    replace,
  }
  const front = createServer({ key: own.key, cert: own.cert }, (request, response) => {
    void answer(state, port, request, response).catch(() => response.destroy())
  })
  front.on('connection', (socket) => state.mode === 'down' && socket.destroy())
  front.listen(0, '127.0.0.1')
  await once(front, 'listening')
  undoLater(t, () => {
    front.closeAllConnections()
    front.close()
  })
  state.directory = `https://localhost:${(front.address() as AddressInfo).port}/dir`
  return state
}

/** Forwards a request to pebble under the name that the client used, so that signed addresses stay valid. */
async function answer(
  state: TestAuthority,
  port: number,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { url = '', method = 'GET', headers } = request
  const body = await buffer(request)
  if (state.mode === 'down') return void response.destroy()
  const refusal = state.refuse?.(url)
  if (refusal !== undefined) return refuse(response, refusal)
  const renewal = /^\/renewal-info\/(.*)$/.exec(url)
  if (renewal !== null && state.ari !== undefined) {
    state.ariRequests.push(renewal[1] ?? '')
    const { start, end } = state.ari
    const window = { start: new Date(start).toISOString(), end: new Date(end).toISOString() }
    response.writeHead(200, { 'content-type': 'application/json', 'retry-after': '3600' })
    return void response.end(JSON.stringify({ suggestedWindow: window }))
  }
  const { status, headers: answered, body: text } = await forward(port, url, { method, headers, body })
  if (url === '/sign-me-up' && status < 300) state.accounts++
  if (url === '/order-plz' && status < 300) {
    const { payload } = JSON.parse(body.toString()) as { payload: string }
    const order = JSON.parse(Buffer.from(payload, 'base64url').toString()) as TestAuthority['orderBodies'][number]
    state.orderBodies.push(order)
    state.orders.push(order.identifiers[0]?.value ?? '')
    if (state.mode === 'stuck') return
  }
  const isDirectory = url === '/dir' && state.ari !== undefined
  const offered = isDirectory
    ? JSON.stringify({ ...JSON.parse(text.toString()), renewalInfo: `https://${headers.host}/renewal-info` })
    : text
  delete answered['content-length']
  response.writeHead(status, answered).end(offered)
}

function refuse(response: ServerResponse, { status, type, retryAfter }: Refusal): void {
  const headers = { 'content-type': 'application/problem+json', 'replay-nonce': randomUUID() }
  response.writeHead(status, retryAfter === undefined ? headers : { ...headers, 'retry-after': String(retryAfter) })
  response.end(JSON.stringify({ type: `urn:ietf:params:acme:error:${type}`, detail: 'the test refuses it' }))
}

function forward(
  port: number,
  path: string,
  more: { method?: string; headers?: IncomingMessage['headers']; body?: Buffer } = {},
): Promise<{ status: number; headers: IncomingMessage['headers']; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const { method = 'GET', headers = {}, body } = more
    const forwarded = httpsRequest({ host: 'localhost', port, path, method, headers, agent: false }, (response) => {
      buffer(response).then(
        (answered) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: answered }),
        reject,
      )
    })
    forwarded.on('error', reject)
    forwarded.end(body)
  })
}

/** Creates a self-signed certificate for localhost. */
function makeCertificate(folder: string): { key: string; cert: string; keyFile: string; certFile: string } {
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const args = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=test'.split(' ')
  const made = spawnSync(
    'openssl',
    [...args, '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1', '-keyout', keyFile, '-out', certFile],
    { encoding: 'utf8' },
  )
  if (made.status !== 0) throw new Error(made.stderr)
  return { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certFile, 'utf8'), keyFile, certFile }
}

export interface AuthorityDns {
  address: string
  set: (path: string, body: object) => Promise<void>
}

/** Starts Debian's pebble-challtestsrv as the DNS server of the authority: every name resolves to loopback. */
export async function startAuthorityDns(t: Ending): Promise<AuthorityDns> {
  const [port, management] = [await freePort(), await freePort()]
  const off = ['-http01', '', '-https01', '', '-tlsalpn01', '', '-defaultIPv6', '']
  const server = run(t, 'pebble-challtestsrv', [
    '-dns01',
    `127.0.0.1:${port}`,
    '-management',
    `127.0.0.1:${management}`,
    ...off,
  ])
  await listening(management, server.ended)
  return {
    address: `127.0.0.1:${port}`,
    async set(path, body) {
      const response = await fetch(`http://127.0.0.1:${management}/${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
      })
      if (!response.ok) throw new Error(`${path}: ${response.status}`)
    },
  }
}
