import { isbot } from 'isbot'
import { createBoundedCache } from '../lib/bounded-cache.ts'
import { browsers, devices, systems, type Device, type Row } from './agent-tables.ts'

/** What a scan keeps of a user agent. Unknown is null. */
export interface Agent {
  readonly device: Device | null
  readonly os: string | null
  readonly browser: string | null
  readonly bot: boolean
}

/** Real ones have some 100 to 400 characters. */
const LONGEST = 512
const CACHE_BYTES = 2_000_000
/** What an entry weighs beside its key: the agent, the two map slots and the string's header, rounded up. */
const ENTRY_BYTES = 200

/**
 * Reads user agents (RFC 9110, section 10.1.5), and remembers the ones it has lately read.
 *
 * Nothing of the user agent's own text is ever in the answer: names come from the tables alone, so that whatever is
 * sent, only those few hundred values can reach the database, a page or a spreadsheet. Only the first 512 characters
 * are looked at. Never throws.
 */
export function createAgentReader(): (userAgent: string | undefined) => Agent {
  const cache = createBoundedCache<Agent>(CACHE_BYTES)
  return (userAgent = '') => {
    // Not kept: it is a slice of a header, or may be one that was cut before, and a slice keeps the whole in memory.
    if (userAgent.length >= LONGEST) return read(userAgent.slice(0, LONGEST))
    const known = cache.get(userAgent)
    if (known !== undefined) return known
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

/** Parts of real visitors' agents that `isbot` takes for a tool's: WeChat's name of its process, Alipay's screen size. */
const harmless = /\bProcess\/tools|\bAlipayDefined\([^)]{0,100}\)/
/** Programs that `isbot` does not know. Office asks for an address itself before it hands it to the browser. */
const programs = /\bdart:io\b|\bms-office\b|^Microsoft Office\/|(?<!cu)bot\d/i

/** Every browser says who it is, so that no agent at all is a bot's. */
function isBot(userAgent: string): boolean {
  return userAgent.trim() === '' || programs.test(userAgent) || isbot(userAgent.replace(harmless, ''))
}
