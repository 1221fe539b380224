import { AcmeError, AuthorityAway } from './acme-error.ts'
import { LONGEST_MS, type Issuance } from './issuance-store.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** The back-off of a name that its owner has to put right, after failures in a row. */
const NAME_MS = [MINUTE_MS, 10 * MINUTE_MS, 100 * MINUTE_MS, LONGEST_MS]

/** After failures in a row that are no fault of the name. */
const AUTHORITY_MS = [MINUTE_MS, 2 * MINUTE_MS, 5 * MINUTE_MS, 10 * MINUTE_MS]

/** The longest that an authority may put off all names. */
const LONGEST_PAUSE_MS = HOUR_MS

/** The type of an error: an order that the authority does not finish in time. */
export const UNFINISHED = 'unfinished'

/** A name without failures. */
export const noFailures: Issuance = { failures: 0, interruptions: 0, retryAt: 0, fault: undefined, queuedAt: undefined }

/** Whether a time is to be waited for. */
export function isAhead(retryAt: number, now: number): boolean {
  return retryAt > now && retryAt - now <= LONGEST_MS
}

/**
 * What the failure of an attempt means for its name. One that waits in the queue stays in it while the authority is away, goes to
 * its end when the authority has failed it, and leaves it when it has to be put right.
 * @param pausedUntil when an authority that is away is tried again
 */
export function afterFailure(before: Issuance, error: unknown, now: number, pausedUntil: number): Issuance {
  const fault = (error instanceof Error ? error.message : String(error)).slice(0, 500)
  if (error instanceof AuthorityAway) return { ...before, retryAt: pausedUntil, fault }
  const retryAfter = (error instanceof AcmeError && error.retryAfter) || 0
  const retryAt = (steps: number[], failures: number) =>
    now + Math.max(waitAfter(steps, failures), Math.min(retryAfter, LONGEST_MS))
  if (isInterruption(error)) {
    const interruptions = before.interruptions + 1
    const queuedAt = before.queuedAt === undefined ? undefined : now
    return { interruptions, failures: before.failures, retryAt: retryAt(AUTHORITY_MS, interruptions), fault, queuedAt }
  }
  const failures = before.failures + 1
  return { failures, interruptions: 0, retryAt: retryAt(NAME_MS, failures), fault, queuedAt: undefined }
}

function waitAfter(steps: number[], failures: number): number {
  return steps[Math.min(failures, steps.length) - 1] ?? 0
}

/** Whether the attempt failed by no fault of its name. */
function isInterruption(error: unknown): boolean {
  if (!(error instanceof AcmeError)) return false
  const { type, status = 0, retryAfter } = error
  if (['serverInternal', 'badNonce', UNFINISHED].includes(type) || status >= 500) return true
  return (type === 'rateLimited' || status === 429) && retryAfter !== undefined
}

/** Whether the authority is away, as this process sees it. Meanwhile no name is tried, and none is blamed. */
export interface AuthorityState {
  /** Until when nothing is ordered, and why; undefined when it may be tried. */
  pause: () => { until: number; reason: string } | undefined
  failed: (error: AuthorityAway) => void
  answered: () => void
}

export function createAuthorityState(now: () => number): AuthorityState {
  let failures = 0
  let until = 0
  let reason = ''
  return {
    pause: () => (isAhead(until, now()) ? { until, reason } : undefined),
    failed(error) {
      // Attempts that began before the pause fail together.
      if (!isAhead(until, now())) failures++
      const wait = Math.max(waitAfter(AUTHORITY_MS, failures), Math.min(error.retryAfter ?? 0, LONGEST_PAUSE_MS))
      until = now() + wait
      reason = error.message
    },
    answered() {
      failures = 0
      until = 0
    },
  }
}
