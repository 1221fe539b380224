import { asObject } from '../../http/body.ts'
import { invalidRequest, Problem } from '../../http/problem.ts'
import { isCode } from '../code.ts'
import { deletedHashesOf, tokenHashesOf, type Credential } from '../credential.ts'
import { readInParts, type PartBounds } from '../../lib/read-in-parts.ts'
import type { Link } from '../link.ts'
import { deletedProblems, unknownToken } from '../deleted.ts'
import { findByAnyTokens, type TokenDeps } from '../token-look-up.ts'
import { findByTokens } from '../store.ts'

/** How the rows of a request name their links. */
export interface RowNaming {
  /** The token of the collection through which they do, by the member `code`; without it they do by `token`. */
  through?: string | undefined
  chargeNotFound: ChargeNotFound
}

/** A row that names a link by its token, or by its code in a collection. */
export interface LinkRow {
  body: Record<string, unknown>
  credential: Credential
  link: Link
}

/** Charges an unknown token; returns the problem to send instead when the client's quota is used up. */
export type ChargeNotFound = () => Promise<Problem | undefined>

/** Links that one statement reads, for which visits wait: a page with 100 buttons has 200 KiB. */
const PART: PartBounds = { rows: 20, characters: 512 * 1024 }
/** Characters of the links of one request together, as JSON: all of them are in memory at once. */
const MAX_CONTENT = 8 * 1024 * 1024

/**
 * Reads the links of rows, in their order; a row may be a problem from the start. A row without one is a problem, as is the
 * second row of a link. Once the client's quota is used up, no further row is looked up. An unknown code is not charged: it tells
 * the owner of a collection nothing that its list does not.
 */
export async function* linksOfRows(
  deps: TokenDeps,
  rows: unknown[],
  { through, chargeNotFound }: RowNaming,
): AsyncGenerator<LinkRow | Problem> {
  const checks = createChecks(through)
  const charge = through === undefined ? chargeNotFound : async () => undefined
  const read = async (some: unknown[]): Promise<LookedUp[]> => {
    const named = some.map((row) => readRow(row, through))
    const found = checks.refusal() === undefined ? await findLinks(deps, named) : named.map(checks.refusal)
    // All at once: where the counts are elsewhere, one after the other would take many round trips.
    const refusals = await Promise.all(found.map(async (row) => (row === undefined ? charge() : undefined)))
    return found.map((row, at) => ({ row, charged: refusals[at], characters: charactersOf(row) }))
  }
  let index = 0
  for await (const part of readInParts(rows, read, ({ characters }) => characters, PART))
    for (const each of part) yield checks.check(index++, each)
}

/** What has become of a row. */
interface LookedUp {
  row: Found
  /** What to send instead, now that an unknown row is charged. */
  charged: Problem | undefined
  /** Those of the link, as JSON. */
  characters: number
}

const charactersOf = (row: Found) => (row === undefined || row instanceof Problem ? 0 : JSON.stringify(row.link).length)

/** A row before its link is known. */
interface NamedRow {
  body: Record<string, unknown>
  credential: Credential
}

const memberOf = (through: string | undefined) => (through === undefined ? 'token' : 'code')

function readRow(row: unknown, through: string | undefined): NamedRow | Problem {
  if (row instanceof Problem) return row
  try {
    const body = asObject(row)
    const member = memberOf(through)
    const name = body[member]
    if (typeof name !== 'string') {
      const detail = name === undefined ? 'is required' : 'must be a string'
      return invalidRequest([{ pointer: `/${member}`, detail }])
    }
    if (through === undefined) return { body, credential: name }
    // It says which link, in any case, and is none of the fields that are to change.
    const { code: _code, ...fields } = body
    return { body: fields, credential: isCode(name) ? { collectionToken: through, code: name } : '' }
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

/** The rows with their links; undefined for a row whose link is unknown. */
async function findLinks(deps: TokenDeps, rows: (NamedRow | Problem)[]): Promise<Found[]> {
  const { db, now } = deps
  // A problem, and what cannot be the name of a link, has the empty text, which is no token.
  const credentials = rows.map((row) => (row instanceof Problem ? '' : row.credential))
  const hashes = await tokenHashesOf(deps, credentials)
  const known = hashes.filter((hash) => hash !== undefined)
  const links = await findByAnyTokens(db, known, (some) => findByTokens(db.read, some, now()))
  const linkAt = (at: number) => links.get(hashes[at] ?? '')
  const missing = credentials.map((credential, at) => (linkAt(at) === undefined ? credential : ''))
  const before = await deletedHashesOf(deps, missing)
  const deleted = await deletedProblems(
    deps,
    before.filter((hash) => hash !== undefined),
  )
  return rows.map((row, at) => {
    if (row instanceof Problem) return row
    const link = linkAt(at)
    return link === undefined ? deleted.get(before[at] ?? '') : { ...row, link }
  })
}

type Found = LinkRow | Problem | undefined

function createChecks(through: string | undefined) {
  const rowsByLink = new Map<number, number>()
  let size = 0
  let refusal: Problem | undefined

  function checkLink(index: number, link: Link, characters: number): Problem | undefined {
    const earlier = rowsByLink.get(link.id)
    if (earlier !== undefined) {
      return invalidRequest([
        { pointer: `/${memberOf(through)}`, detail: `names the link of row ${earlier}, and each may occur once` },
      ])
    }
    rowsByLink.set(link.id, index)
    size += characters
    if (size > MAX_CONTENT) refusal = tooLarge()
    return refusal
  }

  return {
    /** Why no further row is looked up; undefined while they are. */
    refusal: () => refusal,
    check(index: number, { row, charged, characters }: LookedUp): LinkRow | Problem {
      refusal ??= charged
      if (refusal !== undefined) return refusal
      if (row === undefined) return missingLinkOf(through)
      return row instanceof Problem ? row : (checkLink(index, row.link, characters) ?? row)
    },
  }
}

/** The problem of a row that names no link. */
export function missingLinkOf(through: string | undefined): Problem {
  if (through === undefined) return unknownToken()
  return new Problem('unknown_code', 'the collection has no link with this code')
}

function tooLarge(): Problem {
  const detail = `the links of the rows up to this one have more than ${MAX_CONTENT} characters; send it in another request`
  return new Problem('body_too_large', detail)
}
