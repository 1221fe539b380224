import ipaddr from 'ipaddr.js'
import { MAX_URL_LENGTH } from '../http/fields.ts'
import type { Reason } from '../http/problem.ts'
import { withoutRoot } from '../lib/host.ts'
import { isPublicAddress } from '../lib/public-address.ts'
import { reservedEndings } from '../lib/reserved-endings.ts'

/** Whether a URL leads back to this service, which would be a redirect loop. */
export type OwnsUrl = (url: URL) => boolean

/** Why no link may lead to a URL, as a text that follows the field's name; undefined when a link may. */
export type Screen = (url: string) => string | undefined

/** Rules for URLs besides their syntax. */
export interface UrlPolicy {
  owns: OwnsUrl
  screen: Screen
}

/** What is wrong with a destination, for the texts of pages and as a text that follows the field's name. */
export interface UrlFault {
  reason: Reason
  detail: string
}

/** Validates a destination: returns the error, as a text that follows the field's name, or undefined. */
export function urlFault(text: string, owns: OwnsUrl): string | undefined {
  return findUrlFault(text, owns)?.detail
}

/**
 * Validates a destination. Checks the text itself and not only the URL that WHATWG's parser returns: that parser is
 * lenient, and others may read the same text as another URL.
 */
export function findUrlFault(text: string, owns: OwnsUrl): UrlFault | undefined {
  if (isLongerThan(text, MAX_URL_LENGTH)) {
    const reason = { name: 'too_long', limit: MAX_URL_LENGTH } as const
    return { reason, detail: `must be at most ${MAX_URL_LENGTH} characters long` }
  }
  if (/[\s\p{Cc}\p{Cs}]/u.test(text)) {
    return fault('url_characters', 'must not hold spaces, control characters or lone surrogates')
  }
  if (!/^https?:\/\//i.test(text)) return fault('url_scheme', 'must start with http:// or https://')
  const [authority = ''] = text.slice(text.indexOf('//') + 2).split(/[/?#]/, 1)
  if (/\\/.test(text.split(/[?#]/, 1)[0] ?? ''))
    return fault('url_syntax', 'must not hold a backslash before its query')
  if (authority.includes('@')) return fault('url_login', 'must not hold a user name or password')
  const url = authority === '' ? null : URL.parse(text)
  if (url === null) return fault('url_syntax', 'is not a valid URL')
  return hostFault(url.hostname) ?? (owns(url) ? fault('url_loop', 'must not lead back to this service') : undefined)
}

/** Counts Unicode characters, as the bounds of other texts do, but not those of a text that is far too long. */
function isLongerThan(text: string, limit: number): boolean {
  return text.length > limit && (text.length > 2 * limit || Array.from(text).length > limit)
}

function fault(name: Reason['name'], detail: string): UrlFault {
  return { reason: { name }, detail }
}

function hostFault(host: string): UrlFault | undefined {
  if (host.startsWith('[')) return addressFault(host.slice(1, -1))
  // The parser has normalized every IPv4 address. The test is cheap; the library's is an exception that it catches.
  if (/^[\d.]+$/.test(host) && ipaddr.IPv4.isValidFourPartDecimal(host)) return addressFault(host)
  const name = withoutRoot(host)
  const labels = name.split('.')
  if (labels.includes('')) return fault('url_syntax', 'must have a host without empty labels')
  if (labels.length === 1) return fault('url_host', 'must have a public host, not a single-label name')
  if (name.length > 253 || labels.some((label) => label.length > 63)) {
    return fault('url_syntax', 'has a host name that is too long')
  }
  if (reservedEndings.has(labels.at(-1) ?? '')) {
    return fault('url_private', 'must have a public host, not a name of a private network')
  }
  return undefined
}

function addressFault(host: string): UrlFault | undefined {
  if (isPublicAddress(ipaddr.parse(host))) return undefined
  return fault('url_private', 'must have a public host, not a private or special address')
}
