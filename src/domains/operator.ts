import { readName } from '../admin/input.ts'
import type { AdminOperations } from '../admin/socket.ts'
import { expiresAt, type Domain } from './domain.ts'
import type { Domains } from './open.ts'

/** A domain as `quirl domains` is told of it. Times are milliseconds since 1970, UTC. */
export interface DomainReport {
  name: string
  status: string
  since: number
  checked_at: number | null
  expires_at: number | null
  fault: string | null
}

/** A name that the operator keeps. */
export interface RefusedReport {
  name: string
  since: number
}

/** What operators do with custom domains. */
export type OperatedDomains = Pick<Domains, 'list' | 'refused' | 'check' | 'evict' | 'refuse' | 'allow'>

/** What an operator can ask of custom domains. */
export function domainOperations(domains: OperatedDomains): AdminOperations {
  return {
    domains: async () => ({ domains: (await domains.list()).map(report), refused: await domains.refused() }),
    'check-domain': async (input) => report(await domains.check(readName(input))),
    'remove-domain': async (input) => report(await domains.evict(readName(input))),
    'refuse-domain': async (input) => ({ name: await domains.refuse(readName(input)) }),
    'allow-domain': async (input) => ({ name: await domains.allow(readName(input)) }),
  }
}

function report(domain: Domain): DomainReport {
  return {
    name: domain.name,
    status: domain.status,
    since: domain.statusSince,
    checked_at: domain.checkedAt ?? null,
    expires_at: expiresAt(domain) ?? null,
    fault: domain.fault?.detail ?? null,
  }
}
