import { isIP } from 'node:net'
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
  return found.slice(0, MAX_LISTED).map(({ address }) => address)
}

export function listed(found: Address[]): string {
  const texts = found.slice(0, MAX_LISTED).map(({ type, address }) => `${address} (${type})`)
  return found.length > MAX_LISTED ? `${texts.join(', ')} and more` : texts.join(', ')
}
