import { basename } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { isSqliteDamaged, isSqliteReplaced } from '../../db/sqlite/errors.ts'
import { dayOf } from '../calendar.ts'
import type { FoldedScan, Scan } from '../scan.ts'
import { firstOfAddress, KEYS_OF_ADDRESS } from '../describing/visitor-key.ts'
import { destroyKeys, keysFile } from '../describing/visitors.ts'
import { flagFirsts, type DayKeys, type KeysOfDay } from '../folding/first-visits.ts'
import { transaction } from './transaction.ts'

/** A part of a journal file that is folded in one transaction. A retry after a crash has the same borders. */
export interface Chunk {
  journal: string
  /** The position of its first byte in the file. */
  from: number
  scans: Scan[]
}

/** Decides which scans are a visitor's, and a person's, first of a link on a UTC day. */
export interface FirstOfDay {
  /**
   * Flags a chunk's scans. A retry of a chunk that was not committed to the warehouse gets the same flags.
   * @param addsKeys whether further keys may be stored; see `flagFirsts`
   */
  flag: (chunk: Chunk, addsKeys?: boolean) => FoldedScan[]
  /** Closes all files, so that those of past days can be destroyed. */
  close: () => void
}

/** The keys of a day, and what they are of. */
interface OpenDay {
  db: DatabaseSync
  /** The number of a chunk, which each key has that it adds. */
  chunkId: (journal: string, from: number) => number
  tables: Record<keyof KeysOfDay, KeyStatements>
}

interface KeyStatements {
  find: StatementSync
  count: StatementSync
  insert: StatementSync
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
  const days = new Map<number, OpenDay>()

  function dayFor(day: number): OpenDay {
    let open = days.get(day)
    if (open === undefined) days.set(day, (open = openDay(keysFile(folder, day))))
    return open
  }

  function flagOrRecreate(day: number, chunk: Chunk, addsKeys: boolean): FoldedScan[] {
    try {
      return flagDay(dayFor(day), chunk, { addsKeys, yieldNow })
    } catch (error) {
      if (!isSqliteDamaged(error) && !isSqliteReplaced(error)) throw error
      days.get(day)?.db.close()
      days.delete(day)
      destroyKeys(folder, day)
      onDamage(basename(keysFile(folder, day)))
      return flagDay(dayFor(day), chunk, { addsKeys, yieldNow })
    }
  }

  return {
    flag(chunk, addsKeys = true) {
      const byDay = Map.groupBy(chunk.scans, ({ at }) => dayOf(at))
      const flagged = Array.from(
        byDay,
        ([day, scans]) => [day, flagOrRecreate(day, { ...chunk, scans }, addsKeys).values()] as const,
      )
      const next = new Map(flagged)
      // In the order of the chunk.
      return chunk.scans.map((scan) => next.get(dayOf(scan.at))?.next().value ?? { ...scan, first: false })
    },
    close() {
      for (const { db } of days.values()) db.close()
      days.clear()
    },
  }
}

function openDay(file: string): OpenDay {
  const db = new DatabaseSync(file)
  try {
    return prepareDay(db)
  } catch (error) {
    db.close()
    throw error
  }
}

const tableOfKeys = (name: string) => `
  create table if not exists ${name} (
    link_id integer not null, visitor integer not null, chunk integer not null, primary key (link_id, visitor)
  ) without rowid`

function prepareDay(db: DatabaseSync): OpenDay {
  db.exec(`
    pragma journal_mode = delete; pragma synchronous = full; pragma secure_delete = on;
    create table if not exists chunks (id integer primary key, journal text not null, start integer not null, unique (journal, start));
    ${tableOfKeys('seen')}; ${tableOfKeys('people')}`)
  const chunk = db.prepare(
    'insert into chunks (journal, start) values (?, ?) on conflict (journal, start) do update set start = excluded.start returning id',
  )
  return {
    db,
    chunkId: (journal, from) => (chunk.get(journal, from) as { id: number }).id,
    tables: { agents: prepareKeys(db, 'seen'), people: prepareKeys(db, 'people') },
  }
}

function prepareKeys(db: DatabaseSync, table: string): KeyStatements {
  return {
    find: db.prepare(`select chunk from ${table} where link_id = ? and visitor = ?`),
    count: db.prepare(
      `select count(*) as found from (select 1 from ${table} where link_id = ? and visitor >= ? and visitor < ? limit ?)`,
    ),
    insert: db.prepare(`insert into ${table} values (?, ?, ?)`),
  }
}

/**
 * The keys are committed before the scans. After a crash in between, the chunk is retried; a key that the chunk itself
 * has inserted then still counts as new, once.
 */
function flagDay(
  { db, chunkId, tables }: OpenDay,
  { journal, from, scans }: Chunk,
  { addsKeys, yieldNow }: { addsKeys: boolean; yieldNow: () => void },
): FoldedScan[] {
  return transaction(db, () => {
    const id = chunkId(journal, from)
    const keys = { agents: keysOfChunk(tables.agents, id), people: keysOfChunk(tables.people, id) }
    const keysOf = () => {
      yieldNow()
      return keys
    }
    return flagFirsts(scans, keysOf, addsKeys)
  })
}

function keysOfChunk({ find, count, insert }: KeyStatements, chunk: number): DayKeys {
  const seenInChunk = new Set<string>()
  return {
    find(linkId, key) {
      const row = find.get(linkId, key) as { chunk: number } | undefined
      if (row === undefined) return undefined
      const name = `${linkId}:${key}`
      if (row.chunk !== chunk || seenInChunk.has(name)) return 'known'
      seenInChunk.add(name)
      return 'again'
    },
    count(linkId, key, limit) {
      const first = firstOfAddress(key)
      return (count.get(linkId, first, first + KEYS_OF_ADDRESS, limit) as { found: number }).found
    },
    add(linkId, key) {
      seenInChunk.add(`${linkId}:${key}`)
      insert.run(linkId, key, chunk)
    },
  }
}
