import ipaddr from 'ipaddr.js'
import { MAX_URL_LENGTH } from '../http/fields.ts'
import { withoutRoot } from '../lib/host.ts'
import { isPublicAddress } from '../lib/public-address.ts'
import { reservedEndings } from '../lib/reserved-endings.ts'

/** Whether an address leads back to this service, where a redirect would never end. */
export type OwnsUrl = (url: URL) => boolean

/** Says why no link may lead to an address, in words that follow the field's name; undefined when one may. */
export type Screen = (url: string) => string | undefined

/** What URLs are held to besides their form. */
export interface UrlPolicy {
  owns: OwnsUrl
  screen: Screen
}

/**
 * Says what is wrong with `text` as a destination, in words that follow the field's name; undefined when it may be one.
 * The text itself is checked and not only what WHATWG's parser makes of it: that one forgives what others read otherwise.
 */
export function urlFault(text: string, owns: OwnsUrl): string | undefined {
  if (text.length > MAX_URL_LENGTH) return `must be at most ${MAX_URL_LENGTH} characters long`
  if (/[\s\p{Cc}\p{Cs}]/u.test(text)) return 'must not hold spaces, control characters or lone surrogates'
  if (!/^https?:\/\//i.test(text)) return 'must start with http:// or https://'
  const [authority = ''] = text.slice(text.indexOf('//') + 2).split(/[/?#]/, 1)
  if (/\\/.test(text.split(/[?#]/, 1)[0] ?? '')) return 'must not hold a backslash before its query'
  if (authority.includes('@')) return 'must not hold a user name or password'
  const url = authority === '' ? null : URL.parse(text)
  if (url === null) return 'is not a valid URL'
  return hostFault(url.hostname) ?? (owns(url) ? 'must not lead back to this service' : undefined)
}

function hostFault(host: string): string | undefined {
  if (host.startsWith('[')) return addressFault(host.slice(1, -1))
  // The parser has brought every IPv4 address into this form; the library finds out by an error that it catches.
  if (/^[\d.]+$/.test(host) && ipaddr.IPv4.isValidFourPartDecimal(host)) return addressFault(host)
  const name = withoutRoot(host)
  const labels = name.split('.')
  if (labels.includes('')) return 'must have a host without empty labels'
  if (labels.length === 1) return 'must have a public host, not a single-label name'
  if (name.length > 253 || labels.some((label) => label.length > 63)) return 'has a host name that is too long'
  if (reservedEndings.has(labels.at(-1) ?? '')) return 'must have a public host, not a name of a private network'
  return undefined
}

function addressFault(host: string): string | undefined {
  return isPublicAddress(ipaddr.parse(host)) ? undefined : 'must have a public host, not a private or special address'
}
