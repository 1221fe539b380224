import type { Transaction } from '#kysely'
import type { Database } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import { CLAIM_MS, proofOf } from './claim.ts'
import { deleteClaims, findLastClaimTime, findProvenClaim } from './claim-store.ts'
import type { DnsCheck } from './dns.ts'
import { isTransient, type DnsFault } from './dns-fault.ts'
import { afterCheck, afterClaim, afterProof, nextClaimCheckAt, servedOf, type Domain } from './domain.ts'
import { hasServedPages, notePages } from './page-names-store.ts'
import type { StatusCache } from './status-cache.ts'
import { countActive, findDomain, updateDomain } from './store.ts'

/**
 * The maximum of active names under one registrable domain, which bounds the certificates of one owner. Where a wildcard record leads
 * here, strangers make any names under it active: of a name whose TXT record was seen, only others of these count.
 */
export const MAX_ACTIVE = 40

interface CheckDeps {
  db: Database
  now: () => number
  dns: DnsCheck
  statuses: StatusCache
}

/**
 * Creates the function that checks a name's DNS: whether it points here, and whether it proves a claim. It stores the
 * result and returns the updated domain; undefined when the domain was removed meanwhile. Once the signal is aborted it stores nothing.
 */
export function createDomainCheck({
  db,
  now,
  dns,
  statuses,
}: CheckDeps): (domain: Domain, signal?: AbortSignal) => Promise<Domain | undefined> {
  async function applyFault(
    transaction: Transaction<Tables>,
    domain: Domain,
    fault: DnsFault | undefined,
  ): Promise<Domain> {
    const next = afterCheck(domain, fault, fault !== undefined && isTransient(fault), now())
    const isNew = next.status === 'active' && domain.status !== 'active'
    // Of two names that become active at the same time, the second must count the first.
    if (isNew) await db.lock(transaction, `domains of ${domain.registrable}`)
    const isTooMany = isNew && (await isFull(transaction, domain))
    return isTooMany ? afterCheck(domain, tooMany(domain), false, now()) : next
  }

  return async (domain, signal) => {
    const { name, tokenHash } = domain
    const claimedAt = await findLastClaimTime(db.read, name, now() - CLAIM_MS)
    const mayBeProven = claimedAt !== undefined || domain.proofWanted
    const [fault, proofs] = await Promise.all([
      dns.faultOf(domain, signal),
      mayBeProven ? dns.proofsOf(name, signal) : [],
    ])
    if (signal?.aborted === true) return domain
    const checked = await db.transaction(async (transaction) => {
      const checked = await applyFault(transaction, await applyProofs(transaction, domain, proofs, now()), fault)
      const next = await withProofWanted(transaction, domain, checked)
      const wantedAt = claimedAt ?? (servedOf(next) === 'open' ? next.statusSince : undefined)
      if (wantedAt !== undefined) next.nextCheckAt = Math.min(next.nextCheckAt, nextClaimCheckAt(wantedAt, now()))
      if (!(await updateDomain(transaction, next, tokenHash))) return undefined
      // Each proof counts once: a record that stays in the DNS must not win over the next claim.
      if (proofs.length > 0) await deleteClaims(transaction, name, proofs)
      return next
    })
    // Without a result another process has changed or removed the domain meanwhile: its write stands.
    const present = checked ?? (await findDomain(db.read, name))
    statuses.set(name, present && servedOf(present))
    return present
  }
}

async function isFull(transaction: Transaction<Tables>, { registrable, claimedAt }: Domain): Promise<boolean> {
  const counted = claimedAt === undefined ? 'all' : 'proven'
  return (await countActive(transaction, registrable, counted)) >= MAX_ACTIVE
}

/** Applies the newest claim that the DNS proves, or the proof of the registration itself. */
async function applyProofs(
  transaction: Transaction<Tables>,
  domain: Domain,
  proofs: string[],
  now: number,
): Promise<Domain> {
  if (proofs.length === 0) return domain
  const proven = await findProvenClaim(transaction, domain.name, proofs, now - CLAIM_MS)
  if (proven !== undefined) return afterClaim(domain, proven.tokenHash, now)
  return proofs.includes(proofOf(domain.name, domain.tokenHash)) ? afterProof(domain, now) : domain
}

/** What shows that a name does not lead here. Other faults are those of servers, or of the service itself. */
const elsewhere: ReadonlySet<DnsFault['code']> = new Set([
  'nxdomain',
  'no_records',
  'points_elsewhere',
  'cname_loop',
  'cname_chain_too_long',
])

/**
 * The domain after a check, and whether it wants a proof from then on. Only checks of a pending name decide that: one that was found here
 * may have its record edited or moved later, and still has led here before anybody registered it.
 */
async function withProofWanted(transaction: Transaction<Tables>, before: Domain, next: Domain): Promise<Domain> {
  if (next.claimedAt !== undefined || before.status !== 'pending') return next
  const { name, fault, proofWanted, updatedAt } = next
  if (proofWanted && fault?.code === TOO_MANY) await notePages(transaction, [{ name, at: updatedAt }])
  const isFound = fault === undefined || !elsewhere.has(fault.code)
  if (proofWanted ? isFound : next.status !== 'active') return next
  return { ...next, proofWanted: await hasServedPages(transaction, name) }
}

/** The fault of a name that leads here, and is pending nevertheless. */
const TOO_MANY = 'too_many_active'

function tooMany({ registrable, claimedAt }: Domain): DnsFault {
  const prove = claimedAt === undefined ? ', or prove by its TXT record that this one is yours' : ''
  return {
    code: TOO_MANY,
    detail: `it points here, but ${MAX_ACTIVE} names under ${registrable} are already active: remove one of them${prove}`,
    findings: [],
  }
}
