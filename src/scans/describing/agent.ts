import type { IncomingHttpHeaders } from 'node:http'
import { createBoundedCache } from '../../lib/bounded-cache.ts'
import { browsers, devices, nameIn, systems, type Device } from '../../lib/agent-tables.ts'
import { isBot } from './bots.ts'
import { createWithHints } from './client-hints.ts'
import { withoutModel } from './models.ts'

/** The values that a scan records of a user agent. Unknown is null. */
export interface Agent {
  readonly device: Device | null
  readonly os: string | null
  readonly browser: string | null
  readonly bot: boolean
}

/** Real user agents have some 100 to 400 characters. */
const MAX_LENGTH = 512
const CACHE_BYTES = 2_000_000
/** The memory of an entry beside its key: the agent, the two map slots and the string's header, rounded up. */
const ENTRY_BYTES = 200

/** @param headers those of the request, among which Client Hints may say more than the user agent */
export type ParseAgent = (userAgent: string | undefined, headers?: IncomingHttpHeaders) => Agent

/**
 * Parses user agents (RFC 9110, section 10.1.5), with a cache.
 *
 * The result never contains text of the user agent: names come from the tables alone, so that whatever a client sends,
 * only those few hundred values can reach the database, a page or a spreadsheet. Only the first 512 characters are
 * parsed. Never throws.
 */
export function createAgentParser(): ParseAgent {
  const readCached = createCachedRead()
  const withHints = createWithHints()
  return (userAgent, headers) => {
    const agent = readCached(userAgent)
    return headers === undefined ? agent : withHints(agent, headers)
  }
}

function createCachedRead(): (userAgent: string | undefined) => Agent {
  const cache = createBoundedCache<Agent>(CACHE_BYTES)
  return (userAgent = '') => {
    // Not cached: this is, or may be, a slice of a longer header, and a slice retains the whole.
    if (userAgent.length >= MAX_LENGTH) return read(userAgent.slice(0, MAX_LENGTH))
    const cached = cache.get(userAgent)
    if (cached !== undefined) return cached
    const agent = read(userAgent)
    cache.set(userAgent, agent, 2 * userAgent.length + ENTRY_BYTES)
    return agent
  }
}

function read(userAgent: string): Agent {
  const rest = withoutModel(userAgent)
  return {
    // Tablets, televisions and watches are told by their model.
    device: nameIn(devices, userAgent),
    os: nameIn(systems, rest),
    browser: nameIn(browsers, rest),
    bot: isBot(rest),
  }
}
