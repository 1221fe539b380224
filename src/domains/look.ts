import type { Database, Executor } from '../db/database.ts'
import { CLAIM_MS } from './claim.ts'
import { deleteClaims, findLastClaimed, findProvenClaim } from './claim-store.ts'
import { isPassing, type DnsCheck, type DnsFault } from './dns.ts'
import { afterCheck, afterClaim, nextLookForClaim, type Domain } from './domain.ts'
import type { KnownDomains } from './known.ts'
import { countActive, findDomain, updateDomain } from './store.ts'

/** How many names below one registrable name may be active: one owner's share of certificates. */
export const MAX_ACTIVE = 40

interface LookDeps {
  db: Database
  now: () => number
  dns: DnsCheck
  known: KnownDomains
}

/**
 * Makes what looks a name up: where it leads, and whether a claim to it is proven. It writes what it has found, and
 * answers the domain as it then stands; undefined when that has gone.
 */
export function createLook({ db, now, dns, known }: LookDeps): (domain: Domain) => Promise<Domain | undefined> {
  const findClaimed = (name: string) => findLastClaimed(db.read, name, now() - CLAIM_MS)

  async function judge(transaction: Executor, domain: Domain, fault: DnsFault | undefined): Promise<Domain> {
    const next = afterCheck(domain, fault, fault !== undefined && isPassing(fault), now())
    const isNew = next.status === 'active' && domain.status !== 'active'
    const isTooMany = isNew && (await countActive(transaction, domain.registrable)) >= MAX_ACTIVE
    return isTooMany ? afterCheck(domain, tooMany(domain), false, now()) : next
  }

  /** The domain in the hands of whoever has proven a claim to it. */
  async function handOver(transaction: Executor, domain: Domain, proofs: string[]): Promise<Domain> {
    if (proofs.length === 0) return domain
    const proven = await findProvenClaim(transaction, domain.name, proofs, now() - CLAIM_MS)
    return proven === undefined ? domain : afterClaim(domain, proven.tokenHash, now())
  }

  return async (domain) => {
    const { name, tokenHash } = domain
    const claimedAt = await findClaimed(name)
    const [fault, proofs] = await Promise.all([dns.faultOf(domain), claimedAt === undefined ? [] : dns.proofsOf(name)])
    const checked = await db.transaction(async (transaction) => {
      const next = await judge(transaction, await handOver(transaction, domain, proofs), fault)
      if (claimedAt !== undefined) next.nextCheckAt = Math.min(next.nextCheckAt, nextLookForClaim(claimedAt, now()))
      if (!(await updateDomain(transaction, next, tokenHash))) return undefined
      // Each proof counts once: a record that is left standing must not undo the next claim.
      if (proofs.length > 0) await deleteClaims(transaction, name, proofs)
      return next
    })
    // Otherwise another process has handed it over or removed it meanwhile: what that one has written stands.
    const present = checked ?? (await findDomain(db.read, name))
    known.note(name, present?.status)
    return present
  }
}

function tooMany({ registrable }: Domain): DnsFault {
  return {
    code: 'too_many_active',
    detail: `it leads here, but ${MAX_ACTIVE} names under ${registrable} are active already: remove one of them`,
  }
}
