import type { DatabaseSync } from 'node:sqlite'
import { StoreAway } from './sqlite-errors.ts'

/** Look-ups on a connection of their own. */
export interface Looks {
  /** A statement that is kept prepared, and answers the values of its first row. */
  prepare: (sql: string) => (parameters: string[]) => unknown[] | undefined
  /** Lets go of what was looked at, so that a checkpoint can write back all of the log. */
  letGo: () => void
}

/**
 * Answers all look-ups of a turn of the event loop from one transaction: to lock and unlock the log for each costs as much
 * as what is between. So they see what was committed before the first of them. A change is answered in a later turn than
 * that of its commit, and who comes after the answer sees it.
 * @param onFault called when the connection is of no use any more
 */
export function createLooks(db: DatabaseSync, onFault: (error: unknown) => void): Looks {
  const begin = db.prepare('begin')
  const commit = db.prepare('commit')
  const letGo = () => {
    if (!db.isOpen || !db.isTransaction) return
    try {
      commit.run()
    } catch (error) {
      // A file that cannot be read fails this as well. What stays open would show the same state for ever.
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
      // Objects would each get a shape of their own, and cost more than the look-up.
      statement.setReturnArrays(true)
      return (parameters) => {
        if (!db.isOpen) throw new StoreAway('the store is closed')
        if (!db.isTransaction) {
          begin.run()
          setImmediate(letGo)
        }
        return statement.get(...parameters) as unknown[] | undefined
      }
    },
    letGo,
  }
}
