import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'

/** The longest chain of CNAME records that is followed, as recursive resolvers bound it themselves. */
const MAX_CHAIN = 8

/** One question's patience in milliseconds, how often it is asked, and the patience of a whole check. */
const QUERY_MS = 2000
const TRIES = 2
const CHECK_MS = 10_000

/** Why a name does not lead to the service. `code` is a stable word, `detail` a sentence for the owner. */
export interface DnsFault {
  code:
    | 'nxdomain'
    | 'no_records'
    | 'points_elsewhere'
    | 'cname_loop'
    | 'cname_chain_too_long'
    | 'servfail'
    | 'timeout'
    | 'dns_error'
    | 'service_unresolved'
    | 'too_many_active'
  detail: string
}

/** Faults that say nothing about what the owner has set: the servers did not answer, or not well. */
export function isPassing(fault: DnsFault): boolean {
  return ['servfail', 'timeout', 'dns_error', 'service_unresolved'].includes(fault.code)
}

/** Reads a comma-separated list of servers, each an address with or without a port; undefined when one is not. */
export function parseServers(text: string): string[] | undefined {
  const servers = text.split(',').map((part) => part.trim())
  const isServer = (server: string) => {
    const found = /^(?:\[([^\]]+)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(server)
    const [, six, four, port = '53'] = found ?? [server, server]
    return isIP(six ?? four ?? '') !== 0 && Number(port) >= 1 && Number(port) <= 65_535
  }
  return servers.every(isServer) ? servers : undefined
}

/** Finds out whether names lead to the service. */
export interface DnsCheck {
  /** Undefined when the name leads here. Never throws; takes at most 10 seconds. */
  faultOf: (name: string) => Promise<DnsFault | undefined>
  /** The addresses of the service itself; none while they cannot be found. Never throws. */
  serviceAddresses: () => Promise<string[]>
}

/**
 * Follows a name's CNAME records to the service's host, else compares addresses: providers flatten the CNAME of an
 * apex, and of other names too.
 * @param host the service's own host: a name, or an address
 * @param servers asked instead of the system's; `address` or `address:port`
 */
export function createDnsCheck(host: string, servers: string[] | undefined): DnsCheck {
  const own = host.replace(/^\[|\]$/g, '')

  /** A resolver for one check, so that the check can be ended without ending others. */
  async function within<T>(work: (resolver: Resolver) => Promise<T>): Promise<T> {
    const resolver = new Resolver({ timeout: QUERY_MS, tries: TRIES })
    if (servers !== undefined) resolver.setServers(servers)
    const deadline = setTimeout(() => resolver.cancel(), CHECK_MS)
    try {
      return await work(resolver)
    } finally {
      clearTimeout(deadline)
    }
  }

  return {
    faultOf: (name) =>
      within((resolver) => findFault(resolver, name, own)).catch((error: unknown) => explain(error, name)),
    serviceAddresses: () =>
      within(async (resolver) => (await addressesOf(resolver, own)).map(({ address }) => address)).catch(() => []),
  }
}

async function findFault(resolver: Resolver, name: string, own: string): Promise<DnsFault | undefined> {
  const chain = [name]
  for (;;) {
    const end = chain.at(-1) ?? name
    if (end === own) return undefined
    const next = await cnameOf(resolver, end)
    if (next === undefined) return addressFault(resolver, chain, own)
    if (chain.includes(next)) {
      return {
        code: 'cname_loop',
        detail: `the CNAME records of ${name} lead in a circle: ${[...chain, next].join(' → ')}`,
      }
    }
    if (chain.length > MAX_CHAIN) {
      return {
        code: 'cname_chain_too_long',
        detail: `more than ${MAX_CHAIN} CNAME records follow each other from ${name} on`,
      }
    }
    chain.push(next)
  }
}

async function addressFault(resolver: Resolver, chain: string[], own: string): Promise<DnsFault | undefined> {
  const [name = ''] = chain
  const end = chain.at(-1) ?? name
  const path = chain.length > 1 ? `${chain.join(' → ')}, which` : name
  const found = await addressesOf(resolver, end)
  if (found.length === 0) {
    return { code: 'no_records', detail: `${path} has no CNAME, A or AAAA record` }
  }
  const service = await addressesOf(resolver, own).catch(() => [])
  if (service.length === 0) {
    return {
      code: 'service_unresolved',
      detail: `${path} has addresses, and those of the service's host ${own} cannot be found to compare them with`,
    }
  }
  // A visitor or a certificate authority takes either family: each that is there must lead here.
  for (const type of ['A', 'AAAA'] as const) {
    const mine = found.filter((each) => each.type === type).map(({ address }) => address)
    if (mine.length > 0 && !mine.some((address) => service.some((each) => each.address === address))) {
      const detail = `${path} points to ${mine.join(', ')} (${type}), which is not the service: it must be a CNAME to ${own}`
      return { code: 'points_elsewhere', detail }
    }
  }
  return undefined
}

async function cnameOf(resolver: Resolver, name: string): Promise<string | undefined> {
  const [target] = await orNone(resolver.resolveCname(name), name)
  return target?.replace(/\.$/, '').toLowerCase()
}

interface Address {
  type: 'A' | 'AAAA'
  address: string
}

async function addressesOf(resolver: Resolver, name: string): Promise<Address[]> {
  if (isIP(name) !== 0) return [{ type: isIP(name) === 4 ? 'A' : 'AAAA', address: name }]
  const [four, six] = await Promise.all([orNone(resolver.resolve4(name), name), orNone(resolver.resolve6(name), name)])
  return [
    ...four.map((address) => ({ type: 'A' as const, address })),
    // One spelling of each address, whatever the library writes.
    ...six.map((address) => ({ type: 'AAAA' as const, address: new URL(`http://[${address}]`).hostname.slice(1, -1) })),
  ]
}

/** A failed question, with the name that was asked for. */
class DnsError extends Error {
  readonly code: string
  readonly asked: string

  constructor(asked: string, cause: unknown) {
    super(`DNS: ${asked}`, { cause })
    this.asked = asked
    this.code = (cause as { code?: string }).code ?? 'unknown'
  }
}

/** The name exists and has no record of that type: not a fault by itself. */
async function orNone(answer: Promise<string[]>, asked: string): Promise<string[]> {
  try {
    return await answer
  } catch (error) {
    if ((error as { code?: string }).code === 'ENODATA') return []
    throw new DnsError(asked, error)
  }
}

function explain(error: unknown, name: string): DnsFault {
  if (!(error instanceof DnsError)) throw error
  const { asked } = error
  const led = asked === name ? asked : `${asked}, to which ${name} leads,`
  switch (error.code) {
    case 'ENOTFOUND':
      return { code: 'nxdomain', detail: `${led} does not exist in DNS (NXDOMAIN)` }
    case 'ESERVFAIL':
      return { code: 'servfail', detail: `the DNS servers of ${asked} answer with a failure (SERVFAIL)` }
    case 'ETIMEOUT':
    case 'ECANCELLED':
    case 'ECONNREFUSED':
      return { code: 'timeout', detail: `no DNS server has answered for ${asked} in time` }
    default:
      return { code: 'dns_error', detail: `the DNS answer for ${asked} cannot be used (${error.code})` }
  }
}
