import { domainToUnicode } from 'node:url'
import ipaddr from 'ipaddr.js'
import { MAX_URL_LENGTH } from '../http/fields.ts'
import type { Reason } from '../http/problem.ts'
import { withoutRoot } from '../lib/host.ts'
import { codePointsOf } from '../lib/invisible.ts'
import { isPublicAddress } from '../lib/public-address.ts'
import { reservedEndings } from '../lib/private-name.ts'

/** Whether a URL leads back to this service, which would be a redirect loop. */
export type OwnsUrl = (url: URL) => boolean

/** Why no link may lead to a URL, as a text that follows the field's name; undefined when a link may. */
export type Screen = (url: string) => string | undefined

/** Hears which invisible characters were dropped at the ends of a URL. @param pointer the field, as in an error */
export type OnTrimmed = (pointer: string, dropped: string) => void

/** What hears it of the row with this index. */
export type OnTrimmedIn = (row: number) => OnTrimmed

/** Rules for URLs besides their syntax. */
export interface UrlPolicy {
  owns: OwnsUrl
  screen: Screen
  /** Called for each URL of an input that is valid otherwise. */
  onTrimmed?: OnTrimmed | undefined
}

/** What is wrong with a destination, for the texts of pages and as a text that follows the field's name. */
export interface UrlFault {
  reason: Reason
  detail: string
}

/**
 * UTF-16 units of a host with its port, percent-encoding undone. The DNS takes 253 (RFC 1035, 2.3.4), for which twice as many may be
 * written, with accents as characters of their own; bringing those of a longer host in order, as the parser does, takes milliseconds.
 */
const MAX_AUTHORITY = 512
const TOO_LONG = 'has a host name that is too long'

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
  // U+FEFF is a space to ECMAScript only.
  if (/[^\S\uFEFF]|[\p{Cc}\p{Cs}]/u.test(text)) {
    return fault('url_characters', 'must not hold spaces, control characters or lone surrogates')
  }
  if (!/^https?:\/\//i.test(text)) return fault('url_scheme', 'must start with http:// or https://')
  const [authority = ''] = text.slice(text.indexOf('//') + 2).split(/[/?#]/, 1)
  if (/\\/.test(text.split(/[?#]/, 1)[0] ?? ''))
    return fault('url_syntax', 'must not hold a backslash before its query')
  if (authority.includes('@')) return fault('url_login', 'must not hold a user name or password')
  const written = decode(authority)
  if (written.length > MAX_AUTHORITY) return fault('url_syntax', TOO_LONG)
  const url = authority === '' ? null : URL.parse(text)
  if (url === null) return fault('url_syntax', 'is not a valid URL')
  return hiddenFault(written, url.hostname) ?? placeFault(url, owns)
}

function placeFault(url: URL, owns: OwnsUrl): UrlFault | undefined {
  const loop = () => (owns(url) ? fault('url_loop', 'must not lead back to this service') : undefined)
  return hostFault(url.hostname) ?? loop()
}

/**
 * Refuses invisible characters in the host of a URL, which the parser drops, so that it leads to another host than the one
 * written. The joiners of some scripts are part of a name where IDNA takes them (RFC 5892, A.1), and are in `parsed` then;
 * the selector of a colourful emoji is not, but makes no other name.
 */
function hiddenFault(written: string, parsed: string): UrlFault | undefined {
  const found = written.match(/[\p{Cf}\p{DI}]/gu)?.filter((each) => !/\p{VS}/u.test(each)) ?? []
  if (found.length === 0) return undefined
  // Decoded once: a name may have hundreds of joiners.
  const name = domainToUnicode(parsed)
  const isKept = (each: string) => /[\u200c\u200d]/.test(each) && name.includes(each)
  const hidden = found.filter((each) => !isKept(each)).join('')
  if (hidden === '') return undefined
  return fault('url_characters', `must not hold the invisible ${codePointsOf(hidden)} in its host`)
}

function decode(authority: string): string {
  try {
    return decodeURIComponent(authority)
  } catch {
    // The parser refuses it as well.
    return authority
  }
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
    return fault('url_syntax', TOO_LONG)
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
