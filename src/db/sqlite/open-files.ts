import { basename } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { nameFiles } from '../../lib/named-files.ts'
import { StoreUnavailable } from '../unavailable.ts'

/** The files that SQLite has open for a database with a write-ahead log: the names that end so. */
const SUFFIXES = ['', '-wal', '-shm']

/** Another program has moved, replaced or removed a file of a database that is open. */
export class FilesReplaced extends StoreUnavailable {}

/** The files of an open database. */
export interface OpenFiles {
  /**
   * To be called before a change is acknowledged. When only the log has lost its name, writes it back into the database,
   * as far as no reader needs it: what was acknowledged before then is in the file that has the name.
   * @param connection one that may write, if there is one
   * @throws {FilesReplaced} unless the next process will find what was written to the files
   */
  confirm: (connection?: DatabaseSync) => void
}

/** @param file a database that has been read or written, and stays open */
export function openFilesOf(file: string): OpenFiles {
  const names = nameFiles(SUFFIXES.map((suffix) => `${file}${suffix}`))
  return {
    confirm(connection) {
      const lost = names.lost()
      if (lost.length === 0) return
      if (!lost.includes(file) && connection?.isOpen === true) writeBack(connection)
      throw new FilesReplaced(
        `another program has moved, replaced or removed ${lost.map((name) => basename(name)).join(', ')} while quirl has the file open: what is written to it would be lost; put it back, or see docs/trouble.md before you stop quirl`,
      )
    },
  }
}

function writeBack(connection: DatabaseSync): void {
  try {
    connection.exec('pragma wal_checkpoint(passive)')
  } catch {
    // In a transaction, or a fault of the disk: the change is refused in any case.
  }
}
