import { isObject } from '../../http/body.ts'
import { invalidRequest, Problem } from '../../http/problem.ts'
import { hashToken, isToken } from '../../lib/token.ts'
import { yieldEvery } from '../../lib/yield-every.ts'
import { codeKey } from '../code.ts'
import type { NewLink } from '../create-store.ts'
import { readDraft } from '../create.ts'
import { checkDesign, type CheckedDesign } from '../design.ts'
import { hashDraft, type HashedDraft } from '../password/new-password.ts'
import type { ImportDeps } from './deps.ts'

const MAX_CLICKS = 1e12
/** How long visits may wait while rows are validated, in milliseconds. */
const SLICE_MS = 5

/** A valid row. */
export interface Importable {
  link: NewLink
  clicks: number
  design: CheckedDesign | undefined
}

/** Validates rows. @returns for each what it becomes, or what is wrong with it */
export async function readRows(deps: ImportDeps, rows: unknown[], origin: string): Promise<(Importable | Problem)[]> {
  const pause = yieldEvery(SLICE_MS)
  const read: (Importable | Problem)[] = []
  for (const row of rows) {
    read.push(await readRow(deps, row, origin))
    await pause()
  }
  return read
}

async function readRow(deps: ImportDeps, row: unknown, origin: string): Promise<Importable | Problem> {
  try {
    if (!isObject(row)) throw invalidRequest([{ pointer: '', detail: 'must be an object' }])
    const own = readOwnFields(row, deps.now())
    const draft = await hashDraft(readDraft(deps, row), deps.hashPassword)
    const link = newLink(deps, draft, own)
    const drawing = { origin, client: 'import', charge: async () => {} }
    return {
      link,
      clicks: own.clicks,
      design: await checkDesign(deps.designs, { link: { ...link, suspension: null }, design: undefined }, row, drawing),
    }
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
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
