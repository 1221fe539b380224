import type { IncomingMessage } from 'node:http'
import type { Placements } from '../../dimensions/dimension.ts'
import { readValues } from '../../dimensions/dimensions.ts'
import type { ClientAddress } from '../../http/client-address.ts'
import type { Agent } from '../../lib/agent-tables.ts'
import type { ParseAgent } from './agent.ts'
import type { Scan } from '../scan.ts'
import type { VisitorKeys } from './visitors.ts'

/** Longer user agents are truncated before they are parsed. */
const MAX_AGENT = 512

/** Derives from a request the scan to record. */
export type Describe = (request: IncomingMessage, link: DescribedLink) => Scan

/** What the scan of a visit depends on of its link. */
export interface DescribedLink {
  id: number
  placements: Placements | null
}

export interface DescribeDeps {
  now: () => number
  client: ClientAddress
  keys: VisitorKeys
  parseAgent: ParseAgent
  /** Returns the host of a referrer, or `direct` without one. */
  parseReferrer: (referer: string | undefined) => string
  findPlace: (address: string) => { country: string | null; city: string | null }
  /** The header in which a trusted proxy sends the country, or undefined. */
  countryHeader: string | undefined
}

/** The address, the user agent and the referrer stay in this function: only values derived from them leave it. */
export function createDescribe(deps: DescribeDeps): Describe {
  return (request, { id: linkId, placements }) => {
    const { headers, url = '' } = request
    const at = deps.now()
    const userAgent = userAgentOf(request)
    const agent = deps.parseAgent(userAgent, headers)
    const bot = agent.bot || isPrefetch(headers)
    const address = deps.client.of(request)
    const place = placeOf(deps, request, address)
    // Global Privacy Control and Do Not Track: the visit counts, without a visitor key, a city or a referrer.
    const optsOut = headers['sec-gpc'] === '1' || headers['dnt'] === '1'
    const visitor = optsOut ? null : deps.keys.keyOf({ linkId, address, userAgent, bot }, at)
    const referrer = () => deps.parseReferrer(headers.referer)
    // The values first: V8 copies what stands at the begin of an object several times as fast.
    return { ...readValues({ url, headers, agent, place, optsOut, referrer, placements }), linkId, at, bot, visitor }
  }
}

/** What a request says of its agent, as the scan of the visit records it. */
export type AgentOf = (request: IncomingMessage) => Agent

export function createAgentOf({ parseAgent }: Pick<DescribeDeps, 'parseAgent'>): AgentOf {
  return ({ headers }) => parseAgent(headers['user-agent'], headers)
}

/** The 53 bits that identify the visitor of a scan for a day; of a visitor who opts out, they are not recorded. */
export type Identify = (request: IncomingMessage, scan: Scan) => number

export function createIdentify({ client, keys }: Pick<DescribeDeps, 'client' | 'keys'>): Identify {
  return (request, { linkId, at, bot, visitor }) =>
    visitor ?? keys.keyOf({ linkId, address: client.of(request), userAgent: userAgentOf(request), bot }, at)
}

function userAgentOf({ headers }: IncomingMessage): string {
  return (headers['user-agent'] ?? '').slice(0, MAX_AGENT)
}

function placeOf({ countryHeader, client, findPlace }: DescribeDeps, request: IncomingMessage, address: string) {
  const place = findPlace(address)
  const country = countryHeader === undefined ? undefined : request.headers[countryHeader]
  if (typeof country !== 'string' || !/^[A-Z]{2}$/.test(country) || !client.isProxied(request)) return place
  // CDNs send XX for "unknown" and T1 for "Tor".
  if (country === 'XX' || country === 'T1') return place
  return { country, city: country === place.country ? place.city : null }
}

/** Whether a browser or an app prefetches the page or renders a preview: no visitor sees it (yet). */
function isPrefetch(headers: IncomingMessage['headers']): boolean {
  const purposes = [headers['sec-purpose'], headers['purpose'], headers['x-purpose'], headers['x-moz']]
  return purposes.some((purpose) => purpose !== undefined && /prefetch|prerender|preview/i.test(String(purpose)))
}
