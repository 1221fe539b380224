import { campaignOf } from '../collections/campaign-query.ts'
import type { Collections } from '../collections/open.ts'
import { beyond, startOfPart } from '../collections/part.ts'
import type { Database } from '../db/database.ts'
import { invalidRequest, MAX_ERRORS, Problem, REASON, type FieldError } from '../http/problem.ts'
import { isToken } from '../lib/token.ts'
import type { ChargeNotFound } from '../links/bulk/row-links.ts'
import { codeKey, isCode } from '../links/code.ts'
import type { Links } from '../links/open.ts'
import type { Visits } from '../visits/open.ts'
import { MAX_CODES, type PrintBody } from './schemas.ts'
import { findPrinted, type PrintedLink } from './store.ts'

/** What is needed to find the links of a request. */
export interface RowsNeeds {
  db: Pick<Database, 'read'>
  links: Pick<Links, 'findManyByToken'>
  collections: Pick<Collections, 'find' | 'membersAfter'>
  /** The link of a code; its QR image is there exactly when this is. */
  linkOf: Visits['linkOf']
  /** Waits until the next links may be read: the event loop waits for each statement. */
  turn: () => Promise<void>
}

/** A link that is to be printed. */
export interface PrintRow {
  link: PrintedLink
  /** Whether the request may read what only owners do. */
  isOwned: boolean
  /** What names it in the request. */
  pointer: string
}

/** What a request costs its client. */
export interface Charges {
  /** Charges so many codes in all, before they are looked up: those that were charged before count. */
  charge: (codes: number) => Promise<void>
  chargeNotFound: ChargeNotFound
}

/** Links that one statement reads, and that are looked up in a turn. */
const LINKS_PER_READ = 50

/**
 * Finds the links of a request, in its order; those of a collection by their creation.
 * @param areOwned whether the client owns the links of the list, although it does not name their tokens
 * @throws {Problem} 404 or 410 with each that has no image, 404 for an unknown collection, 400 for too many, 429
 */
export async function rowsOf(
  needs: RowsNeeds,
  body: PrintBody,
  { charge, chargeNotFound }: Charges,
  areOwned = false,
): Promise<PrintRow[]> {
  await charge(body.links?.length ?? 1)
  const named =
    body.links === undefined
      ? await namedByCollection(needs, body.collection ?? '', body)
      : await namedByList(needs, body.links, areOwned)
  await charge(named.length)
  await requireImages(needs, named, chargeNotFound)
  const rows: PrintRow[] = []
  const wanted = { placements: body.placements === true }
  let codes = 0
  for (let from = 0; from < named.length; from += LINKS_PER_READ) {
    const read = named.slice(from, from + LINKS_PER_READ)
    await needs.turn()
    const found = await findPrinted(needs.db.read, [...new Set(read.map(({ code }) => codeKey(code)))], wanted)
    for (const { code, ...rest } of read) {
      const link = found.get(codeKey(code))
      // It was deleted in the meantime.
      if (link === undefined) throw new Problem('code_gone', `the link ${code} was deleted`)
      // Of a foreign link, nobody learns how many places it has.
      const printed = rest.isOwned ? link : { ...link, placements: [] }
      codes += Math.max(1, printed.placements.length)
      rows.push({ ...rest, link: printed })
    }
    if (codes > MAX_CODES) throw tooMany('/placements', 'are more codes', 'print fewer links')
  }
  return rows
}

/** A link by its code. */
interface Named extends Omit<PrintRow, 'link'> {
  code: string
}

/** A code may be as long as a token. */
async function namedByList({ links }: RowsNeeds, given: string[], areOwned: boolean): Promise<Named[]> {
  const tokens = given.filter(isToken)
  const found = await links.findManyByToken(tokens, async () => undefined)
  const codes = new Map(
    found.flatMap((link, at) => (link instanceof Problem ? [] : [[tokens[at] ?? '', link.code] as const])),
  )
  return given.map((text, at) => ({
    code: codes.get(text) ?? text,
    isOwned: areOwned || codes.has(text),
    pointer: `/links/${at}`,
  }))
}

async function namedByCollection(
  { collections, turn }: RowsNeeds,
  token: string,
  { campaign: asked, part }: Pick<PrintBody, 'campaign' | 'part'>,
): Promise<Named[]> {
  const { id: collectionId } = await collections.find(token)
  const conditions = { campaign: campaignOf(asked) }
  const reading = { membersAfter: collections.membersAfter, turn }
  const after = await startOfPart(reading, { collectionId, part: part ?? 1, size: MAX_CODES }, conditions)
  await turn()
  // One more than may be printed tells whether there are too many.
  const members = await collections.membersAfter({ collectionId, after, limit: MAX_CODES + 1 }, conditions)
  if (members.length === 0 && part !== undefined && part > 1) throw beyond(part - 1)
  if (members.length === 0)
    throw invalidRequest([
      {
        pointer: asked === undefined ? '/collection' : '/campaign',
        detail: 'has no links',
        [REASON]: { name: 'no_links' },
      },
    ])
  if (members.length > MAX_CODES && part === undefined)
    throw tooMany('/collection', 'has more links', 'print them by campaign, or by part')
  return members.slice(0, MAX_CODES).map(({ code }) => ({ code, isOwned: true, pointer: '/collection' }))
}

function tooMany(pointer: string, what: string, instead: string): Problem {
  const most = MAX_CODES.toLocaleString('en')
  const detail = `${what} than the ${most} codes of one request: ${instead}`
  return invalidRequest([{ pointer, detail, [REASON]: { name: 'too_many_codes', limit: MAX_CODES } }])
}

/**
 * Requires that each link is there, as for its image.
 * @throws {Problem} the first reason, with all links that are not
 */
async function requireImages(
  { linkOf, turn }: RowsNeeds,
  named: Named[],
  chargeNotFound: ChargeNotFound,
): Promise<void> {
  const faults: FieldError[] = []
  let first: Problem | undefined
  for (const [at, { code, pointer }] of named.entries()) {
    if (faults.length === MAX_ERRORS) break
    if (at % LINKS_PER_READ === 0) await turn()
    const problem = await missingOf(linkOf, code, pointer)
    if (problem === undefined) continue
    first ??= problem
    const name = problem.code === 'code_gone' ? 'link_deleted' : 'link_blocked'
    faults.push({ pointer, detail: problem.message, [REASON]: { name, of: code } })
    if (problem.code !== 'unknown_code') continue
    const refusal = await chargeNotFound()
    if (refusal !== undefined) throw refusal
  }
  if (first !== undefined) throw new Problem(first.code, first.message, { errors: faults, headers: first.headers })
}

/** Why there is no image of a link; undefined when there is one. */
async function missingOf(linkOf: Visits['linkOf'], code: string, pointer: string): Promise<Problem | undefined> {
  const unknown = () => new Problem('unknown_code', `${pointer} is the code or the token of no link`)
  if (!isCode(code)) return unknown()
  try {
    const link = await linkOf(code)
    if (link === 'gone') return new Problem('code_gone', `the link ${code} was deleted by its owner`)
    return link === undefined ? unknown() : undefined
  } catch (error) {
    if (error instanceof Problem && error.code !== 'unavailable')
      return new Problem(error.code, `the link ${code}: ${error.message}`, { headers: error.headers })
    throw error
  }
}
