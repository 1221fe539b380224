import type { Query } from '../database/session.ts'
import { createBoundedCache, type BoundedCache } from '../../lib/bounded-cache.ts'
import { dimensions, textsOf } from '../../dimensions/dimensions.ts'
import { createNewReferrers, type NewReferrers } from '../../scans/folding/new-referrers.ts'
import type { Scan } from '../../scans/scan.ts'
import { OTHER, UNKNOWN } from '../../scans/text-ids.ts'
import { hasTexts, keepTexts, readSweeps } from './unused-texts.ts'

/** Texts whose ids are cached. */
const CACHED = 50_000

/** The dictionary of all nodes. */
export interface PostgresDictionary {
  /**
   * Finds the ids of all texts of these scans, and inserts new texts.
   * @param addsReferrers whether referrers that are not stored yet may be; otherwise they are `(other)`
   */
  prepare: (scans: readonly Scan[], addsReferrers?: boolean) => Promise<IdsOf>
  /** The same for single texts. */
  prepareTexts: (texts: Iterable<string>) => Promise<(text: string | null) => number>
  /**
   * To be called in the transaction that adds rows with these ids, before it does: keeps them from being removed.
   * @throws {TextsRemoved} when that has happened since they were found
   */
  keep: (query: Query, ids: Iterable<number>) => Promise<void>
}

/** The ids of a scan's values, in the order of the dimensions. */
export type IdsOf = (scan: Scan) => number[]

/** Texts were removed since their ids were found: they are to be found again. */
export class TextsRemoved extends Error {}

export function openPostgresDictionary(query: Query): PostgresDictionary {
  const newReferrers = createNewReferrers()
  let cache = createBoundedCache<number>(CACHED)
  let sweeps: number | undefined

  async function find(ids: Map<string, number>, texts: string[]): Promise<void> {
    for (const { id, text } of await findTexts(query, texts)) {
      ids.set(text, id)
      cache.set(text, id, 1)
    }
  }

  /** @param admit whether a new text may be inserted */
  async function prepareTexts(texts: Iterable<string>, admit: (text: string) => boolean = () => true) {
    sweeps ??= await readSweeps(query)
    const { ids, unknown } = lookUp(texts, cache)
    await find(ids, unknown)
    const missing = unknown.filter((text) => !ids.has(text) && admit(text)).sort()
    await insertTexts(query, missing)
    await find(ids, missing)
    return (text: string | null) => (text === null ? UNKNOWN : (ids.get(toStored(text)) ?? OTHER))
  }

  return {
    prepareTexts: (texts) => prepareTexts(texts),
    async prepare(scans, addsReferrers = true) {
      const admission = addsReferrers ? newReferrers : { admit: () => false }
      const idOf = await prepareTexts(textsOfAll(scans), admitReferrers(scans, admission))
      return (scan) => textsOf(scan).map(idOf)
    },
    async keep(inTransaction, given) {
      const ids = [...new Set(given)].filter((id) => id > OTHER)
      const removals = await keepTexts(inTransaction, ids)
      if (removals === sweeps) return
      // Those that were removed are mostly others.
      const areKept = await hasTexts(inTransaction, ids)
      sweeps = removals
      cache = createBoundedCache(CACHED)
      if (!areKept) throw new TextsRemoved('texts were removed meanwhile')
    },
  }
}

/** The ids of texts that are cached, and the texts that are not. */
function lookUp(texts: Iterable<string>, cache: Pick<BoundedCache<number>, 'get'>) {
  const ids = new Map<string, number>()
  const unknown = new Set<string>()
  for (const given of texts) {
    const text = toStored(given)
    const id = cache.get(text)
    if (id === undefined) unknown.add(text)
    else ids.set(text, id)
  }
  return { ids, unknown: [...unknown] }
}

async function findTexts(query: Query, texts: string[]): Promise<{ id: number; text: string }[]> {
  if (texts.length === 0) return []
  return query('select id, text from quirl_scans.dictionary where text = any($1)', [texts])
}

/** Outside the fold's transaction: another node that has the same new text need not wait for it. Until a row has it, it is unused. */
async function insertTexts(query: Query, texts: string[]): Promise<void> {
  if (texts.length === 0) return
  await query(
    `with added as (
       insert into quirl_scans.dictionary (text) select unnest($1::text[]) on conflict do nothing returning id
     ) insert into quirl_scans.unused select id from added on conflict do nothing`,
    [texts],
  )
}

const isOpen = dimensions.map((dimension) => dimension.isOpen)

/** Admits all texts but those that strangers choose, and that are more than a link may have anew in a day. */
function admitReferrers(scans: readonly Scan[], { admit }: NewReferrers): (text: string) => boolean {
  let others: Set<string> | undefined
  let referrers: Map<string, Scan> | undefined
  return (text) => {
    // Only for texts that are new, which few folds have.
    others ??= new Set(
      scans.flatMap((scan) => textsOf(scan).flatMap((each, at) => (isOpen[at] === true ? [] : stored(each)))),
    )
    referrers ??= new Map(
      scans.flatMap((scan) =>
        textsOf(scan).flatMap((each, at) =>
          isOpen[at] === true ? stored(each).map((text): [string, Scan] => [text, scan]) : [],
        ),
      ),
    )
    const scan = referrers.get(text)
    return others.has(text) || scan === undefined || admit(scan)
  }
}

const stored = (text: string | null): string[] => (text === null ? [] : [toStored(text)])

function* textsOfAll(scans: readonly Scan[]): Generator<string> {
  for (const scan of scans) for (const text of textsOf(scan)) if (text !== null) yield text
}

/** PostgreSQL has no NUL in texts, and its driver replaces lone surrogates. */
function toStored(text: string): string {
  return text.toWellFormed().replaceAll('\0', '')
}
