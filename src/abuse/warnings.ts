import type { Link, Warning } from '../links/link.ts'
import { warn } from '../links/warning.ts'
import { insertAudit } from './store.ts'
import type { SuspensionDeps } from './suspension.ts'

/**
 * Puts the operator's warning before a link, or takes it away with null, and records that in the audit log, in one transaction.
 * Visits see it when the promise resolves.
 * @returns false when the link was changed or deleted since it was read
 */
export async function setWarningOf(
  deps: SuspensionDeps,
  link: Link,
  warning: Warning | null,
  reason: string,
): Promise<boolean> {
  const action = warning === null ? 'unwarn' : 'warn'
  const audit = { at: deps.now(), action, subject: link.code, source: 'operator', reason }
  const isDone = await deps.db.transaction(async (transaction) => {
    if (!(await warn(transaction, link, warning))) return false
    await insertAudit(transaction, audit)
    await deps.webhooks.onChange(transaction, link, { ...link, warning, revision: link.revision + 1 })
    return true
  })
  deps.invalidate(link.code)
  return isDone
}
