import type { Database } from '../db/database.ts'
import { allEntries, deleteEntry, entriesRevision, insertAudit, putEntry, type Entry } from './store.ts'

/** What the operator says of hosts and URLs, in memory as it is in the store. */
export interface OwnEntries {
  all: () => ReadonlyMap<string, Entry>
  /** Grows with every change: what is said, taken back and said again is not what it was before. */
  revision: () => number
  /** Says something of an expression, in place of what was said before. */
  put: (entry: Entry) => Promise<void>
  /** Says nothing of it any more; false when nothing was said. */
  forget: (entry: string, action: 'unblock' | 'forget', reason: string) => Promise<boolean>
  /** Reads what is in the store, where a change may have been kept that was never answered. */
  reread: () => Promise<void>
}

/** Every change is in the audit. */
export async function openOwnEntries(db: Database, now: () => number): Promise<OwnEntries> {
  let entries: ReadonlyMap<string, Entry> = new Map()
  let revision = 0
  const load = async () => {
    revision = await entriesRevision(db.read)
    entries = new Map((await allEntries(db.read)).map((entry) => [entry.entry, entry]))
  }
  await load()
  return {
    all: () => entries,
    revision: () => revision,
    reread: load,
    async put(entry) {
      const note = { action: entry.verdict, subject: entry.entry, source: entry.legal === 1 ? 'legal' : 'operator' }
      await db.transaction(async (transaction) => {
        await putEntry(transaction, entry)
        await insertAudit(transaction, { ...note, at: now(), reason: entry.reason })
      })
      await load()
    },
    async forget(entry, action, reason) {
      const note = { action, subject: entry, source: 'operator', reason, at: now() }
      const gone = await db.transaction(async (transaction) => {
        const deleted = await deleteEntry(transaction, entry)
        if (deleted) await insertAudit(transaction, note)
        return deleted
      })
      await load()
      return gone
    },
  }
}
