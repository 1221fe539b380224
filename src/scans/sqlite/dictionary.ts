import type { DatabaseSync } from 'node:sqlite'
import { createBoundedCache } from '../../lib/bounded-cache.ts'
import { dimensions, textsOf } from '../../dimensions/dimensions.ts'
import { createNewReferrers } from '../folding/new-referrers.ts'
import type { Scan } from '../scan.ts'
import { OTHER, UNKNOWN } from '../text-ids.ts'

/** Entries in the cache; the database resolves the others. */
const CACHED = 50_000

/** The dictionary of the warehouse: each distinct text is stored once, under a small id. */
export interface Dictionary {
  /**
   * The ids of a scan's values, in the order of the dimensions.
   * @param addsReferrers whether a referrer that is not stored yet may be; otherwise it is `(other)`
   */
  idsOf: (scan: Scan, addsReferrers?: boolean) => number[]
  /** The id of a text, which is new or known; of an unknown value when it is null. */
  idOf: (text: string | null) => number
  text: (id: number) => string | null
  /** Removes from this set whatever ids are used from now on; from none when it is undefined. */
  watch: (unused: Set<number> | undefined) => void
  remove: (ids: Iterable<number>) => void
  /** To be called after a rollback: SQLite assigns the ids of texts that were new in the transaction again. */
  clearCache: () => void
}

export function openDictionary(db: DatabaseSync): Dictionary {
  const find = db.prepare('select id from dictionary where text = ?')
  const insert = db.prepare('insert into dictionary (text) values (?)')
  const read = db.prepare('select text from dictionary where id = ?')
  const removal = db.prepare('delete from dictionary where id = ?')
  let ids = createBoundedCache<number>(CACHED)
  let newReferrers = createNewReferrers()
  let watched: Set<number> | undefined

  /** @param admit called for a new text, which counts as `(other)` when it refuses */
  function idOf(text: string | null, admit: () => boolean = () => true): number {
    if (text === null) return UNKNOWN
    const id = ids.get(text) ?? findOrInsert(text, admit)
    watched?.delete(id)
    return id
  }

  function findOrInsert(text: string, admit: () => boolean): number {
    const row = find.get(text) as { id: number } | undefined
    if (row === undefined && !admit()) return OTHER
    const id = row?.id ?? Number(insert.run(text).lastInsertRowid)
    ids.set(text, id, 1)
    return id
  }

  return {
    idsOf(scan, addsReferrers = true) {
      const admit = () => addsReferrers && newReferrers.admit(scan)
      return textsOf(scan).map((text, at) => (dimensions[at]?.isOpen === true ? idOf(text, admit) : idOf(text)))
    },
    idOf: (text) => idOf(text),
    text: (id) => (id === UNKNOWN ? null : ((read.get(id) as { text: string } | undefined)?.text ?? null)),
    watch: (unused) => void (watched = unused),
    remove(removed) {
      for (const id of removed) removal.run(id)
      ids = createBoundedCache(CACHED)
    },
    clearCache() {
      ids = createBoundedCache(CACHED)
      newReferrers = createNewReferrers()
    },
  }
}
