import type { IncomingHttpHeaders } from 'node:http'
import Negotiator from 'negotiator'
import { languages, type Language } from '../texts/language.ts'
import { chosenLanguage, type Asked } from './page-address.ts'

/** Longer than any browser's header; sorting thousands of types takes long. */
const MAX_ACCEPT = 1_000

/** The offered media type that the `Accept` header (RFC 9110, 12.5.1) prefers; the first one by default. */
export function preferredType<T extends string>(accept: string | undefined, offered: readonly [T, ...T[]]): T {
  if (accept === undefined || accept === '*/*' || accept.length > MAX_ACCEPT) return offered[0]
  const [best] = new Negotiator({ headers: { accept } }).mediaTypes([...offered])
  return offered.find((type) => type === best) ?? offered[0]
}

/** The offered language that the `Accept-Language` header (RFC 9110, 12.5.4) prefers; the first one by default. */
export function preferredLanguage<T extends string>(header: string | undefined, offered: readonly [T, ...T[]]): T {
  if (header === undefined || header.length > MAX_ACCEPT) return offered[0]
  const [best] = new Negotiator({ headers: { 'accept-language': header } }).languages([...offered])
  return offered.find((language) => language === best) ?? offered[0]
}

/** How a body can be compressed, best first. */
const encodings = ['br', 'gzip'] as const

export type Encoding = (typeof encodings)[number]

/** The types of negotiator lack the options that its documentation has. */
interface WithPreference {
  encodings(available: string[], options?: { preferred: string[] }): string[]
}

/** The best encoding that the `Accept-Encoding` header (RFC 9110, 12.5.3) allows; undefined for none. */
export function preferredEncoding(header: string | undefined): Encoding | undefined {
  if (header === undefined || header.length > MAX_ACCEPT) return undefined
  const negotiator: WithPreference = new Negotiator({ headers: { 'accept-encoding': header } })
  const [best] = negotiator.encodings([...encodings, 'identity'], { preferred: [...encodings] })
  return encodings.find((encoding) => encoding === best)
}

/** The language of a page: the one that its address names, or the one that the client prefers. */
export function pageLanguage(request: Asked & { headers: IncomingHttpHeaders }): Language {
  return chosenLanguage(request) ?? preferredLanguage(request.headers['accept-language'], languages)
}

/** Whether the client is a browser that will show the response to a person. */
export function wantsPage(accept: string | undefined): boolean {
  return preferredType(accept, ['application/json', 'text/html']) === 'text/html'
}
