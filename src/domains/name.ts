import { domainToASCII, domainToUnicode } from 'node:url'
import { isPrivateName } from '../lib/private-name.ts'
import { registrableOf } from '../lib/registrable.ts'

/** A host name that can be registered. */
export interface DomainName {
  /** Lower case, IDNA-encoded (UTS #46 as WHATWG applies it), without trailing dot. */
  name: string
  /** The registrable domain: the label below the public suffix, whose owner is one party. */
  registrable: string
}

/** RFC 1035, 2.3.4, in text form without the trailing dot. */
const MAX_NAME = 253
const MAX_LABEL = 63

/** Letters, digits and hyphens inside (RFC 952, RFC 1123). */
const ldhLabel = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/

/** Characters that no host name has, of which encoders tolerate some. */
const foreign = /[\s\p{Cc}\p{Cs}%/\\:@?#[\]<>^|]/u

/**
 * Parses a host name for registration.
 * @param own the service's own host in WHATWG form; undefined while it has none
 * @returns the name, or the error as the predicate of a sentence about the field
 */
export function readDomainName(text: string, own: string | undefined): DomainName | string {
  if (text.length > 1000) return 'is too long for a host name'
  if (foreign.test(text)) return 'must only be a host name, such as qr.example.com: no scheme, port, path or spaces'
  const name = domainToASCII(text).replace(/\.$/, '')
  if (name === '') return 'is not a valid host name'
  return syntaxFault(name) ?? reservedFault(name, own) ?? withRegistrable(name)
}

function syntaxFault(name: string): string | undefined {
  const labels = name.split('.')
  // WHATWG parses every name that ends in a number as an IPv4 address.
  if (/^(?:\d+|0x[\da-f]*)$/.test(labels.at(-1) ?? '')) return 'must be a name, not an IP address'
  if (labels.includes('')) return 'must not have an empty label'
  if (labels.length === 1) return 'must be a full name such as qr.example.com, not a single label'
  // Top-level domains of one character do not exist, and cannot be applied for.
  if (labels.at(-1)?.length === 1) return 'must end in a top-level domain, which has two characters at least'
  if (name.length > MAX_NAME) return `must be at most ${MAX_NAME} characters long when it is encoded`
  if (labels.some((label) => label.length > MAX_LABEL))
    return `must not have a label of more than ${MAX_LABEL} characters`
  if (!labels.every((label) => ldhLabel.test(label))) {
    return 'must consist of letters, digits and hyphens, and no label may begin or end with a hyphen'
  }
  // The encoder accepts labels that cannot be decoded.
  const undecodable = labels.find((label) => label.startsWith('xn--') && domainToUnicode(label) === label)
  return undecodable && `must not have the label ${undecodable}, which is not valid punycode`
}

function reservedFault(name: string, own: string | undefined): string | undefined {
  if (isPrivateName(name)) return 'must be a public name, not one of a private network'
  if (name === own) return "must not be the service's own host"
  if (own !== undefined && isUnder(name, own)) return "must not be a name under the service's own host"
  return undefined
}

/** A name as its owner writes it, with umlauts in place of `xn--`: for pages, never for DNS records. */
export function readableName(name: string): string {
  return domainToUnicode(name)
}

/** Whether a name is `parent` or a name under it. */
export function isUnder(name: string, parent: string): boolean {
  return name === parent || name.endsWith(`.${parent}`)
}

function withRegistrable(name: string): DomainName | string {
  const registrable = registrableOf(name)
  return registrable === undefined ? 'is a public suffix, under which anyone can register names' : { name, registrable }
}
