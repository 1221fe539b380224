import type { DatabaseSync } from 'node:sqlite'
import { createBoundedCache } from '../../lib/bounded-cache.ts'
import type { Scan } from '../scan.ts'
import { textsOf } from '../texts-of-scan.ts'
import { UNKNOWN } from '../warehouse-schema.ts'

/** Entries in the cache; the database resolves the others. */
const CACHED = 50_000

/** The dictionary of the warehouse: each distinct text is stored once, under a small id. */
export interface Dictionary {
  /** The ids of a scan's values, in the order of the dimensions. */
  idsOf: (scan: Scan) => number[]
  /** The id of a text, which is new or known; of an unknown value when it is null. */
  idOf: (text: string | null) => number
  text: (id: number) => string | null
  /** To be called after a rollback: SQLite assigns the ids of texts that were new in the transaction again. */
  clearCache: () => void
}

export function openDictionary(db: DatabaseSync): Dictionary {
  const find = db.prepare('select id from dictionary where text = ?')
  const insert = db.prepare('insert into dictionary (text) values (?)')
  const read = db.prepare('select text from dictionary where id = ?')
  let ids = createBoundedCache<number>(CACHED)

  function idOf(text: string | null): number {
    if (text === null) return UNKNOWN
    const cached = ids.get(text)
    if (cached !== undefined) return cached
    const row = find.get(text) as { id: number } | undefined
    const id = row?.id ?? Number(insert.run(text).lastInsertRowid)
    ids.set(text, id, 1)
    return id
  }

  return {
    idsOf: (scan) => textsOf(scan).map(idOf),
    idOf,
    text: (id) => (id === UNKNOWN ? null : ((read.get(id) as { text: string } | undefined)?.text ?? null)),
    clearCache: () => void (ids = createBoundedCache(CACHED)),
  }
}
