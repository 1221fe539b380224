import { isIP } from 'node:net'
import { isLoopback, isUnspecified } from '../lib/host.ts'
import { memoizeFor } from '../lib/memoize-for.ts'
import { claimRecord, isProof } from './claim.ts'
import { createQuery, DnsError, type Address, type Questions } from './dns-query.ts'
import { isUnder, type DomainName } from './name.ts'

/** The longest chain of CNAME records that is followed, as recursive resolvers bound it themselves. */
const MAX_CHAIN = 8

/** Addresses that a fault lists, and claims that are read of one name. */
const MAX_LISTED = 5
const MAX_PROOFS = 20

/** The service's own addresses are looked up at most once in this time, however many ask for them. */
const OWN_MS = 10_000

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
    | 'no_public_name'
    | 'own_name'
    | 'too_many_active'
  detail: string
}

/** Faults that say nothing about what the owner has set: the servers did not answer well, or it is the service's own. */
export function isPassing(fault: DnsFault): boolean {
  return ['servfail', 'timeout', 'dns_error', 'service_unresolved', 'no_public_name'].includes(fault.code)
}

/** Finds out whether names lead to the service. */
export interface DnsCheck {
  /** Why the name cannot lead here whatever its DNS says; undefined when its DNS decides. */
  standingFault: (name: DomainName) => DnsFault | undefined
  /** Undefined when the name leads here. Never throws; takes at most 10 seconds, or 20 when addresses are compared. */
  faultOf: (name: DomainName) => Promise<DnsFault | undefined>
  /** The proofs of claims that stand in the name's DNS; none while its servers do not answer. Never throws. */
  proofsOf: (name: string) => Promise<string[]>
  /** The addresses of the service itself; none while they cannot be found. Never throws. */
  serviceAddresses: () => Promise<string[]>
}

interface DnsDeps {
  /** The service's own host: a name, or an address; undefined while it has none that others can reach. */
  host: string | undefined
  /** Asked instead of the system's; `address` or `address:port`. */
  servers: string[] | undefined
  monotonic: () => number
  /** How long a server may take to answer a question, if not the usual time. */
  queryMs?: number
}

/**
 * Follows a name's CNAME records to the service's host. Only a domain itself, which can have no CNAME, may have the
 * service's addresses instead: one address can be that of many sites, and says little about what a name is meant for.
 */
export function createDnsCheck({ host, servers, monotonic, queryMs }: DnsDeps): DnsCheck {
  const own = host?.replace(/^\[|\]$/g, '')
  const query = createQuery(servers, queryMs)
  const serviceAddresses = memoizeFor(OWN_MS, monotonic, async () => {
    const found = own === undefined ? [] : await query(({ addressesOf }) => addressesOf(own)).catch(() => [])
    return found.map(({ address }) => address).filter(isReachable)
  })
  const standingFault = (name: DomainName) => ownFault(name, own)
  return {
    standingFault,
    serviceAddresses,
    async faultOf(name) {
      if (own === undefined) return standingFault(name)
      const follow = (ask: Questions) => findFault(ask, name, own, serviceAddresses)
      return standingFault(name) ?? query(follow).catch((error: unknown) => explain(error, name.name))
    },
    async proofsOf(name) {
      const texts = await query(({ textsOf }) => textsOf(claimRecord(name))).catch(() => [])
      return texts.filter(isProof).slice(0, MAX_PROOFS)
    },
  }
}

/** Whether an address can be that of a service which others reach: many names lead to loopback addresses. */
function isReachable(address: string): boolean {
  const host = address.includes(':') ? `[${address}]` : address
  return !isLoopback(host) && !isUnspecified(host)
}

function ownFault({ name, registrable }: DomainName, own: string | undefined): DnsFault | undefined {
  if (own === undefined) {
    const detail = 'this service has no public name yet: no name can lead here until its operator has set BASE_URL'
    return { code: 'no_public_name', detail }
  }
  if (isUnder(name, own)) return { code: 'own_name', detail: `${name} is the service's own host, or a name under it` }
  if (isIP(own) === 0 || name === registrable) return undefined
  return {
    code: 'no_public_name',
    detail: `this service has no public name yet, only the address ${own}: a domain itself can lead there, other names need a CNAME`,
  }
}

async function findFault(
  ask: Questions,
  { name, registrable }: DomainName,
  own: string,
  serviceAddresses: () => Promise<string[]>,
): Promise<DnsFault | undefined> {
  const chain = [name]
  for (;;) {
    const end = chain.at(-1) ?? name
    if (end === own) return undefined
    const next = await ask.cnameOf(end)
    if (next === undefined) break
    if (chain.includes(next)) {
      const circle = [...chain, next].join(' → ')
      return { code: 'cname_loop', detail: `the CNAME records of ${name} lead in a circle: ${circle}` }
    }
    if (chain.length > MAX_CHAIN) {
      const detail = `more than ${MAX_CHAIN} CNAME records follow each other from ${name} on`
      return { code: 'cname_chain_too_long', detail }
    }
    chain.push(next)
  }
  const path = chain.length > 1 ? `${chain.join(' → ')}, which` : name
  const found = await ask.addressesOf(chain.at(-1) ?? name)
  if (found.length === 0) return { code: 'no_records', detail: `${path} has no CNAME, A or AAAA record` }
  if (name !== registrable) {
    return { code: 'points_elsewhere', detail: `${path} points to ${listed(found)}: it must be a CNAME to ${own}` }
  }
  return addressFault(path, found, own, await serviceAddresses())
}

function addressFault(path: string, found: Address[], own: string, service: string[]): DnsFault | undefined {
  if (service.length === 0) {
    return {
      code: 'service_unresolved',
      detail: `${path} has addresses, and those of the service's host ${own} cannot be found to compare them with`,
    }
  }
  const isHere = new Set(service)
  // A visitor or a certificate authority takes either family: each that is there must lead here.
  for (const type of ['A', 'AAAA'] as const) {
    const mine = found.filter((each) => each.type === type)
    if (mine.length > 0 && !mine.some(({ address }) => isHere.has(address))) {
      const wanted = isIP(own) === 0 ? `be a CNAME to ${own}` : `point to ${own}`
      const detail = `${path} points to ${listed(mine)}, which is not the service: it must ${wanted}`
      return { code: 'points_elsewhere', detail }
    }
  }
  return undefined
}

function listed(found: Address[]): string {
  const texts = found.slice(0, MAX_LISTED).map(({ type, address }) => `${address} (${type})`)
  return found.length > MAX_LISTED ? `${texts.join(', ')} and more` : texts.join(', ')
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
