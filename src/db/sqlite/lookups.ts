import type { DatabaseSync } from 'node:sqlite'
import { StoreUnavailable } from '../unavailable.ts'

/** Look-ups on a connection of their own. */
export interface Lookups {
  /** Prepares a statement; the returned function returns the values of its first row. */
  prepare: (sql: string) => (parameters: string[]) => unknown[] | undefined
  /** Ends the read transaction, so that a checkpoint can write back all of the log. */
  endTransaction: () => void
}

/**
 * Runs all look-ups of one iteration of the event loop in one transaction: to lock and unlock the log for each costs as
 * much as the look-up. So they see what was committed before the first of them. A change is answered in a later iteration
 * than that of its commit, so that whoever reads after the answer sees it.
 * @param onFault called when the connection can no longer be used
 */
export function createLookups(db: DatabaseSync, onFault: (error: unknown) => void): Lookups {
  const begin = db.prepare('begin')
  const commit = db.prepare('commit')
  const endTransaction = () => {
    if (!db.isOpen || !db.isTransaction) return
    try {
      commit.run()
    } catch (error) {
      // A file that cannot be read fails this as well. A transaction that stays open would see the same state for ever.
      rollBack(error)
    }
  }
  function rollBack(error: unknown): void {
    try {
      if (db.isTransaction) db.exec('rollback')
    } catch {
      onFault(error)
    }
  }
  return {
    prepare(sql) {
      const statement = db.prepare(sql)
      // Each object would get a shape of its own, and cost more than the look-up.
      statement.setReturnArrays(true)
      return (parameters) => {
        if (!db.isOpen) throw new StoreUnavailable('the store is closed')
        if (!db.isTransaction) {
          begin.run()
          setImmediate(endTransaction)
        }
        return statement.get(...parameters) as unknown[] | undefined
      }
    },
    endTransaction,
  }
}
