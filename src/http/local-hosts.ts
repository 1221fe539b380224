import type { NetworkInterfaceInfo } from 'node:os'
import { isLoopback, isUnspecified } from '../lib/host.ts'

/** How long the addresses of this machine are taken for what they were, in milliseconds. */
const FRESH_MS = 5000

/** What the system says of this machine, as `node:os` has it. */
export interface Machine {
  networkInterfaces: () => NodeJS.Dict<NetworkInterfaceInfo[]>
  hostname: () => string
}

/** The hosts, as WHATWG writes them, by which this machine itself is reached. */
export interface LocalHosts {
  has: (host: string) => boolean
  /** Those by which what listens at `listening` is reached, an address or a name: from this machine first. */
  of: (listening: string) => string[]
}

interface Known {
  readAt: number
  addresses: string[]
  names: string[]
  all: Set<string>
}

export function createLocalHosts({ networkInterfaces, hostname }: Machine, monotonic: () => number): LocalHosts {
  let known: Known | undefined

  function read(): Known {
    if (known !== undefined && monotonic() - known.readAt < FRESH_MS) return known
    const found = Object.values(orNothing(networkInterfaces, {})).flatMap((each) => each ?? [])
    const addresses = found.map(({ address }) => hostOf(address)).filter((host) => host !== undefined)
    const names = namesOf(orNothing(hostname, ''))
    known = { readAt: monotonic(), addresses, names, all: new Set([...addresses, ...names]) }
    return known
  }

  return {
    has: (host) => isLoopback(host) || read().all.has(host),
    of(listening) {
      const one = hostOf(listening) ?? listening
      if (!isUnspecified(one)) return [isLoopback(one) ? 'localhost' : one]
      const { addresses, names } = read()
      // A link-local address means nothing without the zone, which no URL can hold.
      const isUsable = (host: string) => !isLoopback(host) && !/^\[fe[89ab]/.test(host)
      const isTaken = (host: string) => one === '[::]' || !host.startsWith('[')
      return [
        ...new Set(['localhost', ...addresses.filter((host) => isUsable(host) && isTaken(host)), ...names.slice(0, 1)]),
      ]
    },
  }
}

/** A process that may not ask the system (RestrictAddressFamilies= of systemd, say) goes without. */
function orNothing<T>(ask: () => T, nothing: T): T {
  try {
    return ask()
  } catch {
    return nothing
  }
}

/** An address as a URL has it; a zone is no part of it. */
function hostOf(address: string): string | undefined {
  const [text = ''] = address.split('%', 1)
  return URL.parse(`http://${text.includes(':') ? `[${text}]` : text}`)?.hostname
}

/** The machine's own name, and the one that others on its network find it by without a DNS server (RFC 6762). */
function namesOf(hostname: string): string[] {
  const name = URL.parse(`http://${hostname}`)?.hostname.replace(/\.$/, '')
  if (name === undefined || name === '' || isLoopback(name)) return []
  return [name, `${name.split('.', 1)[0]}.local`]
}
