import type { Executor, Locking } from '../db/database.ts'
import type { Link, Reported, Warning } from './link.ts'
import { clearReported, isLockedNotReported, setReported, setWarning } from './store.ts'

/**
 * Puts a warning before a link, or takes it away with null. Its revision increases, as when it is suspended. The caller
 * invalidates the cached link after the transaction.
 * @returns false when the link was changed or deleted since it was read
 */
export function warn(db: Executor, link: Link, warning: Warning | null): Promise<boolean> {
  return setWarning(db, link, warning)
}

/** Tells the owner of a link that people report it. @returns false when he was told after `before`, in milliseconds since 1970 */
export function tellReported(db: Executor, linkId: number, reported: Reported, before: number): Promise<boolean> {
  return setReported(db, linkId, reported, before)
}

/** Whether the owner of a link is to be told, as he was not after `before`, and another transaction has the link locked; else this one has. */
export function isLockedUntold(db: Executor, unlocked: Locking, linkId: number, before: number): Promise<boolean> {
  return isLockedNotReported(db, unlocked, linkId, before)
}

/** Takes back what the owner was told: the operator has dismissed the reports. */
export function untellReported(db: Executor, linkId: number): Promise<void> {
  return clearReported(db, linkId)
}
