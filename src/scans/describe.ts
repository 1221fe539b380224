import type { IncomingMessage } from 'node:http'
import type { ClientAddress } from '../http/client-address.ts'
import type { Agent } from './agent.ts'
import type { Scan } from './scan.ts'
import type { VisitorKeys } from './visitors.ts'

/** Longer user agents are cut before they are looked at. */
const MAX_AGENT = 512

/** Reads from a request what is recorded of a visit. */
export type Describe = (request: IncomingMessage, linkId: number) => Scan

export interface DescribeDeps {
  now: () => number
  client: ClientAddress
  keys: VisitorKeys
  readAgent: (userAgent: string | undefined) => Agent
  /** The host of a referrer, `direct` when there is none. */
  readReferrer: (referer: string | undefined) => string
  findPlace: (address: string) => { country: string | null; city: string | null }
  /** The header in which a trusted proxy tells the country, or undefined. */
  countryHeader: string | undefined
}

/** What marks a visit as a scan of a QR image: `?qr=1`, or `.Q` at the end of the path where the image is compact. */
const qrMarker = /^[^?]*\.[Qq](?:\?|$)|[?&]qr(?:=1)?(?:&|$)/

/** The address, the user agent and the referrer stay in this function: only what is read from them leaves it. */
export function createDescribe(deps: DescribeDeps): Describe {
  return (request, linkId) => {
    const { headers, url = '' } = request
    const at = deps.now()
    const userAgent = (headers['user-agent'] ?? '').slice(0, MAX_AGENT)
    const { device, os, browser, bot: isBot } = deps.readAgent(userAgent)
    const bot = isBot || isPrefetch(headers)
    const address = deps.client.of(request)
    const { country, city } = placeOf(deps, request, address)
    // Global Privacy Control and Do Not Track: counted, but not told apart, and no further than the country.
    const isPrivate = headers['sec-gpc'] === '1' || headers['dnt'] === '1'
    return {
      linkId,
      at,
      source: qrMarker.test(url) ? 'qr' : 'link',
      device,
      os,
      browser,
      country,
      city: isPrivate ? null : city,
      referrer: isPrivate ? null : deps.readReferrer(headers.referer),
      bot,
      visitor: isPrivate ? null : deps.keys.keyOf({ linkId, address, userAgent, bot }, at),
    }
  }
}

function placeOf({ countryHeader, client, findPlace }: DescribeDeps, request: IncomingMessage, address: string) {
  const place = findPlace(address)
  const told = countryHeader === undefined ? undefined : request.headers[countryHeader]
  if (typeof told !== 'string' || !/^[A-Z]{2}$/.test(told) || !client.isProxied(request)) return place
  // XX and T1 stand for "unknown" and "Tor".
  if (told === 'XX' || told === 'T1') return place
  return { country: told, city: told === place.country ? place.city : null }
}

/** Browsers and apps that fetch ahead, or to show a preview, are no visitors (yet). */
function isPrefetch(headers: IncomingMessage['headers']): boolean {
  const purposes = [headers['sec-purpose'], headers['purpose'], headers['x-purpose'], headers['x-moz']]
  return purposes.some((purpose) => purpose !== undefined && /prefetch|prerender|preview/i.test(String(purpose)))
}
