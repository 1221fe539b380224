import { DatabaseSync } from 'node:sqlite'
import { isSqliteDamaged, resultCode, SQLITE_READONLY } from './errors.ts'

/** How long a copy waits for a process that is opening or closing the database. */
const BUSY_TIMEOUT_MS = 5000

/** Faults that are reported of a damaged database. */
const MAX_FAULTS = 3

/**
 * Opens a database read-only, while a service may be using it. Only a transaction that a killed process left incomplete is
 * rolled back.
 * @throws when the file is no database
 */
export function openToRead(file: string): DatabaseSync {
  const timeout = BUSY_TIMEOUT_MS
  const db = new DatabaseSync(file, { readOnly: true, timeout })
  try {
    db.exec('select 1 from sqlite_schema')
    return db
  } catch (error) {
    db.close()
    // SQLite cannot roll back on a read-only connection.
    if (resultCode(error) !== SQLITE_READONLY) throw error
    return new DatabaseSync(file, { timeout })
  }
}

/**
 * Copies a snapshot of a database while others may write to it: `VACUUM INTO` is one read transaction, whereas SQLite's
 * backup functions start over after each change. The copy holds no deleted data. It is not synced.
 */
export function copyDatabase(file: string, copy: string): void {
  const db = openToRead(file)
  try {
    db.prepare('vacuum into ?').run(copy)
  } finally {
    db.close()
  }
}

/** The faults that SQLite finds in the pages, rows and indexes of a database. */
export function faultsOf(db: DatabaseSync): string[] {
  try {
    const rows = db.prepare(`pragma integrity_check(${MAX_FAULTS})`).all() as { integrity_check: string }[]
    const faults = rows.map((row) => row.integrity_check).filter((text) => text !== 'ok')
    const strays = db.prepare('pragma foreign_key_check').all().slice(0, MAX_FAULTS) as { table: string }[]
    return [...faults, ...strays.map(({ table }) => `a row of ${table} refers to a missing row`)]
  } catch (error) {
    if (!isSqliteDamaged(error)) throw error
    return [(error as Error).message]
  }
}
