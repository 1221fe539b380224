import { asObject } from '../../http/body.ts'
import { invalidRequest, Problem } from '../../http/problem.ts'
import { hashToken, isToken } from '../../lib/token.ts'
import type { Link } from '../link.ts'
import { deletedProblems, unknownToken } from '../deleted.ts'
import { findByAnyTokens, type TokenDeps } from '../token-look-up.ts'
import { findByTokens } from '../store.ts'

/** A row that names a link by its token. */
export interface LinkRow {
  body: Record<string, unknown>
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
 * second row of a link. Once the client's quota is used up, no further row is looked up.
 */
export async function* linksOfRows(
  deps: TokenDeps,
  rows: unknown[],
  chargeNotFound: ChargeNotFound,
): AsyncGenerator<LinkRow | Problem> {
  const checks = createChecks()
  for (let from = 0; from < rows.length; from += ROWS_PER_READ) {
    const read = rows.slice(from, from + ROWS_PER_READ).map(readRow)
    const found = checks.refusal() === undefined ? await findLinks(deps, read) : read.map(checks.refusal)
    // All at once: where the counts are elsewhere, one after the other would take many round trips.
    const refusals = await Promise.all(found.map(async (row) => (row === undefined ? chargeNotFound() : undefined)))
    for (const [at, row] of found.entries()) yield checks.check(from + at, row, refusals[at])
  }
}

/** A row before its link is known. */
interface TokenRow {
  body: Record<string, unknown>
  /** Undefined for a text that cannot be a token. */
  tokenHash: string | undefined
}

function readRow(row: unknown): TokenRow | Problem {
  if (row instanceof Problem) return row
  try {
    const body = asObject(row)
    const { token } = body
    if (typeof token !== 'string') {
      return invalidRequest([{ pointer: '/token', detail: token === undefined ? 'is required' : 'must be a string' }])
    }
    return { body, tokenHash: isToken(token) ? hashToken(token) : undefined }
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

/** The rows with their links; undefined for a row whose link is unknown. */
async function findLinks(deps: TokenDeps, rows: (TokenRow | Problem)[]): Promise<Found[]> {
  const { db, now } = deps
  const hashes = rows.flatMap((row) => (row instanceof Problem ? [] : (row.tokenHash ?? [])))
  const links = await findByAnyTokens(db, hashes, (some) => findByTokens(db.read, some, now()))
  const missing = hashes.filter((hash) => !links.has(hash))
  const deleted = missing.length === 0 ? new Map<string, Problem>() : await deletedProblems(deps, missing)
  return rows.map((row) => {
    if (row instanceof Problem || row.tokenHash === undefined) return row instanceof Problem ? row : undefined
    const link = links.get(row.tokenHash)
    return link === undefined ? deleted.get(row.tokenHash) : { body: row.body, link }
  })
}

type Found = LinkRow | Problem | undefined

function createChecks() {
  const rowsByLink = new Map<number, number>()
  let size = 0
  let refusal: Problem | undefined

  function checkLink(index: number, link: Link): Problem | undefined {
    const earlier = rowsByLink.get(link.id)
    if (earlier !== undefined) {
      return invalidRequest([
        { pointer: '/token', detail: `names the link of row ${earlier}, and each may occur once` },
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
      if (row === undefined) return unknownToken()
      return row instanceof Problem ? row : (checkLink(index, row.link) ?? row)
    },
  }
}

function tooLarge(): Problem {
  const detail = `the links of the rows up to this one have more than ${MAX_CONTENT} characters; send it in another request`
  return new Problem('body_too_large', detail)
}
