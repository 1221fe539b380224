import { basename } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { isSqliteDamaged, isSqliteReplaced } from '../../db/sqlite/errors.ts'
import { dayOf } from '../calendar.ts'
import type { FoldedScan, Scan } from '../scan.ts'
import { destroyKeys, keysFile } from '../describing/visitors.ts'
import { transaction } from './transaction.ts'

/** A part of a journal file that is folded in one transaction. A retry after a crash has the same borders. */
export interface Chunk {
  journal: string
  /** The position of its first byte in the file. */
  from: number
  scans: Scan[]
}

/** Decides which scans are a visitor's first of a link on a UTC day. */
export interface FirstOfDay {
  /** Flags a chunk's scans. A retry of a chunk that was not committed to the warehouse gets the same flags. */
  flag: (chunk: Chunk) => FoldedScan[]
  /** Closes all files, so that those of past days can be destroyed. */
  close: () => void
}

interface DayKeys {
  db: DatabaseSync
  chunkId: StatementSync
  insert: StatementSync
  find: StatementSync
}

/**
 * @param yieldNow called often during long work
 * @param onDamage called with each file of keys that is damaged or not where it was; it is recreated, and its visitors count again
 */
export function openFirstOfDay(
  folder: string,
  yieldNow: () => void = () => {},
  onDamage: (file: string) => void = () => {},
): FirstOfDay {
  const days = new Map<number, DayKeys>()

  function keysOf(day: number): DayKeys {
    let keys = days.get(day)
    if (keys === undefined) days.set(day, (keys = openDay(keysFile(folder, day))))
    return keys
  }

  function flagOrRecreate(day: number, chunk: Chunk, flags: Set<Scan>): void {
    try {
      flagDay(keysOf(day), chunk, flags, yieldNow)
    } catch (error) {
      if (!isSqliteDamaged(error) && !isSqliteReplaced(error)) throw error
      days.get(day)?.db.close()
      days.delete(day)
      destroyKeys(folder, day)
      onDamage(basename(keysFile(folder, day)))
      flagDay(keysOf(day), chunk, flags, yieldNow)
    }
  }

  return {
    flag(chunk) {
      const flags = new Set<Scan>()
      for (const [day, scans] of Map.groupBy(chunk.scans, ({ at }) => dayOf(at)))
        flagOrRecreate(day, { ...chunk, scans }, flags)
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
 * The keys are committed before the scans. After a crash in between, the chunk is retried; a key that the chunk itself
 * has inserted then still counts as new, once.
 */
function flagDay(keys: DayKeys, { journal, from, scans }: Chunk, flags: Set<Scan>, yieldNow: () => void): void {
  transaction(keys.db, () => {
    const { id } = keys.chunkId.get(journal, from) as { id: number }
    const seenInChunk = new Set<string>()
    for (const scan of scans) {
      yieldNow()
      const { linkId, visitor } = scan
      if (visitor === null) continue
      const name = `${linkId}:${visitor}`
      if (seenInChunk.has(name)) continue
      seenInChunk.add(name)
      const isNew = keys.insert.run(linkId, visitor, id).changes === 1
      if (isNew || (keys.find.get(linkId, visitor) as { chunk: number }).chunk === id) flags.add(scan)
    }
  })
}
