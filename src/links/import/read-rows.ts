import { isObject } from '../../http/body.ts'
import { invalidRequest, Problem } from '../../http/problem.ts'
import { hashToken, isToken } from '../../lib/token.ts'
import { yieldEvery } from '../../lib/yield-every.ts'
import { codeKey } from '../code.ts'
import type { NewLink } from '../create-store.ts'
import { noCharge, noRoom } from '../../lib/charged.ts'
import { readDraft } from '../create.ts'
import type { LinkDeps } from '../deps.ts'
import { checkDesign } from '../check-design.ts'
import type { CheckedDesign } from '../design.ts'
import { hashDraft, newLink } from '../insert.ts'
import { asHolder } from '../../lib/holder.ts'
import { createValidator, type Validator } from '../../http/validate.ts'
import { kindOf, kinds } from '../kinds/index.ts'
import type { Content } from '../link.ts'

const MAX_CLICKS = 1e12
/** How long visits may wait while rows are validated, in milliseconds. */
const SLICE_MS = 5
const validators = new Map<string, Validator>(
  kinds.flatMap(({ name, stamp }) => (stamp === undefined ? [] : [[name, createValidator(stamp.schema)] as const])),
)

/** A row whose link an earlier call has created. */
export interface PresentRow {
  linkId: number
  own: OwnFields
}

/** A valid row of a new link. */
export interface NewRow extends PresentRow {
  link: NewLink
  design: CheckedDesign | undefined
  isTrimmed: boolean
}

/**
 * Validates the rows of new links; others stay as they are.
 * @returns for each what it becomes, or what is wrong with it
 */
export async function readNewRows(
  deps: LinkDeps,
  rows: { row: unknown; own: OwnFields | PresentRow | Problem }[],
  origin: string,
): Promise<(NewRow | PresentRow | Problem)[]> {
  const pause = yieldEvery(SLICE_MS)
  const read: (NewRow | PresentRow | Problem)[] = []
  for (const { row, own } of rows) {
    read.push('tokenHash' in own ? await orProblem(() => readRow(deps, row as object, own, origin)) : own)
    await pause()
  }
  return read
}

async function readRow(deps: LinkDeps, row: object, own: OwnFields, origin: string): Promise<NewRow> {
  let isTrimmed = false
  const onTrimmed = () => void (isTrimmed = true)
  // The operator's own work is not charged.
  const client = { origin, holder: asHolder('import'), charge: noCharge, chargeRoom: noRoom }
  const draft = await hashDraft(deps.passwords, readDraft({ ...deps, onTrimmed }, row), client.holder)
  const link = newLink(deps, withImportedStamp(draft, row), { ...own, code: draft.alias ?? '' })
  const { design: value } = row as { design?: unknown }
  const design = await checkDesign(deps, { code: link.code, design: undefined }, value, client, undefined)
  return { linkId: link.id, own, link, design, isTrimmed }
}

async function orProblem<T>(read: () => T | Promise<T>): Promise<T | Problem> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

/** What only an import can set, and by what the link of an earlier call is found. */
export interface OwnFields {
  codeKey: string
  tokenHash: string
  createdAt: number
  clicks: number
  active: boolean
}

/** Reads the own fields of rows, or what is wrong with them. */
export function readOwnFields(rows: unknown[], now: number): Promise<(OwnFields | Problem)[]> {
  return Promise.all(rows.map((row) => orProblem(() => ownFieldsOf(row, now))))
}

/** @throws {Problem} 400 with every invalid field */
function ownFieldsOf(row: unknown, now: number): OwnFields {
  if (!isObject(row)) throw invalidRequest([{ pointer: '', detail: 'must be an object' }])
  const { alias, token, created_at: created, clicks = 0, active = true } = row
  const createdAt = created === undefined ? now : timeOf(created)
  requireNoFaults({
    '/alias': alias === undefined && 'is required',
    '/token': !(typeof token === 'string' && isToken(token)) && 'must be a token',
    '/created_at': !isFrom1970Until(now, createdAt) && 'must be a time from 1970 until now',
    '/active': typeof active !== 'boolean' && 'must be true or false',
    '/clicks': !isCount(clicks) && `must be a whole number from 0 to ${MAX_CLICKS}`,
  })
  // What is no text is no alias either.
  const key = typeof alias === 'string' ? codeKey(alias) : ''
  const tokenHash = hashToken(token as string)
  return { codeKey: key, tokenHash, createdAt, clicks: clicks as number, active: active === true }
}

function requireNoFaults(faults: Record<string, string | false>): void {
  const errors = Object.entries(faults).flatMap(([pointer, detail]) => (detail === false ? [] : [{ pointer, detail }]))
  if (errors.length > 0) throw invalidRequest(errors)
}

function timeOf(text: unknown): number {
  return typeof text === 'string' ? Date.parse(text) : Number.NaN
}

function isFrom1970Until(now: number, time: number): boolean {
  return time >= 0 && time <= now
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= MAX_CLICKS
}

/** A new link with what a bundle says that its kind has kept beside its fields, if that is valid; else it begins anew. */
function withImportedStamp<T extends Pick<Content, 'kind' | 'payload'>>(draft: T, row: object): T {
  const { stamp } = kindOf(draft)
  const { payload } = row as { payload?: unknown }
  if (stamp === undefined || !isObject(payload)) return draft
  const brought = payload[stamp.name]
  const isValid = brought !== undefined && validators.get(draft.kind)?.(brought).length === 0
  return isValid ? { ...draft, payload: { ...draft.payload, [stamp.name]: brought } } : draft
}
