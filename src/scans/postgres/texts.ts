import type { Query } from '../../nodes/database/session.ts'
import { createBoundedCache } from '../../lib/bounded-cache.ts'
import type { RowQueries } from '../statistics/row-queries.ts'
import { UNKNOWN } from '../warehouse-schema.ts'

/** Texts in the cache; each has 100 characters at most. */
const CACHED = 20_000

/** Reads texts of the dictionary, which never change, and caches them. */
export function createTexts(query: Query): RowQueries['texts'] {
  const cache = createBoundedCache<string>(CACHED)
  return async (ids) => {
    const texts = new Map<number, string | null>([[UNKNOWN, null]])
    const unknown = new Set<number>()
    for (const id of ids) {
      if (texts.has(id) || unknown.has(id)) continue
      const text = cache.get(String(id))
      if (text === undefined) unknown.add(id)
      else texts.set(id, text)
    }
    if (unknown.size > 0) {
      const rows = await query<{ id: number; text: string }>(
        'select id, text from quirl_scans.dictionary where id = any($1::bigint[])',
        [[...unknown]],
      )
      for (const { id, text } of rows) {
        texts.set(id, text)
        cache.set(String(id), text, 1)
      }
    }
    return (id) => texts.get(id) ?? null
  }
}
