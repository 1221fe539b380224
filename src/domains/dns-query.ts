import { isIP } from 'node:net'
import { startThread, type Thread } from '../lib/thread-calls.ts'
import type { DnsCalls, Question } from './dns-thread.ts'

/** The timeout of one query in milliseconds, the number of tries, and the timeout of a whole check. */
const QUERY_MS = 2000
const TRIES = 2
const CHECK_MS = 10_000

/** Queries that are under way; sweeps, requests and webhooks have fewer in their bounds. */
const MAX_PENDING = 4_096
/** The memory of the thread that asks, in MiB. */
const THREAD_MB = 128

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

type Ask = (type: Question['type'], name: string) => Promise<string[]>

let lastCheck = 0
let thread: Thread<DnsCalls> | undefined

/** The thread of this process that asks; one that has ended is replaced. */
function threadOf(): Thread<DnsCalls> {
  thread ??= startThread<DnsCalls>(new URL('./dns-thread.ts', import.meta.url), {
    name: 'the thread for DNS',
    heap: { maxOldGenerationSizeMb: THREAD_MB },
    maxPending: MAX_PENDING,
    onEnd: () => (thread = undefined),
  })
  return thread
}

/** Runs the queries of checks on a thread; a timeout cancels only those of its check. */
export function createRunQueries(servers: string[] | undefined, queryMs = QUERY_MS): RunQueries {
  return async (check, signal) => {
    const [id, asked] = [++lastCheck, threadOf()]
    // A thread that has ended has no queries left.
    const end = () => void asked.call('end', id).catch(() => {})
    const deadline = setTimeout(end, CHECK_MS)
    signal?.addEventListener('abort', end, { once: true })
    const ask: Ask = (type, name) =>
      orNone(asked.call('ask', { check: id, type, name, servers, timeout: queryMs, tries: TRIES }), name)
    try {
      return await check(queriesOf(ask))
    } finally {
      clearTimeout(deadline)
      signal?.removeEventListener('abort', end)
      end()
    }
  }
}

function queriesOf(ask: Ask): DnsQueries {
  return {
    async cnameOf(name) {
      const [target] = await ask('CNAME', name)
      return target?.replace(/\.$/, '').toLowerCase()
    },
    async addressesOf(name) {
      if (isIP(name) !== 0) return [{ type: isIP(name) === 4 ? 'A' : 'AAAA', address: name }]
      const [four, six] = await Promise.all([ask('A', name), ask('AAAA', name)])
      return [
        ...four.map((address) => ({ type: 'A' as const, address })),
        ...six.map((address) => ({ type: 'AAAA' as const, address: canonicalIpv6(address) })),
      ]
    },
    textsOf: (name) => ask('TXT', name),
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
