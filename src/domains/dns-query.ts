import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'

/** The timeout of one query in milliseconds, the number of tries, and the timeout of a whole check. */
const QUERY_MS = 2000
const TRIES = 2
const CHECK_MS = 10_000

/** A response can have 64 KiB; legitimate names have fewer addresses. */
const MAX_ADDRESSES = 100

export interface Address {
  type: 'A' | 'AAAA'
  address: string
}

/** The queries of one check. Each rejects with a DnsError. */
export interface DnsQueries {
  /** The target of the name's CNAME record, in lower case; undefined when it has none. */
  cnameOf: (name: string) => Promise<string | undefined>
  /** The addresses of a name; an IP address is returned as it is. */
  addressesOf: (name: string) => Promise<Address[]>
  /** The values of the name's TXT records; the strings of one record are joined (RFC 7208, 3.3). */
  textsOf: (name: string) => Promise<string[]>
}

/** A failed query. */
export class DnsError extends Error {
  readonly code: string
  readonly queried: string

  constructor(queried: string, cause: unknown) {
    super(`DNS: ${queried}`, { cause })
    this.queried = queried
    this.code = (cause as { code?: string }).code ?? 'unknown'
  }
}

/** Runs the queries of a check; they fail when its signal is aborted. */
export type RunQueries = <T>(check: (queries: DnsQueries) => Promise<T>, signal?: AbortSignal) => Promise<T>

/** Each check has its own resolver, so that a timeout cancels only its queries, and no response is cached. */
export function createRunQueries(servers: string[] | undefined, queryMs = QUERY_MS): RunQueries {
  return async (check, signal) => {
    const resolver = new Resolver({ timeout: queryMs, tries: TRIES })
    if (servers !== undefined) resolver.setServers(servers)
    const cancel = () => resolver.cancel()
    const deadline = setTimeout(cancel, CHECK_MS)
    signal?.addEventListener('abort', cancel, { once: true })
    try {
      return await check(queriesOf(resolver))
    } finally {
      clearTimeout(deadline)
      signal?.removeEventListener('abort', cancel)
    }
  }
}

function queriesOf(resolver: Resolver): DnsQueries {
  return {
    async cnameOf(name) {
      const [target] = await orNone(resolver.resolveCname(name), name)
      return target?.replace(/\.$/, '').toLowerCase()
    },
    async addressesOf(name) {
      if (isIP(name) !== 0) return [{ type: isIP(name) === 4 ? 'A' : 'AAAA', address: name }]
      const [four, six] = await Promise.all([
        orNone(resolver.resolve4(name), name),
        orNone(resolver.resolve6(name), name),
      ])
      return [
        ...four.slice(0, MAX_ADDRESSES).map((address) => ({ type: 'A' as const, address })),
        ...six.slice(0, MAX_ADDRESSES).map((address) => ({ type: 'AAAA' as const, address: canonicalIpv6(address) })),
      ]
    },
    textsOf: async (name) => (await orNone(resolver.resolveTxt(name), name)).map((strings) => strings.join('')),
  }
}

/** The canonical form of an IPv6 address. */
function canonicalIpv6(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1)
}

/** A name without records of that type is no error. */
async function orNone<T>(records: Promise<T[]>, name: string): Promise<T[]> {
  try {
    return await records
  } catch (error) {
    if ((error as { code?: string }).code === 'ENODATA') return []
    throw new DnsError(name, error)
  }
}
