import type { DatabaseSync } from 'node:sqlite'
import { createBoundedCache } from '../lib/bounded-cache.ts'
import type { Scan } from './scan.ts'
import { UNKNOWN } from './warehouse-schema.ts'

/** Texts and ids that are kept in memory; the rest is looked up. */
const CACHED = 50_000

/** The texts of the warehouse, each kept once and named by a small number. */
export interface Words {
  /** The ids of a scan's values, in the order of the dimensions. */
  idsOf: (scan: Scan) => number[]
  text: (id: number) => string | null
  /** To be called when a transaction was rolled back: the ids of texts that were new in it are given to others. */
  forget: () => void
}

export function openWords(db: DatabaseSync): Words {
  const find = db.prepare('select id from words where text = ?')
  const insert = db.prepare('insert into words (text) values (?)')
  const read = db.prepare('select text from words where id = ?')
  let ids = createBoundedCache<number>(CACHED)

  function idOf(text: string | null): number {
    if (text === null) return UNKNOWN
    const known = ids.get(text)
    if (known !== undefined) return known
    const row = find.get(text) as { id: number } | undefined
    const id = row?.id ?? Number(insert.run(text).lastInsertRowid)
    ids.set(text, id, 1)
    return id
  }

  return {
    idsOf: ({ source, device, os, browser, country, city, referrer }) => [
      idOf(source),
      idOf(device),
      idOf(os),
      idOf(browser),
      idOf(country),
      idOf(city === null ? null : joinCity(city, country)),
      idOf(referrer),
    ],
    text: (id) => (id === UNKNOWN ? null : ((read.get(id) as { text: string } | undefined)?.text ?? null)),
    forget: () => void (ids = createBoundedCache(CACHED)),
  }
}

/** Cities of one name in two countries are two values. */
function joinCity(city: string, country: string | null): string {
  return `${city}\t${country ?? ''}`
}

/** A city as it was joined with its country. */
export function splitCity(text: string | null): { city: string | null; country: string | null } {
  const [city = null, country = ''] = text?.split('\t') ?? []
  return { city, country: country || null }
}
