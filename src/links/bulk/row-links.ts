import { asObject } from '../../http/body.ts'
import { invalidRequest, Problem } from '../../http/problem.ts'
import { isCode } from '../code.ts'
import { deletedHashesOf, tokenHashesOf, type Credential } from '../credential.ts'
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

/** Links that one statement reads: a page with 100 buttons has 200 KiB. */
const ROWS_PER_READ = 20
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
  for (let from = 0; from < rows.length; from += ROWS_PER_READ) {
    const read = rows.slice(from, from + ROWS_PER_READ).map((row) => readRow(row, through))
    const found = checks.refusal() === undefined ? await findLinks(deps, read) : read.map(checks.refusal)
    // All at once: where the counts are elsewhere, one after the other would take many round trips.
    const refusals = await Promise.all(found.map(async (row) => (row === undefined ? charge() : undefined)))
    for (const [at, row] of found.entries()) yield checks.check(from + at, row, refusals[at])
  }
}

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

  function checkLink(index: number, link: Link): Problem | undefined {
    const earlier = rowsByLink.get(link.id)
    if (earlier !== undefined) {
      return invalidRequest([
        { pointer: `/${memberOf(through)}`, detail: `names the link of row ${earlier}, and each may occur once` },
      ])
    }
    rowsByLink.set(link.id, index)
    size += JSON.stringify(link).length
    if (size > MAX_CONTENT) refusal = tooLarge()
    return refusal
  }

  return {
    /** Why no further row is looked up; undefined while they are. */
    refusal: () => refusal,
    /** @param charged what to send instead, now that an unknown row is charged */
    check(index: number, row: Found, charged: Problem | undefined): LinkRow | Problem {
      refusal ??= charged
      if (refusal !== undefined) return refusal
      if (row === undefined) return missingLinkOf(through)
      return row instanceof Problem ? row : (checkLink(index, row.link) ?? row)
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
