import type { DnsFault } from './dns.ts'

export type Status = 'pending' | 'active' | 'misconfigured'

/** A registered host name as the program knows it. Times are milliseconds since 1970, UTC. */
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
  /** Checks that failed since the last one that did not, and since when. */
  failures: number
  failingSince: number | undefined
  /** What the last check found, when it found a fault. */
  fault: DnsFault | undefined
  /** When the DNS proved a claim to it last. */
  claimedAt: number | undefined
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** How long a name may be without leading here before it is forgotten. */
const PENDING_MS = 7 * DAY_MS
const MISCONFIGURED_MS = 30 * DAY_MS

/** How long an active name outlives DNS servers that do not answer. */
const PATIENCE_MS = DAY_MS

/** When a name that does not lead here is forgotten; undefined for one that does. */
export function expiresAt({ status, createdAt, statusSince }: Domain): number | undefined {
  if (status === 'active') return undefined
  return status === 'pending' ? createdAt + PENDING_MS : statusSince + MISCONFIGURED_MS
}

/** Names of that status that have had it since before these times are forgotten. */
export function forgottenBefore(now: number): { pending: number; misconfigured: number } {
  return { pending: now - PENDING_MS, misconfigured: now - MISCONFIGURED_MS }
}

/**
 * The domain after a check. What the owner has set counts at once; servers that do not answer are waited for, because
 * nothing can be concluded from silence. The next check comes after an hour while all is well, else after 1, 2, 4 …
 * minutes, at most an hour.
 * @param passing whether the fault says nothing about what the owner has set
 */
export function afterCheck(domain: Domain, fault: DnsFault | undefined, passing: boolean, now: number): Domain {
  if (fault === undefined) {
    const checked = {
      ...domain,
      checkedAt: now,
      failures: 0,
      failingSince: undefined,
      fault,
      nextCheckAt: now + HOUR_MS,
    }
    return withStatus(checked, 'active', now)
  }
  const failures = domain.failures + 1
  const failingSince = domain.failingSince ?? now
  const delay = Math.min(HOUR_MS, MINUTE_MS * 2 ** Math.min(failures - 1, 10))
  const checked = { ...domain, checkedAt: now, failures, failingSince, fault, nextCheckAt: now + delay }
  const isLost = domain.status === 'active' && (!passing || now - failingSince >= PATIENCE_MS)
  return withStatus(checked, isLost ? 'misconfigured' : domain.status, now)
}

/** The domain after its DNS has proven a claim: who holds it now has as long to set the other record as anyone. */
export function afterClaim(domain: Domain, tokenHash: string, now: number): Domain {
  const held = { ...domain, tokenHash, claimedAt: now }
  return held.status === 'active' ? held : { ...withStatus(held, 'pending', now), createdAt: now }
}

/**
 * When a name that is being claimed is looked up next, at the latest: after a minute, then in twice as long each time,
 * as its claim grows old, at most an hour.
 */
export function nextLookForClaim(claimedAt: number, now: number): number {
  return now + Math.min(HOUR_MS, Math.max(MINUTE_MS, now - claimedAt))
}

function withStatus(domain: Domain, status: Status, now: number): Domain {
  return { ...domain, status, statusSince: status === domain.status ? domain.statusSince : now, updatedAt: now }
}
