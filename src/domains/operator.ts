import { readName } from '../operator/input.ts'
import type { OperatorOperations } from '../operator/socket.ts'
import { claimRecord, proofOf } from './claim.ts'
import { expiresAt, type Domain } from './domain.ts'
import type { Domains } from './open.ts'

/** A row of `quirl domains`. Times are milliseconds since 1970, UTC. */
export interface DomainRow {
  name: string
  status: string
  since: number
  checked_at: number | null
  expires_at: number | null
  fault: string | null
  /** The TXT record until which it serves pages as well; null when it wants none. */
  proof: { name: string; value: string } | null
}

/** A name that the operator refuses. */
export interface RefusedRow {
  name: string
  since: number
}

/** The part of `Domains` that the operations use. */
export type OperatedDomains = Domains

/** The result of `domains`. */
export interface DomainsResult {
  domains: DomainRow[]
  refused: RefusedRow[]
}

/** The operations of `quirl domains`. */
export function domainOperations(domains: OperatedDomains): OperatorOperations {
  return {
    async domains(): Promise<DomainsResult> {
      return { domains: (await domains.list()).map(toRow), refused: await domains.refused() }
    },
    'check-domain': async (input) => toRow(await domains.check(readName(input))),
    'remove-domain': async (input) => toRow(await domains.removeAsOperator(readName(input))),
    'refuse-domain': async (input) => ({ name: await domains.refuse(readName(input)) }),
    'allow-domain': async (input) => ({ name: await domains.allow(readName(input)) }),
  }
}

function toRow(domain: Domain): DomainRow {
  return {
    name: domain.name,
    status: domain.status,
    since: domain.statusSince,
    checked_at: domain.checkedAt ?? null,
    expires_at: expiresAt(domain) ?? null,
    fault: domain.fault?.detail ?? null,
    proof: domain.proofWanted
      ? { name: claimRecord(domain.name), value: proofOf(domain.name, domain.tokenHash) }
      : null,
  }
}
