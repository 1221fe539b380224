import { domainToASCII, domainToUnicode } from 'node:url'
import { getDomain } from 'tldts'
import { reservedEndings } from '../lib/reserved-endings.ts'

/** A host name that can be registered. */
export interface DomainName {
  /** Lower case, IDNA-encoded (UTS #46 as WHATWG applies it), without trailing dot. */
  name: string
  /** The name below the public suffix that it belongs to; its owner is one owner. */
  registrable: string
}

/** RFC 1035, 2.3.4, in the form that is written: without the root's dot. */
const MAX_NAME = 253
const MAX_LABEL = 63

/** Letters, digits and hyphens inside (RFC 952, RFC 1123). */
const ldhLabel = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/

/** What no host name holds, in Unicode or not; encoders forgive some of it. */
const foreign = /[\s\p{Cc}\p{Cs}%/\\:@?#[\]<>^|]/u

/**
 * Reads a host name that its owner wants to point here.
 * @param own the service's own host, as WHATWG writes it; undefined while it has none
 * @returns the name, or what is wrong with it, in words that follow the field's name
 */
export function readDomainName(text: string, own: string | undefined): DomainName | string {
  if (text.length > 1000) return 'is too long for a host name'
  if (foreign.test(text)) return 'must be a host name alone, such as qr.example.com: no scheme, port, path or spaces'
  const name = domainToASCII(text).replace(/\.$/, '')
  if (name === '') return 'is not a valid host name'
  return shapeFault(name) ?? placeFault(name, own) ?? withRegistrable(name)
}

function shapeFault(name: string): string | undefined {
  const labels = name.split('.')
  // WHATWG takes every name that ends in a number for an IPv4 address, in all its notations.
  if (/^(?:\d+|0x[\da-f]*)$/.test(labels.at(-1) ?? '')) return 'must be a name, not an IP address'
  if (labels.includes('')) return 'must not hold an empty label'
  if (labels.length === 1) return 'must be a full name such as qr.example.com, not a single label'
  // There is no top-level domain of one character, and none may be applied for.
  if (labels.at(-1)?.length === 1) return 'must end in a top-level domain, which has two characters at least'
  if (name.length > MAX_NAME) return `must be at most ${MAX_NAME} characters long when it is encoded`
  if (labels.some((label) => label.length > MAX_LABEL))
    return `must not hold a label of more than ${MAX_LABEL} characters`
  if (!labels.every((label) => ldhLabel.test(label))) {
    return 'must be made of letters, digits and hyphens, and no label may begin or end with a hyphen'
  }
  // The encoder passes labels that decode to nothing.
  const undecodable = labels.find((label) => label.startsWith('xn--') && domainToUnicode(label) === label)
  return undecodable && `must not hold the label ${undecodable}, which is not valid punycode`
}

function placeFault(name: string, own: string | undefined): string | undefined {
  if (reservedEndings.has(name.slice(name.lastIndexOf('.') + 1)))
    return 'must be a public name, not one of a private network'
  if (name === own) return "must not be the service's own host"
  if (own !== undefined && isUnder(name, own)) return "must not be a name under the service's own host"
  return undefined
}

/** Whether a name is that one, or below it. */
export function isUnder(name: string, above: string): boolean {
  return name === above || name.endsWith(`.${above}`)
}

function withRegistrable(name: string): DomainName | string {
  const registrable = getDomain(name, { allowPrivateDomains: true, extractHostname: false })
  return registrable === null ? 'is a public suffix, under which others have their names' : { name, registrable }
}
