import { DatabaseSync } from 'node:sqlite'
import { isSqliteDamaged, resultCode, SQLITE_READONLY } from './sqlite-errors.ts'

/** How long a copy waits for a process that is opening or closing the database. */
const BUSY_TIMEOUT_MS = 5000

/** Faults of a damaged database that are told. */
const MAX_FAULTS = 3

/**
 * Opens a database to look at it, beside a service that may be using it. Nothing in it is changed, but for taking back
 * what the end of a process has left half-written.
 * @throws when it is no database
 */
export function openToRead(file: string): DatabaseSync {
  const timeout = BUSY_TIMEOUT_MS
  const db = new DatabaseSync(file, { readOnly: true, timeout })
  try {
    db.exec('select 1 from sqlite_schema')
    return db
  } catch (error) {
    db.close()
    // SQLite takes nothing back on a connection that only reads.
    if (resultCode(error) !== SQLITE_READONLY) throw error
    return new DatabaseSync(file, { timeout })
  }
}

/**
 * Copies a database as it is at one moment, while others may go on writing to it: `VACUUM INTO` is one read transaction,
 * where SQLite's backup functions begin anew after each change. What was deleted is not in the copy. The copy is not
 * synced.
 */
export function copyDatabase(file: string, copy: string): void {
  const db = openToRead(file)
  try {
    db.prepare('vacuum into ?').run(copy)
  } finally {
    db.close()
  }
}

/** What SQLite finds wrong with the pages, rows and indexes of a database; nothing, as a rule. */
export function faultsOf(db: DatabaseSync): string[] {
  try {
    const rows = db.prepare(`pragma integrity_check(${MAX_FAULTS})`).all() as { integrity_check: string }[]
    const faults = rows.map((row) => row.integrity_check).filter((text) => text !== 'ok')
    const strays = db.prepare('pragma foreign_key_check').all().slice(0, MAX_FAULTS) as { table: string }[]
    return [...faults, ...strays.map(({ table }) => `a row of ${table} refers to one that is not there`)]
  } catch (error) {
    if (!isSqliteDamaged(error)) throw error
    return [(error as Error).message]
  }
}
