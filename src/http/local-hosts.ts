import type { NetworkInterfaceInfo } from 'node:os'
import { isLoopback, isUnspecified } from '../lib/host.ts'

/** How long the addresses of this machine are cached, in milliseconds. */
const CACHE_MS = 5000

/** The part of `node:os` that describes this machine. */
export interface Machine {
  networkInterfaces: () => NodeJS.Dict<NetworkInterfaceInfo[]>
  hostname: () => string
}

/** The hosts, in WHATWG notation, that reach this machine. */
export interface LocalHosts {
  has: (host: string) => boolean
  /** The hosts that reach a server listening at `listening`, an address or a name: first the one for this machine. */
  of: (listening: string) => string[]
}

interface Hosts {
  readAt: number
  addresses: string[]
  names: string[]
  all: Set<string>
}

export function createLocalHosts({ networkInterfaces, hostname }: Machine, monotonic: () => number): LocalHosts {
  let cached: Hosts | undefined

  function read(): Hosts {
    if (cached !== undefined && monotonic() - cached.readAt < CACHE_MS) return cached
    const interfaces = Object.values(orDefault(networkInterfaces, {})).flatMap((each) => each ?? [])
    const addresses = interfaces.map(({ address }) => hostOf(address)).filter((host) => host !== undefined)
    const names = namesOf(orDefault(hostname, ''))
    cached = { readAt: monotonic(), addresses, names, all: new Set([...addresses, ...names]) }
    return cached
  }

  return {
    has: (host) => isLoopback(host) || read().all.has(host),
    of(listening) {
      const one = hostOf(listening) ?? listening
      if (!isUnspecified(one)) return [isLoopback(one) ? 'localhost' : one]
      const { addresses, names } = read()
      // A link-local address needs its zone, which a URL cannot hold.
      const isUsable = (host: string) => !isLoopback(host) && !/^\[fe[89ab]/.test(host)
      const isOfFamily = (host: string) => one === '[::]' || !host.startsWith('[')
      const reachable = addresses.filter((host) => isUsable(host) && isOfFamily(host))
      return [...new Set(['localhost', ...reachable, ...names.slice(0, 1)])]
    },
  }
}

/** A sandbox (such as systemd's RestrictAddressFamilies=) may forbid the system call. */
function orDefault<T>(read: () => T, fallback: T): T {
  try {
    return read()
  } catch {
    return fallback
  }
}

/** An address in the notation of URLs, without its zone. */
function hostOf(address: string): string | undefined {
  const [text = ''] = address.split('%', 1)
  return URL.parse(`http://${text.includes(':') ? `[${text}]` : text}`)?.hostname
}

/** The machine's host name, and its mDNS name (RFC 6762), which works on its network without a DNS server. */
function namesOf(hostname: string): string[] {
  const name = URL.parse(`http://${hostname}`)?.hostname.replace(/\.$/, '')
  if (name === undefined || name === '' || isLoopback(name)) return []
  return [name, `${name.split('.', 1)[0]}.local`]
}
