import { isObject } from '../../http/body.ts'
import { invalidRequest, Problem } from '../../http/problem.ts'
import { hashToken, isToken } from '../../lib/token.ts'
import { yieldEvery } from '../../lib/yield-every.ts'
import { rowResults, type RowResult } from '../bulk/row-results.ts'
import { codeKey } from '../code.ts'
import { insertLinks, type NewLink } from '../create-store.ts'
import { readDraft, type LinkDeps } from '../create.ts'
import { aliasTaken } from '../insert.ts'
import { hashDraft, type HashedDraft, type HashPassword } from '../password/new-password.ts'
import { checkDesign, type CheckedDesign, type LinkDesigns } from '../design.ts'
import { findByTokens } from '../store.ts'

/** Rows of one call. */
export const MAX_IMPORT_ROWS = 500
const MAX_CLICKS = 1e12
/** How long visits may wait while rows are validated, in milliseconds. */
const SLICE_MS = 5

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
}

/** What an import needs of the rest of the program. */
export interface ImportDeps extends LinkDeps {
  /** Adds visits that were counted elsewhere, once for each link. */
  addImported: (counts: { linkId: number; at: number; clicks: number }[]) => Promise<void>
  designs: LinkDesigns
  hashPassword: HashPassword
  /** The origin of the QR images. */
  origin: () => string
}

/** Creates the links of rows whose codes are free, in one transaction. A repeated call creates and counts nothing twice. */
export async function importLinks(
  deps: ImportDeps,
  rows: unknown[],
  { dryRun }: ImportOptions,
): Promise<ImportResult[]> {
  const read = await readRows(deps, rows)
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

interface Importable {
  link: NewLink
  clicks: number
  design: CheckedDesign | undefined
}

async function readRows(deps: ImportDeps, rows: unknown[]): Promise<(Importable | Problem)[]> {
  const pause = yieldEvery(SLICE_MS)
  const read: (Importable | Problem)[] = []
  for (const row of rows) {
    read.push(await readRow(deps, row))
    await pause()
  }
  return read
}

async function readRow(deps: ImportDeps, row: unknown): Promise<Importable | Problem> {
  try {
    if (!isObject(row)) throw invalidRequest([{ pointer: '', detail: 'must be an object' }])
    const own = readOwnFields(row, deps.now())
    const draft = await hashDraft(readDraft(deps, row), deps.hashPassword)
    const link = newLink(deps, draft, own)
    return { link, clicks: own.clicks, design: await readDesign(deps, link, row) }
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

/** @throws {Problem} 400 for an invalid design, or one whose images cannot be scanned */
function readDesign({ designs, origin }: ImportDeps, link: NewLink, row: object): Promise<CheckedDesign | undefined> {
  const imported = { link: { ...link, suspension: null }, design: undefined }
  return checkDesign(designs, imported, row, { origin: origin(), client: 'import', charge: async () => {} })
}

interface OwnFields {
  token: string
  createdAt: number
  clicks: number
  active: boolean
}

/** Reads what only an import can set. @throws {Problem} 400 with every invalid field */
function readOwnFields(
  { alias, token, created_at: created, clicks = 0, active = true }: Record<string, unknown>,
  now: number,
): OwnFields {
  const createdAt = created === undefined ? now : timeOf(created)
  const faults = {
    '/alias': alias === undefined && 'is required',
    '/token': !(typeof token === 'string' && isToken(token)) && 'must be a token',
    '/created_at': !(createdAt >= 0 && createdAt <= now) && 'must be a time from 1970 until now',
    '/active': typeof active !== 'boolean' && 'must be true or false',
    '/clicks': !isCount(clicks) && `must be a whole number from 0 to ${MAX_CLICKS}`,
  }
  const errors = Object.entries(faults).flatMap(([pointer, detail]) => (detail === false ? [] : [{ pointer, detail }]))
  if (errors.length > 0) throw invalidRequest(errors)
  return { token: token as string, createdAt, clicks: clicks as number, active: active === true }
}

function timeOf(text: unknown): number {
  return typeof text === 'string' ? Date.parse(text) : Number.NaN
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= MAX_CLICKS
}

function newLink(deps: ImportDeps, draft: HashedDraft, { token, createdAt, active }: OwnFields): NewLink {
  const { alias = '', ...content } = draft
  return {
    id: deps.ids.next(),
    ...content,
    code: alias,
    codeKey: codeKey(alias),
    tokenHash: hashToken(token),
    active,
    revision: 1,
    createdAt,
    updatedAt: deps.now(),
  }
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
