import { Problem } from '../../http/problem.ts'
import { rowResults, type RowResult } from '../bulk/row-results.ts'
import { codeKey } from '../code.ts'
import { insertLinks } from '../create-store.ts'
import type { LinkDeps } from '../deps.ts'
import { aliasTaken } from '../insert.ts'
import { noteScreening } from '../screened.ts'
import { findByTokens } from '../store.ts'
import { readNewRows, readOwnFields, type NewRow, type OwnFields, type PresentRow } from './read-rows.ts'

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
export type ImportResult = RowResult<{
  state: 'created' | 'present' | 'valid'
  /** Whether invisible characters around a URL were dropped. */
  isTrimmed?: true
}>

export interface ImportOptions {
  /** Only validate the rows. */
  dryRun: boolean
  /** The origin of the QR images, which are drawn to check a design. */
  origin: string
}

/**
 * Creates the links of rows whose codes are free, in one transaction. A repeated call creates and counts nothing twice; a row
 * whose link is there is not validated again, as its destination may have been blocked since.
 */
export async function importLinks(
  deps: LinkDeps,
  rows: unknown[],
  { dryRun, origin }: ImportOptions,
): Promise<ImportResult[]> {
  const screenAgain = noteScreening(deps)
  const read = (await readAll(deps, rows, origin)).map((row) => (isNew(row) ? (screenAgain(row.link) ?? row) : row))
  const inserted = await insert(deps, read.filter(isNew), dryRun)
  if (!dryRun) {
    for (const { link } of inserted.values()) deps.invalidate(link.code)
    await count(deps, [...read.filter(isPresent), ...inserted.values()])
  }
  const stateOf = (row: PresentRow | NewRow | Problem) => {
    if (row instanceof Problem) return row
    if (!isNew(row)) return { state: 'present' as const }
    if (inserted.get(row.link.codeKey) !== row) return aliasTaken(row.link.code)
    const state = dryRun ? ('valid' as const) : ('created' as const)
    return { state, ...(row.isTrimmed && { isTrimmed: true as const }) }
  }
  return rowResults(read.map(stateOf)).results
}

const isNew = (row: PresentRow | NewRow | Problem): row is NewRow => 'link' in row
const isPresent = (row: PresentRow | NewRow | Problem): row is PresentRow => !(row instanceof Problem || isNew(row))

async function readAll(deps: LinkDeps, rows: unknown[], origin: string): Promise<(PresentRow | NewRow | Problem)[]> {
  const owns = await readOwnFields(rows, deps.now())
  const ids = await findPresent(
    deps,
    owns.filter((own): own is OwnFields => !(own instanceof Problem)),
  )
  const toPresent = (own: OwnFields) => {
    const linkId = ids.get(own.tokenHash)
    return linkId === undefined ? own : { linkId, own }
  }
  return readNewRows(
    deps,
    owns.map((own, at) => ({ row: rows[at], own: own instanceof Problem ? own : toPresent(own) })),
    origin,
  )
}

/** The IDs of the links that an earlier call has created, by the hash of their token. */
async function findPresent({ db, now }: LinkDeps, owns: OwnFields[]): Promise<Map<string, number>> {
  const found = await findByTokens(
    db.read,
    owns.map(({ tokenHash }) => tokenHash),
    now(),
  )
  const codes = new Map(owns.map(({ tokenHash, codeKey: key }) => [tokenHash, key]))
  const own = [...found].filter(([hash, link]) => codes.get(hash) === codeKey(link.code))
  return new Map(own.map(([hash, { id }]) => [hash, id]))
}

/** Rolls the transaction back. */
class DryRun extends Error {}

/** Inserts the first row of each code that is free. @returns them by the key of their code */
async function insert(deps: LinkDeps, rows: NewRow[], dryRun: boolean): Promise<Map<string, NewRow>> {
  const first = new Map(rows.toReversed().map((row) => [row.link.codeKey, row]))
  let inserted = new Map<string, NewRow>()
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
async function count(deps: LinkDeps, rows: PresentRow[]): Promise<void> {
  const counts = rows.map(({ linkId, own: { createdAt, clicks } }) => ({ linkId, at: createdAt, clicks }))
  const visited = counts.filter(({ clicks }) => clicks > 0)
  if (visited.length > 0) await deps.addImported(visited)
}
