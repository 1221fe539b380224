// Asks DNS servers off the main thread: strangers decide how large their answers are, and 64 KiB take 30 ms to parse.
import { Resolver } from 'node:dns/promises'
import { lowerPriority } from '../lib/background-thread.ts'
import { answerCalls } from '../lib/thread-calls.ts'

/** Addresses that are passed on; legitimate names have fewer. Texts are not counted: a proof may stand among many others. */
const MAX_ADDRESSES = 100
/** Characters of a text that is of any use to the service. */
const MAX_TEXT = 1_000

export interface Question {
  /** Identifies the check that asks. */
  check: number
  type: 'CNAME' | 'A' | 'AAAA' | 'TXT'
  name: string
  /** Servers to use instead of the system's. */
  servers: string[] | undefined
  /** The timeout of one try, in milliseconds, and how many there are. */
  timeout: number
  tries: number
}

/** Each check has its own resolver, so that its end cancels only its queries, and no response is cached. */
const resolvers = new Map<number, Resolver>()

function resolverOf({ check, servers, timeout, tries }: Question): Resolver {
  const known = resolvers.get(check)
  if (known !== undefined) return known
  const resolver = new Resolver({ timeout, tries })
  if (servers !== undefined) resolver.setServers(servers)
  resolvers.set(check, resolver)
  return resolver
}

const read = {
  CNAME: (resolver: Resolver, name: string) => resolver.resolveCname(name),
  A: (resolver: Resolver, name: string) => resolver.resolve4(name),
  AAAA: (resolver: Resolver, name: string) => resolver.resolve6(name),
  TXT: async (resolver: Resolver, name: string) => (await resolver.resolveTxt(name)).map((strings) => strings.join('')),
}

const calls = {
  /** Rejects with the error of the resolver. @returns the data of the records */
  async ask(question: Question): Promise<string[]> {
    const found = await read[question.type](resolverOf(question), question.name)
    return question.type === 'TXT' ? found.filter(({ length }) => length <= MAX_TEXT) : found.slice(0, MAX_ADDRESSES)
  },
  /** Ends a check: what it still asks fails. */
  end(check: number): void {
    resolvers.get(check)?.cancel()
    resolvers.delete(check)
  },
}

/** The calls of the thread. */
export type DnsCalls = typeof calls

lowerPriority()
answerCalls(calls)
