import type { Database } from '../db/database.ts'
import type { Lane } from '../db/schema-webhooks.ts'
import { ownerKinds, tablesOf, type WebhookOwner } from './owner.ts'

/** Nothing waits for two days: the longest wait after a failure is a day, and so is that for a check, with an hour besides. */
const AHEAD_MS = 2 * 86_400_000

/** Rows of each kind that are changed at once. */
const PAGE = 500

const lanes: readonly Lane[] = ['quick', 'new', 'slow']

/**
 * Ends waits that are longer than any is meant to be, which began while the clock was ahead: they would last until the time that it
 * had then. Of many such rows it changes some; call it again.
 */
export async function endWaitsAhead(db: Database, now: number): Promise<void> {
  for (const kind of ownerKinds) for (const lane of lanes) await endAttemptsAhead(db, kind, lane, now)
  await endChecksAhead(db, now)
}

async function endAttemptsAhead(db: Database, kind: WebhookOwner['kind'], lane: Lane, now: number): Promise<void> {
  const { webhooks, key } = tablesOf({ kind })
  const ahead = db.read.selectFrom(webhooks).select(key).where('lane', '=', lane)
  const rows = await ahead
    .where('next_attempt_at', '>', now + AHEAD_MS)
    .limit(PAGE)
    .execute()
  if (rows.length === 0) return
  const ids = rows.map((row) => row[key])
  await db.write
    .updateTable(webhooks)
    .set({ next_attempt_at: now })
    .where(key, 'in', ids)
    .where('next_attempt_at', '>', now + AHEAD_MS)
    .execute()
}

/** The destination of a link is checked for all who want to know at once. */
async function endChecksAhead({ read, write }: Database, now: number): Promise<void> {
  for (const table of ['webhooks', 'memberships'] as const) {
    const ahead = read
      .selectFrom(table)
      .select('link_id')
      .where('next_check_at', '>', now + AHEAD_MS)
    const ids = (await ahead.limit(PAGE).execute()).map((row) => row.link_id)
    if (ids.length === 0) continue
    const due = write.updateTable(table).set({ next_check_at: now }).where('link_id', 'in', ids)
    await due.where('next_check_at', '>', now + AHEAD_MS).execute()
  }
}
