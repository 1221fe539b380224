import type { Database } from '../db/database.ts'
import type { Link, Removal } from '../links/link.ts'
import { putBack, takeDown } from '../links/removal.ts'
import type { Hit } from './screen.ts'
import { insertAudit } from './store.ts'

/** What removals need of the rest of the program. */
export interface TakedownDeps {
  db: Database
  now: () => number
  /** Makes visits read the link of a code anew: called after a change of it, before that is answered. */
  invalidate: (code: string) => void
}

/**
 * Removes a link and notes that in the audit, in one transaction; visits see it when this is done.
 * @returns false when the link has changed or gone since it was read
 */
export async function removeLink(deps: TakedownDeps, link: Link, removal: Removal, by: string): Promise<boolean> {
  const note = { at: removal.at, action: 'remove', subject: link.code, source: by, reason: removal.reason }
  const done = await deps.db.transaction(async (transaction) => {
    const removed = await takeDown(transaction, link, removal)
    if (removed) await insertAudit(transaction, note)
    return removed
  })
  deps.invalidate(link.code)
  return done
}

/** Takes a removal back, in the same way. */
export async function restoreLink(deps: TakedownDeps, link: Link, reason: string): Promise<boolean> {
  const note = { at: deps.now(), action: 'restore', subject: link.code, source: 'operator', reason }
  const done = await deps.db.transaction(async (transaction) => {
    const restored = await putBack(transaction, link)
    if (restored) await insertAudit(transaction, note)
    return restored
  })
  deps.invalidate(link.code)
  return done
}

/** The removal of a link that leads to what is listed. Its reason is for its owner, who knows where it leads. */
export function removalFor({ entry, list, own }: Hit, at: number): Removal {
  if (own === undefined) return { at, entry, source: 'list', reason: `${entry} is on the list ${list}` }
  return { at, entry, source: own.legal === 1 ? 'legal' : 'operator', reason: own.reason }
}
