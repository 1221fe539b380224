import { isIP } from 'node:net'
import { isLoopback, isUnspecified } from '../lib/host.ts'
import { memoizeFor } from '../lib/memoize-for.ts'
import { isPrivateName } from '../lib/private-name.ts'
import { claimRecord, isProof } from './claim.ts'
import { createRunQueries, DnsError, type Address, type DnsQueries } from './dns-query.ts'
import { cnameFault, foundIn, listed, type DnsFault, type Finding } from './dns-fault.ts'
import { isUnder, type DomainName } from './name.ts'

/** The longest chain of CNAME records; recursive resolvers have similar limits. */
const MAX_CHAIN = 8

/** How many proofs of a name are read. */
const MAX_PROOFS = 20

/** How long the service's own addresses are cached. */
const OWN_MS = 10_000

/** Checks whether names point to the service. */
export interface DnsCheck {
  /** The fault that does not depend on DNS; undefined when the name's DNS decides. */
  staticFault: (name: DomainName) => DnsFault | undefined
  /** Undefined when the name points here; any fault once the signal is aborted. Never throws; takes at most 10 seconds, or 20 when addresses are compared. */
  faultOf: (name: DomainName, signal?: AbortSignal) => Promise<DnsFault | undefined>
  /** The proofs of claims in the name's DNS; empty when its servers do not respond. Never throws. */
  proofsOf: (name: string, signal?: AbortSignal) => Promise<string[]>
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
    async faultOf(name, signal) {
      if (own === undefined) return staticFault(name)
      const follow = (queries: DnsQueries) => findFault(queries, name, own, serviceAddresses)
      return staticFault(name) ?? query(follow, signal).catch((error: unknown) => explain(error, name.name, own))
    },
    async proofsOf(name, signal) {
      const texts = await query(({ textsOf }) => textsOf(claimRecord(name)), signal).catch(() => [])
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
    return { code: 'no_public_name', detail, findings: [] }
  }
  if (isUnder(name, own)) {
    return { code: 'own_name', detail: `${name} is the service's own host, or a name under it`, findings: [] }
  }
  if (isIP(own) === 0 || name === registrable) return undefined
  return {
    code: 'no_public_name',
    detail: `this service has no public name yet, only the address ${own}: an apex domain can point to it, other names need a CNAME`,
    findings: [],
  }
}

async function findFault(
  queries: DnsQueries,
  { name, registrable }: DomainName,
  own: string,
  serviceAddresses: () => Promise<string[]>,
): Promise<DnsFault | undefined> {
  const chain = [name]
  const fault = (code: DnsFault['code'], detail: string, found = chain.slice(1)) =>
    cnameFault({ code, detail }, { name, own, found })
  for (;;) {
    const end = chain.at(-1) ?? name
    if (end === own) return undefined
    const next = await queries.cnameOf(end)
    if (next === undefined) break
    const wrong = stepFault(chain, next, own)
    if (wrong !== undefined) return fault(wrong.code, wrong.detail, wrong.found)
    chain.push(next)
  }
  const path = chain.length > 1 ? `${chain.join(' → ')}, which` : name
  const found = await queries.addressesOf(chain.at(-1) ?? name)
  if (found.length === 0) return fault('no_records', `${path} has no CNAME, A or AAAA record`)
  if (name !== registrable) {
    const detail = `${path} points to ${listed(found)}: it must be a CNAME to ${own}`
    return fault('points_elsewhere', detail, chain.length > 1 ? chain.slice(1) : foundIn(found))
  }
  return addressFault({ name, path }, found, own, await serviceAddresses())
}

/** What is wrong with a further CNAME of a chain. */
function stepFault(
  chain: string[],
  next: string,
  own: string,
): { code: DnsFault['code']; detail: string; found: string[] } | undefined {
  const [name, ...found] = chain
  // What the service's resolver knows of its own network is not for strangers, not even whether it has a name.
  if (next !== own && isPrivateName(next)) {
    const detail = `${chain.at(-1)} points to ${next}, a name of a private network: it must be a CNAME to ${own}`
    return { code: 'points_elsewhere', detail, found: [...found, next] }
  }
  if (chain.includes(next)) {
    const detail = `the CNAME records of ${name} form a loop: ${[...chain, next].join(' → ')}`
    return { code: 'cname_loop', detail, found: [...found, next] }
  }
  if (chain.length <= MAX_CHAIN) return undefined
  const detail = `${name} has a chain of more than ${MAX_CHAIN} CNAME records`
  return { code: 'cname_chain_too_long', detail, found }
}

function addressFault(
  { name, path }: { name: string; path: string },
  found: Address[],
  own: string,
  service: string[],
): DnsFault | undefined {
  if (service.length === 0) {
    const detail = `${path} has addresses, but those of the service's host ${own} cannot be resolved for comparison`
    return { code: 'service_unresolved', detail, findings: [] }
  }
  const isHere = new Set(service)
  // Visitors and certificate authorities use either family: each that the name has must point here.
  const wrong = (['A', 'AAAA'] as const).flatMap((type) => {
    const mine = found.filter((each) => each.type === type)
    return mine.length === 0 || mine.some(({ address }) => isHere.has(address)) ? [] : [{ type, mine }]
  })
  const [first] = wrong
  if (first === undefined) return undefined
  const target = isIP(own) === 0 ? `be a CNAME to ${own}` : `point to ${own}`
  const detail = `${path} points to ${listed(first.mine)}, which is not the service: it must ${target}`
  const code = 'points_elsewhere'
  const findings = wrong.map(({ type, mine }): Finding => {
    const expected = service.filter((address) => isIP(address) === (type === 'A' ? 4 : 6))
    return { code, record: { type, name }, expected, found: foundIn(mine) }
  })
  return { code, detail, findings }
}

function explain(error: unknown, name: string, own: string): DnsFault {
  if (!(error instanceof DnsError)) throw error
  const { queried } = error
  const subject = queried === name ? queried : `${queried}, to which ${name} points,`
  const fault = (code: DnsFault['code'], detail: string) =>
    cnameFault({ code, detail }, { name, own, found: queried === name ? [] : [queried] })
  switch (error.code) {
    case 'ENOTFOUND':
      return fault('nxdomain', `${subject} does not exist in DNS (NXDOMAIN)`)
    case 'ESERVFAIL':
      return fault('servfail', `the DNS servers of ${queried} return a failure (SERVFAIL)`)
    case 'ETIMEOUT':
    case 'ECANCELLED':
    case 'ECONNREFUSED':
      return fault('timeout', `no DNS server has responded for ${queried} in time`)
    default:
      return fault('dns_error', `the DNS response for ${queried} cannot be used (${error.code})`)
  }
}
