import { DatabaseSync } from 'node:sqlite'
import { openIdentity, type IdentityNotes } from './identity.ts'
import { addToRollups, groupScans, rollupWriter } from './rollup.ts'
import type { FoldedScan } from './scan.ts'
import { migrateWarehouse } from './warehouse-schema.ts'
import { openWords, type Words } from './dictionary.ts'

/** The folded scans and their rollups. It has one owner, on one thread. */
export interface Warehouse extends IdentityNotes {
  db: DatabaseSync
  words: Words
  /** How far a journal file has been folded, and whether damage was met in that. */
  mark: (journal: string) => Pick<Mark, 'position' | 'isDamaged'>
  /** Keeps scans and the new mark of their journal in one transaction, which survives power loss. */
  add: (scans: FoldedScan[], mark: Mark) => void
  /** Scans that were lost to damage of the journal, ever. */
  lost: () => number
  /** Forgets the positions of all journal files but these, which are still there. */
  keepMarks: (journals: string[]) => void
  close: () => void
}

/** How far a journal file has been folded. */
export interface Mark {
  journal: string
  /** In bytes. */
  position: number
  /** Scans that could not be read since the mark before. */
  lost: number
  isDamaged: boolean
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
  const readMark = db.prepare('select position, damaged from marks where journal = ?')
  const writeMark = db.prepare(
    `insert into marks (journal, position, damaged) values (?, ?, ?)
     on conflict (journal) do update set position = excluded.position, damaged = excluded.damaged`,
  )
  const readCounter = db.prepare('select next from counter')
  const writeCounter = db.prepare('update counter set next = ?, lost = lost + ?')
  const readLost = db.prepare('select lost from counter')

  return {
    db,
    words,
    mark(journal) {
      const row = readMark.get(journal) as { position: number; damaged: number } | undefined
      return { position: row?.position ?? 0, isDamaged: row?.damaged === 1 }
    },
    lost: () => (readLost.get() as { lost: number }).lost,
    ...openIdentity(db),
    add(scans, { journal, position, lost, isDamaged }) {
      const work = () => {
        let { next } = readCounter.get() as { next: number }
        const groups = groupScans(scans, words.idsOf, (scan, ids) => {
          rest()
          insertScan.run(scan.linkId, scan.at, next++, ...ids, scan.first ? 1 : 0, scan.bot ? 1 : 0)
        })
        addToRollups(rollups, groups)
        writeCounter.run(next, lost)
        writeMark.run(journal, position, isDamaged ? 1 : 0)
      }
      try {
        transaction(db, work)
      } catch (error) {
        words.forget()
        throw error
      }
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
