import { DatabaseSync } from 'node:sqlite'
import { addToRollups, groupScans, rollupWriter } from './rollup.ts'
import type { FoldedScan } from './scan.ts'
import { migrateWarehouse } from './warehouse-schema.ts'
import { openWords, type Words } from './words.ts'

/** The folded scans and their rollups. It has one owner, on one thread. */
export interface Warehouse {
  db: DatabaseSync
  words: Words
  /** How far a journal file has been folded, in bytes. */
  position: (journal: string) => number
  /** Keeps scans and the new position of their journal in one transaction, which survives power loss. */
  add: (scans: FoldedScan[], journal: string, position: number) => void
  /** Forgets the positions of all journal files but these, which are still there. */
  keepMarks: (journals: string[]) => void
  close: () => void
}

/**
 * Opens the warehouse. `synchronous=FULL`: a journal file is removed once its scans are here.
 * @param rest called again and again during long work
 */
export function openWarehouse(file: string, rest: () => void = () => {}): Warehouse {
  const db = new DatabaseSync(file)
  db.exec('pragma journal_mode = wal; pragma synchronous = full; pragma cache_size = -8000')
  migrateWarehouse(db)
  const words = openWords(db)
  const rollups = rollupWriter(db)
  const insertScan = db.prepare('insert into scans values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
  const readMark = db.prepare('select position from marks where journal = ?')
  const writeMark = db.prepare(
    'insert into marks values (?, ?) on conflict (journal) do update set position = excluded.position',
  )
  const readCounter = db.prepare('select next from counter')
  const writeCounter = db.prepare('update counter set next = ?')

  return {
    db,
    words,
    position: (journal) => (readMark.get(journal) as { position: number } | undefined)?.position ?? 0,
    add(scans, journal, position) {
      transaction(db, () => {
        let { next } = readCounter.get() as { next: number }
        const groups = groupScans(scans, words.idsOf, (scan, ids) => {
          rest()
          insertScan.run(scan.linkId, scan.at, next++, ...ids, scan.first ? 1 : 0, scan.bot ? 1 : 0)
        })
        addToRollups(rollups, groups)
        writeCounter.run(next)
        writeMark.run(journal, position)
      })
    },
    keepMarks(journals) {
      const kept = new Set(journals)
      const rows = db.prepare('select journal from marks').all() as { journal: string }[]
      const remove = db.prepare('delete from marks where journal = ?')
      transaction(db, () => {
        for (const { journal } of rows) if (!kept.has(journal)) remove.run(journal)
      })
    },
    close: () => db.close(),
  }
}

/** Runs `work` whole or not at all. */
export function transaction(db: DatabaseSync, work: () => void): void {
  db.exec('begin immediate')
  try {
    work()
    db.exec('commit')
  } catch (error) {
    if (db.isTransaction) db.exec('rollback')
    throw error
  }
}
