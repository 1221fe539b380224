import type { Database } from '../db/database.ts'
import { deleteRuling, insertAudit, listRulings, readRulingsRevision, upsertRuling, type Ruling } from './store.ts'

/** The operator's block and allow rulings, cached in memory. Every change is recorded in the audit log. */
export interface Rulings {
  /** The rulings by their expression. */
  all: () => ReadonlyMap<string, Ruling>
  /** Increases with every change, also when a change restores an earlier state. */
  revision: () => number
  /** Adds a ruling, or replaces the one for its expression. */
  put: (ruling: Ruling) => Promise<void>
  /** Deletes a ruling. Returns false when there is none. */
  remove: (expression: string, action: 'unblock' | 'forget', reason: string) => Promise<boolean>
  /**
   * Loads the rulings again: another process may have changed them, or a change was committed although the store reported a failure.
   * @returns whether they were changed
   */
  reload: () => Promise<boolean>
}

/** @param announce notifies other processes of a change */
export async function openRulings(db: Database, now: () => number, announce = () => {}): Promise<Rulings> {
  let rulings: ReadonlyMap<string, Ruling> = new Map()
  let revision = 0
  const load = async () => {
    const newest = await readRulingsRevision(db.read)
    const listed = await listRulings(db.read)
    const before = JSON.stringify([...rulings])
    // Both at once: whoever knows the revision has compared with these.
    revision = newest
    rulings = new Map(listed.map((ruling) => [ruling.expression, ruling]))
    // Their revisions tell less: other processes may commit them in another order.
    return JSON.stringify([...rulings]) !== before
  }
  await load()
  return {
    all: () => rulings,
    revision: () => revision,
    reload: load,
    async put(ruling) {
      const source = ruling.isLegal ? 'legal' : 'operator'
      const audit = { at: now(), action: ruling.verdict, subject: ruling.expression, source, reason: ruling.reason }
      await db.urgent('operator', async (transaction) => {
        await upsertRuling(transaction, ruling)
        await insertAudit(transaction, audit)
      })
      announce()
      await load()
    },
    async remove(expression, action, reason) {
      const audit = { at: now(), action, subject: expression, source: 'operator', reason }
      const isDeleted = await db.urgent('operator', async (transaction) => {
        const deleted = await deleteRuling(transaction, expression)
        if (deleted) await insertAudit(transaction, audit)
        return deleted
      })
      announce()
      await load()
      return isDeleted
    },
  }
}
