import type { DnsFault } from './dns-fault.ts'

export type Status = 'pending' | 'active' | 'misconfigured'

/** What a name serves: that of an active one is `open` while it is not narrowed to codes. */
export type Served = Status | 'open'

/** Whether a name leads here: it resolves codes, and may have a certificate. */
export function leadsHere(served: string | undefined): boolean {
  return served === 'active' || served === 'open'
}

/** A registered host name. Times are milliseconds since 1970, UTC. */
export interface Domain {
  name: string
  registrable: string
  tokenHash: string
  status: Status
  statusSince: number
  createdAt: number
  updatedAt: number
  checkedAt: number | undefined
  nextCheckAt: number
  /** Consecutive failed checks, and the time of the first one. */
  failures: number
  failingSince: number | undefined
  /** The fault that the last check found. */
  fault: DnsFault | undefined
  /** When a claim, or the registration itself, was last proven. */
  claimedAt: number | undefined
  /**
   * Whether it is narrowed to codes only once the TXT record of its registration was seen. So it is unless a check has found
   * that it leads elsewhere before any found it here, and if pages were served under it: whoever registers it then may be anybody.
   */
  proofWanted: boolean
}

export function servedOf({ status, proofWanted }: Pick<Domain, 'status' | 'proofWanted'>): Served {
  return status === 'active' && proofWanted ? 'open' : status
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** The longest time between two checks of a name. */
export const LONGEST_WAIT_MS = HOUR_MS

/** How long a name that does not point here is stored. */
const PENDING_MS = 7 * DAY_MS
const MISCONFIGURED_MS = 30 * DAY_MS

/** How long an active name stays active while its DNS servers do not respond. */
const GRACE_MS = DAY_MS

/** When the name will be deleted; undefined for an active one. */
export function expiresAt({ status, createdAt, statusSince }: Domain): number | undefined {
  if (status === 'active') return undefined
  return status === 'pending' ? createdAt + PENDING_MS : statusSince + MISCONFIGURED_MS
}

/** Names whose status is older than these times have expired. */
export function expiryCutoffs(now: number): { pending: number; misconfigured: number } {
  return { pending: now - PENDING_MS, misconfigured: now - MISCONFIGURED_MS }
}

/**
 * The domain after a check. The owner's records take effect at once; for servers that do not respond there is a grace
 * period. The next check follows after an hour without a fault, otherwise after 1, 2, 4 … minutes, at most an hour.
 * @param transient whether the fault says nothing about the owner's records
 */
export function afterCheck(domain: Domain, fault: DnsFault | undefined, transient: boolean, now: number): Domain {
  if (fault === undefined) {
    const checked = {
      ...domain,
      checkedAt: now,
      failures: 0,
      failingSince: undefined,
      fault,
      nextCheckAt: now + LONGEST_WAIT_MS,
    }
    return withStatus(checked, 'active', now)
  }
  const failures = domain.failures + 1
  const failingSince = domain.failingSince ?? now
  const delay = Math.min(LONGEST_WAIT_MS, MINUTE_MS * 2 ** Math.min(failures - 1, 10))
  const checked = { ...domain, checkedAt: now, failures, failingSince, fault, nextCheckAt: now + delay }
  const isLost = domain.status === 'active' && (!transient || now - failingSince >= GRACE_MS)
  return withStatus(checked, isLost ? 'misconfigured' : domain.status, now)
}

/** The domain after a proven claim. One that is not active is pending again: the new owner has the full time. */
export function afterClaim(domain: Domain, tokenHash: string, now: number): Domain {
  const claimed = { ...afterProof(domain, now), tokenHash }
  return claimed.status === 'active' ? claimed : { ...withStatus(claimed, 'pending', now), createdAt: now }
}

/** The domain after the TXT record of its registration was seen. */
export function afterProof(domain: Domain, now: number): Domain {
  return { ...domain, proofWanted: false, claimedAt: now }
}

/** The latest time of the next check of a claimed name: after a minute, then with doubling intervals up to an hour. */
export function nextClaimCheckAt(claimedAt: number, now: number): number {
  return now + Math.min(LONGEST_WAIT_MS, Math.max(MINUTE_MS, now - claimedAt))
}

function withStatus(domain: Domain, status: Status, now: number): Domain {
  return { ...domain, status, statusSince: status === domain.status ? domain.statusSince : now, updatedAt: now }
}
