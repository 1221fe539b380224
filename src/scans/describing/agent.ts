import { isbot } from 'isbot'
import { createBoundedCache } from '../../lib/bounded-cache.ts'
import { browsers, devices, systems, type Device, type Row } from '../../lib/agent-tables.ts'

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

/**
 * Parses user agents (RFC 9110, section 10.1.5), with a cache.
 *
 * The result never contains text of the user agent: names come from the tables alone, so that whatever a client sends,
 * only those few hundred values can reach the database, a page or a spreadsheet. Only the first 512 characters are
 * parsed. Never throws.
 */
export function createAgentParser(): (userAgent: string | undefined) => Agent {
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
  return {
    device: nameIn(devices, userAgent),
    os: nameIn(systems, userAgent),
    browser: nameIn(browsers, userAgent),
    bot: isBot(userAgent),
  }
}

function nameIn<Name extends string>(rows: readonly Row<Name>[], userAgent: string): Name | null {
  for (const { name, pattern } of rows) if (pattern.test(userAgent)) return name
  return null
}

/** Parts of browsers' user agents that `isbot` mistakes for a tool's: WeChat's process name, Alipay's screen size. */
const harmless = /\bProcess\/tools|\bAlipayDefined\([^)]{0,100}\)/
/** Programs that `isbot` does not know. Office requests an address itself before it opens the browser. */
const programs = /\bdart:io\b|\bms-office\b|^Microsoft Office\/|(?<!cu)bot\d/i

/** Every browser sends a user agent: an empty one is a bot's. */
function isBot(userAgent: string): boolean {
  return userAgent.trim() === '' || programs.test(userAgent) || isbot(userAgent.replace(harmless, ''))
}
