import type { Database, Urgency } from '../db/database.ts'
import type { Link, Suspension } from '../links/link.ts'
import { reinstate, suspend } from '../links/suspension.ts'
import type { LinkWebhooks } from '../links/webhook.ts'
import type { Hit } from './screen.ts'
import { insertAudit } from './store.ts'

export interface SuspensionDeps {
  db: Database
  now: () => number
  /** Invalidates the cached link of a code. */
  invalidate: (code: string) => void
  webhooks: Pick<LinkWebhooks, 'onChange'>
}

/**
 * Suspends a link and records that in the audit log, in one transaction. Visits see it when the promise resolves.
 * @returns false when the link was changed or deleted since it was read
 */
export async function suspendLink(
  deps: SuspensionDeps,
  link: Link,
  suspension: Suspension,
  source: string,
  urgency: Urgency,
): Promise<boolean> {
  const { at, reason } = suspension
  const audit = { at, action: 'remove', subject: link.code, source, reason }
  const isDone = await deps.db.urgent(urgency, async (transaction) => {
    const suspended = await suspend(transaction, link, suspension)
    if (suspended) await insertAudit(transaction, audit)
    if (suspended) await deps.webhooks.onChange(transaction, link, { ...link, suspension, revision: link.revision + 1 })
    return suspended
  })
  deps.invalidate(link.code)
  return isDone
}

/** Reinstates a suspended link in the same way. */
export async function reinstateLink(deps: SuspensionDeps, link: Link, reason: string): Promise<boolean> {
  const audit = { at: deps.now(), action: 'restore', subject: link.code, source: 'operator', reason }
  const isDone = await deps.db.urgent('operator', async (transaction) => {
    const reinstated = await reinstate(transaction, link)
    if (reinstated) await insertAudit(transaction, audit)
    if (reinstated)
      await deps.webhooks.onChange(transaction, link, { ...link, suspension: null, revision: link.revision + 1 })
    return reinstated
  })
  deps.invalidate(link.code)
  return isDone
}

/** The suspension of a link with a blocked URL. Its owner, who knows the URL, can read the reason. */
export function suspensionFor({ expression, list, rule }: Hit, at: number): Suspension {
  if (rule === undefined) {
    return { at, expression, source: 'list', reason: `${expression} is on the list ${list}` }
  }
  return { at, expression, source: rule.isLegal ? 'legal' : 'operator', reason: rule.reason }
}
