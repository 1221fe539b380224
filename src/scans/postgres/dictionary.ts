import type { Query } from '../../db/postgres/session.ts'
import { createBoundedCache } from '../../lib/bounded-cache.ts'
import { textsOf } from '../texts-of-scan.ts'
import type { Scan } from '../scan.ts'
import { UNKNOWN } from '../warehouse-schema.ts'

/** Texts whose ids are cached. */
const CACHED = 50_000

/** The dictionary of all nodes. */
export interface SharedDictionary {
  /** Finds the ids of all texts of these scans, and inserts new texts. */
  prepare: (scans: readonly Scan[]) => Promise<IdsOf>
  /** The same for single texts. */
  prepareTexts: (texts: Iterable<string>) => Promise<(text: string | null) => number>
}

/** The ids of a scan's values, in the order of the dimensions. */
export type IdsOf = (scan: Scan) => number[]

export function openSharedDictionary(query: Query): SharedDictionary {
  const cache = createBoundedCache<number>(CACHED)

  async function add(ids: Map<string, number>, texts: string[]): Promise<void> {
    const found = await query<{ id: number; text: string }>(
      'select id, text from quirl_scans.dictionary where text = any($1)',
      [texts],
    )
    for (const { id, text } of found) {
      ids.set(text, id)
      cache.set(text, id, 1)
    }
  }

  async function prepareTexts(texts: Iterable<string>): Promise<(text: string | null) => number> {
    const ids = new Map<string, number>()
    const unknown = new Set<string>()
    for (const text of texts) {
      const stored = toStored(text)
      const id = cache.get(stored)
      if (id === undefined) unknown.add(stored)
      else ids.set(stored, id)
    }
    if (unknown.size > 0) await add(ids, [...unknown])
    const missing = [...unknown].filter((text) => !ids.has(text)).sort()
    if (missing.length > 0) {
      // Outside the fold's transaction: another node that has the same new text need not wait for it. An unused text is harmless.
      await query('insert into quirl_scans.dictionary (text) select unnest($1::text[]) on conflict do nothing', [
        missing,
      ])
      await add(ids, missing)
    }
    return (text) => (text === null ? UNKNOWN : (ids.get(toStored(text)) ?? UNKNOWN))
  }

  return {
    prepareTexts,
    async prepare(scans) {
      const idOf = await prepareTexts(textsOfAll(scans))
      return (scan) => textsOf(scan).map(idOf)
    },
  }
}

function* textsOfAll(scans: readonly Scan[]): Generator<string> {
  for (const scan of scans) for (const text of textsOf(scan)) if (text !== null) yield text
}

/** PostgreSQL has no NUL in texts, and its driver replaces lone surrogates. */
function toStored(text: string): string {
  return text.toWellFormed().replaceAll('\0', '')
}
