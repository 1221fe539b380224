import { setImmediate as yieldToLoop } from 'node:timers/promises'
import { invalidRequest, Problem } from '../../http/problem.ts'
import { codeKey, isCode } from '../../links/code.ts'
import { missingLinkOf } from '../../links/bulk/row-links.ts'
import type { Collections } from '../open.ts'
import type { Collection } from '../store.ts'
import { codeOf, differencesOf, type Cells, type Difference } from './columns.ts'
import type { SheetLink } from '../sheet-store.ts'

/** A row whose link is in the collection, and what it changes. */
export interface Comparison {
  link: SheetLink
  /** Empty when the link is as the row wants it. */
  differences: Difference[]
}

/** Links that one statement reads; visits have the loop in between. */
const ROWS_PER_READ = 100

/** Compares the rows of a spreadsheet with the links of a collection, each of which may occur once. */
export async function compareRows(
  { sheetLinksOf }: Pick<Collections, 'sheetLinksOf'>,
  collection: Pick<Collection, 'id'>,
  rows: readonly (Cells | Problem)[],
): Promise<(Comparison | Problem)[]> {
  const outcomes: (Comparison | Problem)[] = []
  const rowsByLink = new Map<number, number>()
  for (let from = 0; from < rows.length; from += ROWS_PER_READ) {
    const named = rows.slice(from, from + ROWS_PER_READ).map((cells) => attempt(() => nameOf(cells)))
    const keys = named.flatMap((row) => (row instanceof Problem ? [] : [row.key]))
    const links = keys.length === 0 ? new Map<string, SheetLink>() : await sheetLinksOf(collection, keys)
    for (const row of named) {
      const outcome = row instanceof Problem ? row : attempt(() => compare(row, links.get(row.key), rowsByLink))
      if (!(outcome instanceof Problem)) rowsByLink.set(outcome.link.id, outcomes.length)
      outcomes.push(outcome)
    }
    await yieldToLoop()
  }
  return outcomes
}

interface NamedCells {
  cells: Cells
  key: string
}

function nameOf(cells: Cells | Problem): NamedCells {
  if (cells instanceof Problem) throw cells
  const code = codeOf(cells)
  if (!isCode(code)) throw missingLinkOf('code')
  return { cells, key: codeKey(code) }
}

function compare({ cells }: NamedCells, link: SheetLink | undefined, rowsByLink: Map<number, number>): Comparison {
  if (link === undefined) throw missingLinkOf('code')
  const earlier = rowsByLink.get(link.id)
  if (earlier === undefined) return { link, differences: differencesOf(cells, link) }
  throw invalidRequest([{ pointer: '/code', detail: `names the link of row ${earlier}, and each may occur once` }])
}

function attempt<T>(work: () => T): T | Problem {
  try {
    return work()
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}
