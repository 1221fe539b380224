import { isIP } from 'node:net'
import { isLoopback, isUnspecified } from '../lib/host.ts'
import { memoizeFor } from '../lib/memoize-for.ts'
import { claimRecord, isProof } from './claim.ts'
import { createRunQueries, DnsError, type Address, type DnsQueries } from './dns-query.ts'
import { isUnder, type DomainName } from './name.ts'

/** The longest chain of CNAME records; recursive resolvers have similar limits. */
const MAX_CHAIN = 8

/** How many addresses a fault lists, and how many proofs of a name are read. */
const MAX_LISTED = 5
const MAX_PROOFS = 20

/** How long the service's own addresses are cached. */
const OWN_MS = 10_000

/** Why a name does not point to the service. `code` is stable, `detail` is a sentence for the owner. */
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

/** Whether a fault is that of DNS servers or of the service, and says nothing about the owner's records. */
export function isTransient(fault: DnsFault): boolean {
  return ['servfail', 'timeout', 'dns_error', 'service_unresolved', 'no_public_name'].includes(fault.code)
}

/** Checks whether names point to the service. */
export interface DnsCheck {
  /** The fault that does not depend on DNS; undefined when the name's DNS decides. */
  staticFault: (name: DomainName) => DnsFault | undefined
  /** Undefined when the name points here. Never throws; takes at most 10 seconds, or 20 when addresses are compared. */
  faultOf: (name: DomainName) => Promise<DnsFault | undefined>
  /** The proofs of claims in the name's DNS; empty when its servers do not respond. Never throws. */
  proofsOf: (name: string) => Promise<string[]>
  /** The addresses of the service; empty when they cannot be resolved. Never throws. */
  serviceAddresses: () => Promise<string[]>
}

interface DnsDeps {
  /** The service's own host: a name or an address; undefined while others cannot reach it. */
  host: string | undefined
  /** Servers to use instead of the system's; `address` or `address:port`. */
  servers: string[] | undefined
  monotonic: () => number
  /** Overrides the timeout of a query. */
  queryMs?: number
}

/**
 * Follows a name's CNAME records to the service's host. Only an apex domain, which cannot have a CNAME, may have the
 * service's addresses instead: many sites can share an address, so it is weak evidence of the owner's intent.
 */
export function createDnsCheck({ host, servers, monotonic, queryMs }: DnsDeps): DnsCheck {
  const own = host?.replace(/^\[|\]$/g, '')
  const query = createRunQueries(servers, queryMs)
  const serviceAddresses = memoizeFor(OWN_MS, monotonic, async () => {
    const found = own === undefined ? [] : await query(({ addressesOf }) => addressesOf(own)).catch(() => [])
    return found.map(({ address }) => address).filter(isReachable)
  })
  const staticFault = (name: DomainName) => ownFault(name, own)
  return {
    staticFault,
    serviceAddresses,
    async faultOf(name) {
      if (own === undefined) return staticFault(name)
      const follow = (queries: DnsQueries) => findFault(queries, name, own, serviceAddresses)
      return staticFault(name) ?? query(follow).catch((error: unknown) => explain(error, name.name))
    },
    async proofsOf(name) {
      const texts = await query(({ textsOf }) => textsOf(claimRecord(name))).catch(() => [])
      return texts.filter(isProof).slice(0, MAX_PROOFS)
    },
  }
}

/** Whether others can reach an address: many names point to loopback addresses. */
function isReachable(address: string): boolean {
  const host = address.includes(':') ? `[${address}]` : address
  return !isLoopback(host) && !isUnspecified(host)
}

function ownFault({ name, registrable }: DomainName, own: string | undefined): DnsFault | undefined {
  if (own === undefined) {
    const detail = 'this service has no public name yet: no name can point here until its operator has set BASE_URL'
    return { code: 'no_public_name', detail }
  }
  if (isUnder(name, own)) return { code: 'own_name', detail: `${name} is the service's own host, or a name under it` }
  if (isIP(own) === 0 || name === registrable) return undefined
  return {
    code: 'no_public_name',
    detail: `this service has no public name yet, only the address ${own}: an apex domain can point to it, other names need a CNAME`,
  }
}

async function findFault(
  queries: DnsQueries,
  { name, registrable }: DomainName,
  own: string,
  serviceAddresses: () => Promise<string[]>,
): Promise<DnsFault | undefined> {
  const chain = [name]
  for (;;) {
    const end = chain.at(-1) ?? name
    if (end === own) return undefined
    const next = await queries.cnameOf(end)
    if (next === undefined) break
    if (chain.includes(next)) {
      const loop = [...chain, next].join(' → ')
      return { code: 'cname_loop', detail: `the CNAME records of ${name} form a loop: ${loop}` }
    }
    if (chain.length > MAX_CHAIN) {
      const detail = `${name} has a chain of more than ${MAX_CHAIN} CNAME records`
      return { code: 'cname_chain_too_long', detail }
    }
    chain.push(next)
  }
  const path = chain.length > 1 ? `${chain.join(' → ')}, which` : name
  const found = await queries.addressesOf(chain.at(-1) ?? name)
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
      detail: `${path} has addresses, but those of the service's host ${own} cannot be resolved for comparison`,
    }
  }
  const isHere = new Set(service)
  // Visitors and certificate authorities use either family: each that the name has must point here.
  for (const type of ['A', 'AAAA'] as const) {
    const mine = found.filter((each) => each.type === type)
    if (mine.length > 0 && !mine.some(({ address }) => isHere.has(address))) {
      const expected = isIP(own) === 0 ? `be a CNAME to ${own}` : `point to ${own}`
      const detail = `${path} points to ${listed(mine)}, which is not the service: it must ${expected}`
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
  const { queried } = error
  const subject = queried === name ? queried : `${queried}, to which ${name} points,`
  switch (error.code) {
    case 'ENOTFOUND':
      return { code: 'nxdomain', detail: `${subject} does not exist in DNS (NXDOMAIN)` }
    case 'ESERVFAIL':
      return { code: 'servfail', detail: `the DNS servers of ${queried} return a failure (SERVFAIL)` }
    case 'ETIMEOUT':
    case 'ECANCELLED':
    case 'ECONNREFUSED':
      return { code: 'timeout', detail: `no DNS server has responded for ${queried} in time` }
    default:
      return { code: 'dns_error', detail: `the DNS response for ${queried} cannot be used (${error.code})` }
  }
}
