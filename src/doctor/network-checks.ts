import { connect, createServer } from 'node:net'
import type { NetworkInterfaceInfo } from 'node:os'
import ipaddr from 'ipaddr.js'
import { INSTANCE_HEADER } from '../http/health.ts'
import { isLoopback, isUnspecified } from '../lib/host.ts'
import { fault, ok, warning, type Check, type Result } from './finding.ts'
import { reasonOf } from '../lib/reason-of.ts'
import type { ProxiesResult, ServiceState } from './operator.ts'
import type { CheckedSettings } from './settings.ts'

/** Above this, times in responses and on pages are wrong for people. */
const SKEW_MS = 5000

/** The world outside, which tests replace. */
export interface World {
  /** The addresses of a name, as the system resolves them. */
  lookup: (host: string) => Promise<string[]>
  networkInterfaces: () => NodeJS.Dict<NetworkInterfaceInfo[]>
  now: () => number
}

/** What these checks look at. */
export interface NetworkSubject extends World {
  settings: CheckedSettings
  service: ServiceState | undefined
  /** What the service has seen of proxies, to be asked after a request by way of `BASE_URL`. */
  proxies: () => Promise<ProxiesResult>
}

export function networkChecks(subject: NetworkSubject): Check[] {
  const { settings, service } = subject
  return [
    { name: 'address', run: () => checkAddress(subject) },
    ...portsOf(settings).map(([name, port]) => ({
      name,
      run: (signal: AbortSignal) =>
        service === undefined ? checkFree(settings, port) : checkListening(settings.host, port, signal),
    })),
    { name: 'BASE_URL', run: (signal) => checkAnswer(subject, signal) },
  ]
}

async function checkAddress(subject: NetworkSubject): Promise<Result[]> {
  const { settings, service, lookup, networkInterfaces } = subject
  const { baseUrl } = settings
  if (baseUrl === null) return [unsetAddress(service?.foreignHost ?? null)]
  const host = new URL(baseUrl).hostname.replace(/^\[|\]$/g, '')
  if (isLoopback(host)) return [warning(`BASE_URL=${baseUrl} can be reached from this machine only`)]
  let found: string[]
  try {
    found = ipaddr.isValid(host) ? [host] : await lookup(host)
  } catch (error) {
    return [fault(`${host} does not resolve (${reasonOf(error)}): create its A or AAAA record, or correct BASE_URL`)]
  }
  if (found.length === 0) return [fault(`${host} has no address: create its A or AAAA record`)]
  const own = new Set(Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address)))
  const listed = found.slice(0, 4).join(', ')
  if (found.some((address) => own.has(address))) return [ok(`${host} resolves to this machine: ${listed}`)]
  const isPrivate = found.every((address) => ipaddr.process(address).range() !== 'unicast')
  if (isPrivate) return [warning(`${host} resolves to ${listed}, which the internet cannot reach`)]
  return [ok(`${host} resolves to ${listed}, no address of this machine: a proxy, a balancer or a router, presumably`)]
}

function unsetAddress(foreignHost: string | null): Result {
  const text = 'BASE_URL is unset: printed codes would lead to localhost; set the public address'
  if (foreignHost === null) return warning(text)
  return warning(`${text}. A client has come by way of ${foreignHost}, and was given URLs of localhost`)
}

/** The ports on which the service listens, by the name of their check. */
function portsOf({ tls, port, httpPort, httpsPort }: CheckedSettings): [name: string, port: number][] {
  const ports: [string, number][] = tls
    ? [
        ['HTTP_PORT', httpPort],
        ['HTTPS_PORT', httpsPort],
      ]
    : [['PORT', port]]
  // Any free one: it cannot be known here.
  return ports.filter(([, each]) => each !== 0)
}

function checkListening(host: string, port: number, signal: AbortSignal): Promise<Result[]> {
  const to = isUnspecified(host.includes(':') ? `[${host}]` : host) ? (host.includes(':') ? '::1' : '127.0.0.1') : host
  return new Promise((resolve) => {
    const socket = connect({ host: to, port, signal })
    socket.once('connect', () => resolve([ok(`the service listens on ${port}`)]))
    socket.once('error', (error) =>
      resolve([
        fault(
          `nothing answers on ${to}:${port} (${reasonOf(error)}): the service listens elsewhere, or a firewall is between`,
        ),
      ]),
    )
    socket.once('close', () => socket.destroy())
    socket.once('connect', () => socket.end())
  })
}

/** Listens for a moment. */
function checkFree({ host, reusePort }: CheckedSettings, port: number): Promise<Result[]> {
  const advice: Record<string, string> = {
    EACCES: 'the user may not listen on ports below 1024: run it with CAP_NET_BIND_SERVICE, as deploy/systemd does',
    EADDRINUSE: `another program listens there: "ss -ltnp" names it`,
    EADDRNOTAVAIL: `HOST=${host} is no address of this machine`,
    ENOTFOUND: `HOST=${host} does not resolve`,
  }
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = advice[error.code ?? ''] ?? reasonOf(error)
      resolve([fault(`${host}:${port} cannot be listened on: ${reason}`)])
    })
    server.listen({ host, port, reusePort }, () => server.close(() => resolve([ok(`${port} is free`)])))
  })
}

/** Asks the service by its public address, then what it has seen of proxies, and compares the clocks. */
async function checkAnswer(subject: NetworkSubject, signal: AbortSignal): Promise<Result[]> {
  const { settings, service, now } = subject
  const { baseUrl } = settings
  if (service === undefined) return []
  // Without an address there is nothing to ask, but a proxy may have been seen.
  if (baseUrl === null)
    return checkProxies(settings, await subject.proxies()).filter(({ verdict }) => verdict === 'warning')
  const response = await fetch(`${baseUrl}/healthz`, {
    signal,
    redirect: 'manual',
    headers: { 'cache-control': 'no-cache' },
  }).catch((error: unknown) => reasonOf(error))
  if (typeof response === 'string') {
    const hint =
      'check DNS, firewall, proxy and certificate; a router may also refuse its own public address from inside'
    return [fault(`${baseUrl} cannot be reached from here (${response}): ${hint}`)]
  }
  await response.body?.cancel()
  const instance = response.headers.get(INSTANCE_HEADER)
  if (instance === null) {
    return [
      fault(`${baseUrl}/healthz is answered by something else (status ${response.status}): lead it to this service`),
    ]
  }
  if (instance !== service.instance)
    return [fault(`${baseUrl} leads to another quirl, with other links: correct DNS or proxy`)]
  return [
    ok(`${baseUrl} leads to this service`),
    ...checkProxies(settings, await subject.proxies()),
    ...checkDate(response.headers.get('date'), now()),
  ]
}

function checkProxies({ trustsProxies }: CheckedSettings, { ignored, isSeen }: ProxiesResult): Result[] {
  if (ignored !== null) {
    return [
      warning(
        `X-Forwarded-For from ${ignored} is ignored, so that all its visitors count as one: if it is your proxy, add it to TRUST_PROXY`,
      ),
    ]
  }
  if (trustsProxies && !isSeen) {
    return [
      warning(
        'TRUST_PROXY is set, and no proxy in it has forwarded a request since the start: check its addresses, or unset it',
      ),
    ]
  }
  return [
    ok(trustsProxies ? 'requests come through a proxy of TRUST_PROXY' : 'no proxy of a private network is in between'),
  ]
}

/** The response may be that of a proxy on another machine, whose clock is another one. */
function checkDate(date: string | null, now: number): Result[] {
  const at = Date.parse(date ?? '')
  // The header has whole seconds.
  const ahead = Math.round((at + 500 - now) / 1000)
  if (Number.isNaN(at) || Math.abs(ahead * 1000) <= SKEW_MS) return []
  return [
    warning(
      `the clock of what answers BASE_URL is ${Math.abs(ahead)} seconds ${ahead > 0 ? 'ahead' : 'behind'}: synchronize both by NTP`,
    ),
  ]
}
