import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { isPublicAddress } from '../lib/public-address.ts'
import type { Address } from './dns-query.ts'

/** How many values a fault lists. */
const MAX_LISTED = 5

/** Why a name does not point to the service. `code` is stable, `detail` is a sentence for the owner. */
export interface DnsFault {
  code:
    | 'nxdomain'
    | 'no_records'
    | 'points_elsewhere'
    | 'cname_loop'
    | 'cname_chain_too_long'
    | 'servfail'
    | 'timeout'
    | 'dns_error'
    | 'service_unresolved'
    | 'no_public_name'
    | 'own_name'
    | 'too_many_active'
  detail: string
  /** The records that are not as they must be; none where no record of the owner is at fault. */
  findings: Finding[]
}

/** A record that is not as it must be. */
export interface Finding {
  code: DnsFault['code']
  record: { type: 'CNAME' | 'A' | 'AAAA'; name: string }
  /** The values that it may have; empty when it must not exist. */
  expected: string[]
  /** The first values in the DNS. */
  found: string[]
}

/** Whether a fault is that of DNS servers or of the service, and says nothing about the owner's records. */
export function isTransient(fault: DnsFault): boolean {
  return ['servfail', 'timeout', 'dns_error', 'service_unresolved', 'no_public_name'].includes(fault.code)
}

/** The fault of a name that must point to the service's host, with its record. */
export function cnameFault(
  { code, detail }: Omit<DnsFault, 'findings'>,
  { name, own, found }: { name: string; own: string; found: string[] },
): DnsFault {
  const type = ({ 4: 'A', 6: 'AAAA' } as const)[isIP(own)] ?? 'CNAME'
  const finding: Finding = { code, record: { type, name }, expected: [own], found: found.slice(0, MAX_LISTED) }
  return { code, detail, findings: [finding] }
}

/** The addresses that a finding lists. */
export function foundIn(found: Address[]): string[] {
  return [...new Set(found.map(({ address }) => printed(address)))].slice(0, MAX_LISTED)
}

export function listed(found: Address[]): string {
  const texts = found.map(({ type, address }) => `${printed(address)} (${type})`)
  const distinct = [...new Set(texts)]
  const first = distinct.slice(0, MAX_LISTED).join(', ')
  return distinct.length > MAX_LISTED ? `${first} and more` : first
}

/**
 * An address as anybody may read it. The service's resolver may know names of its own network, whose addresses are not for
 * the strangers who let it look names up. Reserved addresses, among them those of examples, no machine has.
 */
function printed(address: string): string {
  const parsed = ipaddr.parse(address)
  return isPublicAddress(parsed) || parsed.range() === 'reserved' ? address : 'a private address'
}
