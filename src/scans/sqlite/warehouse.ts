import { DatabaseSync } from 'node:sqlite'
import { dimensionNames } from '../../dimensions/dimensions.ts'
import { openDictionary, type Dictionary } from './dictionary.ts'
import { openFilesOf } from '../../db/sqlite/open-files.ts'
import { openIdentity, type IdentityWriter } from './identity.ts'
import type { Mark } from '../folding/fold-target.ts'
import { groupScans, type Group } from '../folding/increments.ts'
import {
  selectRaw,
  UNBOUNDED,
  type RawBound,
  type RawSelection,
  slotsOfHour,
  type MissingRows,
  type StoredRows,
} from '../folding/raw-bound.ts'
import { addToRollups, rollupWriter, type RollupWriter, addIncrements } from './rollup.ts'
import { transaction } from './transaction.ts'
import { openUnusedTexts, type UnusedTexts } from './unused-texts.ts'
import { openWriteAheadLog, type WriteAheadLog } from './write-ahead-log.ts'
import type { FoldedScan } from '../scan.ts'
import { migrateWarehouse } from './warehouse-schema.ts'
import { importedGroups, type ImportedCount } from '../import/clicks.ts'
import { partIncrements, storedScans, visitGroups, type ImportPart, type Taken } from '../import/part.ts'

/** The folded scans and their rollups. It has one owner, on one thread. */
export interface SqliteWarehouse extends IdentityWriter, Imports {
  db: DatabaseSync
  dictionary: Dictionary
  unused: UnusedTexts
  bound: RawBound
  log: WriteAheadLog
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

/** How long a start waits for another program that reads the file, such as the operator's, in milliseconds. */
const OPEN_MS = 5_000

/**
 * Opens the warehouse. `synchronous=FULL`: a journal file is removed once its scans are committed here.
 * @param yieldNow called often during long work
 * @param bound which scans are stored one by one
 */
export function openSqliteWarehouse(file: string, yieldNow: () => void = () => {}, bound = UNBOUNDED): SqliteWarehouse {
  const db = new DatabaseSync(file, { timeout: OPEN_MS })
  db.exec('pragma journal_mode = wal; pragma synchronous = full; pragma cache_size = -8000')
  migrateWarehouse(db)
  // From now on, whoever finds it locked tries again later.
  db.exec('pragma busy_timeout = 0')
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
    log: openWriteAheadLog(db, file),
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

/** Scans that are counted and have no row. */
interface MissingRowsTable {
  stored: StoredRows
  /** To be called in the transaction that counts them. */
  add: (missing: MissingRows) => void
}

function openMissingRows(db: DatabaseSync): MissingRowsTable {
  const sumOf = (table: string) =>
    `(select coalesce(sum(humans + bots), 0) from ${table} where link_id = ?1 and slot between ?2 and ?3)`
  const ever = db.prepare('select humans + bots as scans from totals where link_id = ?')
  const inHour = db.prepare(`select ${sumOf('quarter_hourly')} - ${sumOf('raw_missing')} as scans`)
  const names = ['humans', 'human_firsts', 'bots', 'bot_firsts']
  const upsert = db.prepare(
    `insert into raw_missing values (?, ?, ?, ?, ?, ?) on conflict (link_id, slot) do update
     set ${names.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`,
  )
  return {
    stored: {
      atMost: (linkId) => (ever.get(linkId) as { scans: number } | undefined)?.scans ?? 0,
      inHour: (linkId, hour) => (inHour.get(linkId, ...slotsOfHour(hour)) as { scans: number }).scans,
    },
    add(missing) {
      for (const [linkId, slots] of missing) {
        for (const [slot, counts] of slots) upsert.run(linkId, slot, ...counts)
      }
    },
  }
}

/** What was counted elsewhere. */
interface Imports {
  /** Adds visits that another service has counted, once for each link. */
  addImported: (counts: readonly ImportedCount[]) => void
  /** Adds a part of a bundle or of visits if it is the next one. @returns what the link has taken then */
  addPart: (part: ImportPart) => Taken
}

/** What imports need of the warehouse. */
interface Needs {
  db: DatabaseSync
  rollups: RollupWriter
  /** Runs work in a transaction. */
  change: <T>(work: () => T) => T
  /** @returns the scans in groups, for the rollups */
  addScans: (scans: FoldedScan[]) => Iterable<Group>
  dictionary: Pick<Dictionary, 'idOf' | 'idsOf'>
}

function openImports({ db, rollups, change, addScans, dictionary }: Needs): Imports {
  const insert = db.prepare('insert into imported (link_id, bundle) values (?, ?) on conflict do nothing')
  const read = db.prepare('select bundle, position from imported where link_id = ?')
  const move = db.prepare('update imported set position = ? where link_id = ?')
  return {
    addImported: (counts) =>
      change(() => {
        const added = counts.filter(({ linkId }) => insert.run(linkId, '').changes === 1)
        addToRollups(rollups, importedGroups(added))
      }),
    addPart: (part) =>
      change(() => {
        const { linkId, bundle, position, count } = part
        insert.run(linkId, bundle)
        const taken = { ...read.get(linkId) } as unknown as Taken
        if (taken.bundle !== bundle || taken.position !== position) return taken
        addToRollups(rollups, visitGroups(part, addScans(storedScans(part)), dictionary.idsOf))
        const increments = partIncrements(part, dictionary.idOf)
        if (increments !== undefined) addIncrements(rollups, linkId, increments)
        move.run(position + count, linkId)
        return { bundle, position: position + count }
      }),
  }
}
