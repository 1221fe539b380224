import { isIP } from 'node:net'
import { withoutRoot } from './host.ts'
import { isPrivateName } from './private-name.ts'

/** Names for documentation (RFC 2606, 2 and 3): nobody runs a public service there. */
const documentation = /(?:^|\.)example(?:\.(?:com|net|org))?$/

/**
 * Whether a host, in WHATWG notation, is a name that the public DNS can have: no address, no single label, none of private
 * networks or documentation. It is not looked up.
 */
export function isPublicName(host: string): boolean {
  const name = withoutRoot(host)
  if (name.startsWith('[') || isIP(name) !== 0) return false
  return !isPrivateName(name) && !documentation.test(name)
}
