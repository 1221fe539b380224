import { isIP } from 'node:net'
import { CLAIM_MS, claimRecord, proofOf, type Claim } from './claim.ts'
import { expiresAt, servedOf, type Domain } from './domain.ts'
import type { Domains } from './open.ts'
import type { Registered } from './registry.ts'

type Service = Pick<Domains, 'host' | 'addresses'>

/** The public view of a domain. */
export async function viewDomain({ host, addresses }: Service, domain: Domain) {
  const { name, status, fault, tokenHash } = domain
  const isApex = name === domain.registrable
  const isNamed = host !== undefined && isIP(bare(host)) === 0
  // A name that is not an apex needs a CNAME, whose value cannot be an address.
  const own = isNamed || isApex ? host : undefined
  return {
    domain: name,
    status,
    narrowed: servedOf(domain) === 'active',
    proof: mayBeProven(domain) ? proofRecord({ name, proof: proofOf(name, tokenHash) }) : null,
    records: own === undefined ? [] : [recordFor(name, bare(own))],
    alternatives: isApex && isNamed ? (await addresses()).map((address) => recordFor(name, address)) : [],
    fault: fault === undefined ? null : { code: fault.code, detail: fault.detail },
    findings: fault?.findings ?? [],
    checked_at: iso(domain.checkedAt),
    claimed_at: iso(domain.claimedAt),
    created_at: iso(domain.createdAt),
    expires_at: iso(expiresAt(domain)),
  }
}

/** The state of the certificate of a name. */
export interface CertificateState {
  notAfter: number | undefined
  fault?: string | undefined
  waitsFor?: 'domain' | 'network' | 'all' | 'turn'
}

/** The public view of a domain, with its certificate; undefined where the service obtains none itself. */
export async function viewStatus(service: Service, domain: Domain, certificate: CertificateState | undefined) {
  const shown = await viewDomain(service, domain)
  if (certificate === undefined) return { ...shown, certificate: null }
  const { notAfter, waitsFor = null, fault = null } = certificate
  return { ...shown, certificate: { expires_at: iso(notAfter), waits_for: waitsFor, fault } }
}

/** Whether a proof makes a difference; before the first check, nobody knows. */
function mayBeProven({ proofWanted, checkedAt }: Domain): boolean {
  return proofWanted && checkedAt !== undefined
}

/** The response to a registration, with the token and the record of a claim. */
export async function viewRegistered(service: Service, { domain, token, claim }: Registered) {
  const shown = await viewDomain(service, domain)
  if (claim === undefined) return token === undefined ? shown : { ...shown, token }
  return {
    ...shown,
    records: [...shown.records, proofRecord(claim)],
    token,
    claim_expires_at: iso(claim.createdAt + CLAIM_MS),
  }
}

function recordFor(name: string, value: string) {
  return { type: { 0: 'CNAME', 4: 'A', 6: 'AAAA' }[isIP(value)] ?? 'CNAME', name, value }
}

/** The TXT record that proves a claim, or a registration. */
export function proofRecord({ name, proof }: Pick<Claim, 'name' | 'proof'>) {
  return { type: 'TXT', name: claimRecord(name), value: proof }
}

/** An IPv6 host of a URL without its brackets. */
function bare(host: string): string {
  return host.replace(/^\[|\]$/g, '')
}

function iso(time: number | undefined): string | null {
  return time === undefined ? null : new Date(time).toISOString()
}
