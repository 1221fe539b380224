import { Problem } from '../../http/problem.ts'
import { rowResults, type RowResult } from '../bulk/row-results.ts'
import { codeKey } from '../code.ts'
import { insertLinks } from '../create-store.ts'
import { aliasTaken } from '../insert.ts'
import { findByTokens } from '../store.ts'
import type { ImportDeps } from './deps.ts'
import { readRows, type Importable } from './read-rows.ts'

/** Rows of one call. */
export const MAX_IMPORT_ROWS = 500

/** A link of another service: what a creation has, and what only an import can set. */
export interface ImportRow {
  /** Its code there, which it keeps. */
  alias: string
  /** The owner's token, which the client has drawn and stored before: so that a call can be repeated. */
  token: string
  /** ISO 8601; now when absent. */
  created_at?: string
  /** Visits that were counted there; none when absent. */
  clicks?: number
  /** False when it is paused; a bundle of quirl says so. */
  active?: boolean
  /** How its QR images look; a bundle of quirl has it. */
  design?: object
  [field: string]: unknown
}

/** The result of a row: whether the link was created now, or by an earlier call with the same token. */
export type ImportResult = RowResult<{ state: 'created' | 'present' | 'valid' }>

export interface ImportOptions {
  /** Only validate the rows. */
  dryRun: boolean
  /** The origin of the QR images, which are drawn to check a design. */
  origin: string
}

/** Creates the links of rows whose codes are free, in one transaction. A repeated call creates and counts nothing twice. */
export async function importLinks(
  deps: ImportDeps,
  rows: unknown[],
  { dryRun, origin }: ImportOptions,
): Promise<ImportResult[]> {
  const read = await readRows(deps, rows, origin)
  const valid = read.filter((row): row is Importable => !(row instanceof Problem))
  const present = await findPresent(deps, valid)
  const isAbsent = ({ link }: Importable) => !present.has(link.tokenHash)
  const inserted = await insert(deps, valid.filter(isAbsent), dryRun)
  if (!dryRun) {
    for (const { link } of inserted.values()) deps.invalidate(link.code)
    await count(deps, valid, present, inserted)
  }
  const stateOf = (row: Importable | Problem) => {
    if (row instanceof Problem) return row
    if (present.has(row.link.tokenHash)) return { state: 'present' as const }
    if (inserted.get(row.link.codeKey) !== row) return aliasTaken(row.link.code)
    return { state: dryRun ? ('valid' as const) : ('created' as const) }
  }
  return rowResults(read.map(stateOf)).results
}

/** The links that an earlier call has created, by the hash of their token. */
async function findPresent({ db, now }: ImportDeps, rows: Importable[]): Promise<Map<string, { id: number }>> {
  const found = await findByTokens(
    db.read,
    rows.map(({ link }) => link.tokenHash),
    now(),
  )
  const codes = new Map(rows.map(({ link }) => [link.tokenHash, link.codeKey]))
  return new Map([...found].filter(([hash, link]) => codes.get(hash) === codeKey(link.code)))
}

/** Rolls the transaction back. */
class DryRun extends Error {}

/** Inserts the first row of each code that is free. @returns them by the key of their code */
async function insert(deps: ImportDeps, rows: Importable[], dryRun: boolean): Promise<Map<string, Importable>> {
  const first = new Map(rows.toReversed().map((row) => [row.link.codeKey, row]))
  let inserted = new Map<string, Importable>()
  try {
    await deps.db.transaction(async (transaction) => {
      const keys = await insertLinks(
        transaction,
        [...first.values()].map(({ link }) => link),
      )
      inserted = new Map([...first].filter(([key]) => keys.has(key)))
      for (const { link, design } of inserted.values())
        if (design !== undefined) await deps.designs.save(transaction, link.id, design)
      if (dryRun) throw new DryRun('a dry run creates nothing')
    })
  } catch (error) {
    if (!(error instanceof DryRun)) throw error
  }
  if (!dryRun) for (const { link } of inserted.values()) deps.ids.markUsed(link.id)
  return inserted
}

/** Adds the visits of links that this call or an earlier one has created: the earlier one may have been interrupted. */
async function count(
  deps: ImportDeps,
  rows: Importable[],
  present: Map<string, { id: number }>,
  inserted: Map<string, Importable>,
): Promise<void> {
  const counts = rows.flatMap((row) => {
    const { link, clicks } = row
    const linkId = inserted.get(link.codeKey) === row ? link.id : present.get(link.tokenHash)?.id
    return linkId === undefined || clicks === 0 ? [] : [{ linkId, at: link.createdAt, clicks }]
  })
  if (counts.length > 0) await deps.addImported(counts)
}
