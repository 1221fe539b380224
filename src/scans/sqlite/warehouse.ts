import { DatabaseSync } from 'node:sqlite'
import { dimensionNames } from '../../dimensions/dimensions.ts'
import { openDictionary, type Dictionary } from './dictionary.ts'
import { openFilesOf } from '../../db/sqlite/open-files.ts'
import { openIdentity, type IdentityWriter } from '../identity.ts'
import type { Mark } from '../folding/fold-target.ts'
import { groupScans, type Group } from '../folding/increments.ts'
import { selectRaw, UNBOUNDED, type RawBound, type RawSelection } from '../folding/raw-bound.ts'
import { addToRollups, rollupWriter, type RollupWriter } from '../folding/rollup.ts'
import { openImports, type Imports } from './imports.ts'
import { openMissingRows, type MissingRowsTable } from './missing-rows.ts'
import { transaction } from './transaction.ts'
import { openUnusedTexts, type UnusedTexts } from './unused-texts.ts'
import type { FoldedScan } from '../scan.ts'
import { migrateWarehouse } from '../warehouse-schema.ts'

/** The folded scans and their rollups. It has one owner, on one thread. */
export interface Warehouse extends IdentityWriter, Imports {
  db: DatabaseSync
  dictionary: Dictionary
  unused: UnusedTexts
  bound: RawBound
  /**
   * Adds scans and sets the mark of their journal file in one transaction, which survives power loss.
   * @returns how many of them only count
   */
  add: (scans: FoldedScan[], mark: Mark) => number
  /** How far a journal file has been folded, and whether damage was found so far. */
  mark: (journal: string) => Pick<Mark, 'position' | 'isDamaged'>
  /** @throws {FilesReplaced} unless the next process will find what was committed */
  confirm: () => void
  /** Removes the marks of all journal files but these, which still exist. */
  retainMarks: (journals: string[]) => void
  /** Scans that were lost to damage of the journal, ever. */
  lost: () => number
  close: () => void
}

const insertion = `insert into scans (link_id, at, n, ${dimensionNames.join(', ')}, first, bot)
  values (?, ?, ?, ${dimensionNames.map(() => '?').join(', ')}, ?, ?)`

/**
 * Opens the warehouse. `synchronous=FULL`: a journal file is removed once its scans are committed here.
 * @param yieldNow called often during long work
 * @param bound which scans are stored one by one
 */
export function openWarehouse(file: string, yieldNow: () => void = () => {}, bound = UNBOUNDED): Warehouse {
  const db = new DatabaseSync(file)
  db.exec('pragma journal_mode = wal; pragma synchronous = full; pragma cache_size = -8000')
  migrateWarehouse(db)
  const files = openFilesOf(file)
  const dictionary = openDictionary(db)
  const unused = openUnusedTexts(db, dictionary)
  const rollups = rollupWriter(db, unused.note)
  const marks = openMarks(db)
  const numbers = openCounter(db)
  const addScans = openScans(db, dictionary, numbers, yieldNow)
  const insert = createInsert({ bound, addScans, rollups, missing: openMissingRows(db), marks })

  function change<T>(work: () => T): T {
    try {
      return transaction(db, work)
    } catch (error) {
      dictionary.clearCache()
      throw error
    }
  }

  return {
    db,
    dictionary,
    unused,
    bound,
    ...openIdentity(db),
    add(scans, mark) {
      // So that a file without a name stays as it is while it is copied back.
      files.confirm(db)
      return change(() => insert(scans, mark))
    },
    ...openImports({ db, rollups, change, addScans, dictionary }),
    mark: marks.read,
    confirm: () => files.confirm(db),
    retainMarks: marks.retain,
    lost: numbers.lost,
    close: () => db.close(),
  }
}

interface Insertion {
  bound: RawBound
  addScans: ReturnType<typeof openScans>
  rollups: RollupWriter
  missing: MissingRowsTable
  marks: Pick<ReturnType<typeof openMarks>, 'write'>
}

/** @returns what adds scans in a transaction, and returns how many of them only count */
function createInsert({ bound, addScans, rollups, missing, marks }: Insertion) {
  return (scans: FoldedScan[], mark: Mark): number => {
    const selection = selectRaw(bound, missing.stored)
    addToRollups(rollups, addScans(scans, { lost: mark.lost, ...selection }))
    missing.add(selection.missing)
    marks.write(mark)
    return selection.count()
  }
}

interface AddOptions extends Pick<RawSelection, 'keeps' | 'addsReferrers'> {
  lost: number
}

/** Adds those raw scans that are kept, and notes how many were lost. @returns them in groups, for the rollups */
function openScans(
  db: DatabaseSync,
  { idsOf }: Dictionary,
  numbers: ReturnType<typeof openCounter>,
  yieldNow: () => void,
): (scans: FoldedScan[], options?: AddOptions) => Iterable<Group> {
  const insert = db.prepare(insertion)
  return (scans, { lost, keeps, addsReferrers } = { lost: 0, keeps: () => true, addsReferrers: true }) => {
    let next = numbers.next()
    const idsOfScan = (scan: FoldedScan) => idsOf(scan, addsReferrers)
    const groups = groupScans(scans, idsOfScan, (scan, ids) => {
      yieldNow()
      if (!keeps(scan)) return
      insert.run(scan.linkId, scan.at, next++, ...ids, scan.first ? 1 : 0, scan.bot ? 1 : 0)
    })
    numbers.write(next, lost)
    return groups
  }
}

function openMarks(db: DatabaseSync) {
  const read = db.prepare('select position, damaged from marks where journal = ?')
  const write = db.prepare(
    `insert into marks (journal, position, damaged) values (?, ?, ?)
     on conflict (journal) do update set position = excluded.position, damaged = excluded.damaged`,
  )
  return {
    read: (journal: string) => {
      const row = read.get(journal) as { position: number; damaged: number } | undefined
      return { position: row?.position ?? 0, isDamaged: row?.damaged === 1 }
    },
    write: ({ journal, position, isDamaged }: Mark) => void write.run(journal, position, isDamaged ? 1 : 0),
    retain: (journals: string[]) => {
      const retained = new Set(journals)
      const rows = db.prepare('select journal from marks').all() as { journal: string }[]
      const remove = db.prepare('delete from marks where journal = ?')
      transaction(db, () => {
        for (const { journal } of rows) if (!retained.has(journal)) remove.run(journal)
      })
    },
  }
}

/** The number of the next scan, and the count of lost ones. */
function openCounter(db: DatabaseSync) {
  const readNext = db.prepare('select next from counter')
  const write = db.prepare('update counter set next = ?, lost = lost + ?')
  const readLost = db.prepare('select lost from counter')
  return {
    next: () => (readNext.get() as { next: number }).next,
    lost: () => (readLost.get() as { lost: number }).lost,
    write: (next: number, newlyLost: number) => void write.run(next, newlyLost),
  }
}
