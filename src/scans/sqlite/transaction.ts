import type { DatabaseSync } from 'node:sqlite'

/** Runs `work` in a transaction: commits it, or rolls back when it throws. */
export function transaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec('begin immediate')
  try {
    const result = work()
    db.exec('commit')
    return result
  } catch (error) {
    if (db.isTransaction) db.exec('rollback')
    throw error
  }
}
