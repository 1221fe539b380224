import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'

/** One question's patience in milliseconds, how often it is asked, and the patience of a whole check. */
const QUERY_MS = 2000
const TRIES = 2
const CHECK_MS = 10_000

/** An answer holds up to 64 KiB; nobody has this many addresses for one name. */
const MAX_ADDRESSES = 100

export interface Address {
  type: 'A' | 'AAAA'
  address: string
}

/** The questions of one check. Each rejects with a DnsError. */
export interface Questions {
  /** What the name is a CNAME of, in lower case; undefined when it is none. */
  cnameOf: (name: string) => Promise<string | undefined>
  /** The addresses of a name, or of an address itself. */
  addressesOf: (name: string) => Promise<Address[]>
  /** The texts of the name's TXT records; the strings of one record are one text (RFC 7208, 3.3). */
  textsOf: (name: string) => Promise<string[]>
}

/** A failed question, with the name that was asked for. */
export class DnsError extends Error {
  readonly code: string
  readonly asked: string

  constructor(asked: string, cause: unknown) {
    super(`DNS: ${asked}`, { cause })
    this.asked = asked
    this.code = (cause as { code?: string }).code ?? 'unknown'
  }
}

/**
 * Makes what a check asks its questions with. A resolver of its own for each check: so a check can be ended without
 * ending others, and no answer is remembered for the next one.
 */
export function createQuery(
  servers: string[] | undefined,
  queryMs = QUERY_MS,
): <T>(check: (ask: Questions) => Promise<T>) => Promise<T> {
  return async (check) => {
    const resolver = new Resolver({ timeout: queryMs, tries: TRIES })
    if (servers !== undefined) resolver.setServers(servers)
    const deadline = setTimeout(() => resolver.cancel(), CHECK_MS)
    try {
      return await check(questionsOf(resolver))
    } finally {
      clearTimeout(deadline)
    }
  }
}

function questionsOf(resolver: Resolver): Questions {
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
        ...six.slice(0, MAX_ADDRESSES).map((address) => ({ type: 'AAAA' as const, address: spelling(address) })),
      ]
    },
    textsOf: async (name) => (await orNone(resolver.resolveTxt(name), name)).map((strings) => strings.join('')),
  }
}

/** One spelling of each IPv6 address, whatever the library writes. */
function spelling(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1)
}

/** The name exists and has no record of that type: not a fault by itself. */
async function orNone<T>(answer: Promise<T[]>, asked: string): Promise<T[]> {
  try {
    return await answer
  } catch (error) {
    if ((error as { code?: string }).code === 'ENODATA') return []
    throw new DnsError(asked, error)
  }
}
