import { basename } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { isSqliteDamaged } from '../db/sqlite-errors.ts'
import { dayOf } from './calendar.ts'
import type { FoldedScan, Scan } from './scan.ts'
import { destroyKeys, keysFile } from './visitors.ts'
import { transaction } from './warehouse.ts'

/** A part of a journal file, whose scans are folded together. A repetition after a crash has the same borders. */
export interface Chunk {
  journal: string
  /** Where it begins in the file, in bytes. */
  from: number
  scans: Scan[]
}

/** Decides which scans are a visitor's first of a link and a UTC day. */
export interface FirstOfDay {
  /** Flags a chunk's scans. Flagging a chunk again, because it could not be kept, gives the same flags. */
  flag: (chunk: Chunk) => FoldedScan[]
  /** Lets go of all files, so that those of past days can be destroyed. */
  close: () => void
}

interface DayKeys {
  db: DatabaseSync
  chunkId: StatementSync
  insert: StatementSync
  find: StatementSync
}

/**
 * @param rest called again and again during long work
 * @param onDamage told of each file of keys that was damaged; it is begun anew, so that its visitors count again
 */
export function openFirstOfDay(
  folder: string,
  rest: () => void = () => {},
  onDamage: (file: string) => void = () => {},
): FirstOfDay {
  const days = new Map<number, DayKeys>()

  function keysOf(day: number): DayKeys {
    let keys = days.get(day)
    if (keys === undefined) days.set(day, (keys = openDay(keysFile(folder, day))))
    return keys
  }

  function flagSound(day: number, chunk: Chunk, flags: Set<Scan>): void {
    try {
      flagDay(keysOf(day), chunk, flags, rest)
    } catch (error) {
      if (!isSqliteDamaged(error)) throw error
      days.get(day)?.db.close()
      days.delete(day)
      destroyKeys(folder, day)
      onDamage(basename(keysFile(folder, day)))
      flagDay(keysOf(day), chunk, flags, rest)
    }
  }

  return {
    flag(chunk) {
      const flags = new Set<Scan>()
      for (const [day, scans] of Map.groupBy(chunk.scans, ({ at }) => dayOf(at)))
        flagSound(day, { ...chunk, scans }, flags)
      return chunk.scans.map((scan) => ({ ...scan, first: flags.has(scan) }))
    },
    close() {
      for (const { db } of days.values()) db.close()
      days.clear()
    },
  }
}

function openDay(file: string): DayKeys {
  const db = new DatabaseSync(file)
  try {
    return prepareDay(db)
  } catch (error) {
    db.close()
    throw error
  }
}

function prepareDay(db: DatabaseSync): DayKeys {
  db.exec(`
    pragma journal_mode = delete; pragma synchronous = full; pragma secure_delete = on;
    create table if not exists chunks (id integer primary key, journal text not null, start integer not null, unique (journal, start));
    create table if not exists seen (
      link_id integer not null, visitor integer not null, chunk integer not null, primary key (link_id, visitor)
    ) without rowid`)
  return {
    db,
    chunkId: db.prepare(
      'insert into chunks (journal, start) values (?, ?) on conflict (journal, start) do update set start = excluded.start returning id',
    ),
    insert: db.prepare('insert into seen values (?, ?, ?) on conflict (link_id, visitor) do nothing'),
    find: db.prepare('select chunk from seen where link_id = ? and visitor = ?'),
  }
}

/**
 * The keys are committed before the scans are. A crash in between repeats the chunk; then a key that this very chunk has
 * brought still counts as new, once.
 */
function flagDay(keys: DayKeys, { journal, from, scans }: Chunk, flags: Set<Scan>, rest: () => void): void {
  transaction(keys.db, () => {
    const { id } = keys.chunkId.get(journal, from) as { id: number }
    const met = new Set<string>()
    for (const scan of scans) {
      rest()
      const { linkId, visitor } = scan
      if (visitor === null) continue
      const name = `${linkId}:${visitor}`
      if (met.has(name)) continue
      met.add(name)
      const isNew = keys.insert.run(linkId, visitor, id).changes === 1
      if (isNew || (keys.find.get(linkId, visitor) as { chunk: number }).chunk === id) flags.add(scan)
    }
  })
}
