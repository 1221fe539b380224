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
  webhooks: Pick<LinkWebhooks, 'onChange' | 'which'>
}

/** What is to be suspended, and who says so. */
export interface Suspending {
  link: Link
  suspension: Suspension
  source: string
}

/**
 * Suspends links and records that in the audit log, in one transaction of a few statements: each one for itself waits for others'
 * work in this process and in PostgreSQL. Visits see it when the promise resolves.
 * @returns how many; not those that were changed or deleted since they were read
 */
export async function suspendLinks(
  { db, webhooks, invalidate }: SuspensionDeps,
  all: readonly Suspending[],
  urgency: Urgency,
): Promise<number> {
  const done = await db.urgent(urgency, async (transaction) => {
    const suspended = new Set<number>()
    for (const [, [first, ...more]] of Map.groupBy(all, ({ suspension }) => JSON.stringify(suspension))) {
      if (first === undefined) continue
      const links = [first, ...more].map(({ link }) => link)
      for (const id of await suspend(transaction, links, first.suspension)) suspended.add(id)
    }
    const found = all.filter(({ link }) => suspended.has(link.id))
    const audit = found.map(({ link: { code: subject }, suspension: { at, reason }, source }) => {
      return { at, action: 'remove', subject, source, reason }
    })
    await insertAudit(transaction, ...audit)
    const told = await webhooks.which(transaction, [...suspended])
    for (const { link, suspension } of found) {
      if (told.has(link.id))
        await webhooks.onChange(transaction, link, { ...link, suspension, revision: link.revision + 1 })
    }
    return found.length
  })
  for (const { link } of all) invalidate(link.code)
  return done
}

/** Suspends one link in the same way. @returns false when it was changed or deleted since it was read */
export async function suspendLink(
  deps: SuspensionDeps,
  link: Link,
  suspension: Suspension,
  source: string,
  urgency: Urgency,
): Promise<boolean> {
  return (await suspendLinks(deps, [{ link, suspension, source }], urgency)) === 1
}

/** Reinstates a suspended link in the same way. @param source who does: the operator, or what no longer applies */
export async function reinstateLink(
  deps: SuspensionDeps,
  link: Link,
  reason: string,
  source: 'operator' | 'list' = 'operator',
): Promise<boolean> {
  const audit = { at: deps.now(), action: 'restore', subject: link.code, source, reason }
  const isDone = await deps.db.urgent(source === 'operator' ? 'operator' : 'suspension', async (transaction) => {
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
export function suspensionFor({ expression, list, ruling }: Hit, at: number): Suspension {
  if (ruling === undefined) {
    return { at, expression, source: 'list', reason: `${expression} is on the list ${list}` }
  }
  return { at, expression, source: ruling.isLegal ? 'legal' : 'operator', reason: ruling.reason }
}
