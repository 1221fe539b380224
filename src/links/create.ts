import type { FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify'
import type { Transaction } from '#kysely'
import type { Database, Executor } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import { Problem } from '../http/problem.ts'
import { codeKey, randomCode, type IsReserved } from './code.ts'
import { insertLinks, takeCodes, type NewLink } from './create-store.ts'
import { parseDraft, type Draft } from './draft.ts'
import type { LinkIds } from './ids.ts'
import { addresses, type Addresses } from './link.ts'
import type { Repeatable, Replays } from './replay.ts'
import { hashToken, newToken } from '../lib/token.ts'
import type { UrlPolicy } from './url-policy.ts'

/** What a creation answers: the only time that the token is told. */
export interface CreatedLink extends Addresses {
  code: string
  manage_url: string
  token: string
}

/** What creations need of the rest of the program. */
export interface LinkDeps extends UrlPolicy {
  db: Database
  ids: LinkIds
  now: () => number
  isReserved: IsReserved
  replays: Replays
  /** Makes visits read the link of a code anew: called after its creation, before that is answered. */
  invalidate: (code: string) => void
}

/** Fair use, as creations see it. */
export interface CreationLimits {
  /** Charges a creation that is about to be made, or an image that is about to be drawn; see `Admit`. */
  charge: (request: FastifyRequest, reply: FastifyReply, name: 'links' | 'bulk' | 'qr') => () => void
  /** A key of the request's client, which says nothing of its address. */
  clientOf: (request: FastifyRequest) => string
  /** Hooks for a route that creates. */
  creation: (name: 'links' | 'bulk') => Pick<RouteShorthandOptions, 'onRequest' | 'onSend'>
}

/** Charges a creation that is about to be made; what it answers takes the charge back. Throws when it may not be made. */
export type Admit = () => () => void

/** How a creation is asked for. */
export interface Asked {
  /** Where the addresses of the answer begin. */
  origin: string
  admit: Admit
  repeatable: Repeatable | undefined
}

/**
 * Creates a link from the body of a request.
 * @throws {Problem} 400 for a bad field, 409 for a taken or reserved alias, 422 for a listed destination or a reused key
 */
export async function createLink(deps: LinkDeps, body: unknown, asked: Asked): Promise<CreatedLink> {
  const draft = readRepeated(deps, body, asked.repeatable)
  const created = await createCharged(deps, asked, async (creation) => {
    if (draft instanceof Problem) throw draft
    const [made] = await insertDrafts(deps, creation, [draft], asked.origin)
    if (made === undefined || made instanceof Problem) throw made ?? new Error('a draft was forgotten')
    return made
  })
  deps.invalidate(created.code)
  return created
}

/** A repetition gets the answer that it had, also when its destination was listed in the meantime. */
function readRepeated(deps: LinkDeps, body: unknown, repeatable: Repeatable | undefined): Draft | Problem {
  try {
    return readDraft(deps, body)
  } catch (error) {
    if (repeatable !== undefined && error instanceof Problem && error.code === 'target_blocked') return error
    throw error
  }
}

/**
 * Reads what a creation asks for.
 * @throws {Problem} when no link can be made of it
 */
export function readDraft(deps: LinkDeps, body: unknown): Draft {
  const draft = parseDraft(body, deps)
  if (draft.alias !== undefined && deps.isReserved(draft.alias)) {
    throw new Problem('alias_reserved', `the alias ${draft.alias} is reserved`, aliasError('is reserved'))
  }
  return draft
}

/** What a creation throws that is rolled back and charged all the same. */
export class Undone extends Error {}

/** A creation under way. */
export interface Creation {
  transaction: Transaction<Tables>
  /** Gives a link its number. */
  nextId: () => number
}

/** Runs a creation, or finds the answer that it had; only one that was made now is charged. */
export async function createCharged<T>(
  deps: LinkDeps,
  { admit, repeatable }: Asked,
  create: (creation: Creation) => Promise<T>,
): Promise<T> {
  let refund: (() => void) | undefined
  const charge = () => (refund ??= admit())
  let last: number | undefined
  const nextId = () => (last = deps.ids.next())
  try {
    const { answer, replayed } = await deps.replays(repeatable, charge, (transaction) =>
      create({ transaction, nextId }),
    )
    if (replayed) refund?.()
    else if (last !== undefined) deps.ids.keep(last)
    return answer
  } catch (error) {
    if (!(error instanceof Undone)) refund?.()
    throw error
  }
}

/** Makes links, in one statement each for their codes and for themselves; in the order of the drafts. */
export async function insertDrafts(
  deps: LinkDeps,
  { transaction, nextId }: Creation,
  drafts: Draft[],
  origin: string,
): Promise<(CreatedLink | Problem)[]> {
  const codes = await takeEachCode(
    deps,
    transaction,
    drafts.map(({ alias }) => alias),
  )
  const now = deps.now()
  const links: NewLink[] = []
  const made = drafts.map(({ alias, ...content }, at) => {
    const code = codes[at]
    if (code === undefined) return new Problem('alias_taken', `the alias ${alias} is taken`, aliasError('is taken'))
    const token = newToken()
    const link = { id: nextId(), ...content, code, active: true, revision: 1, createdAt: now, updatedAt: now }
    links.push({ ...link, codeKey: codeKey(code), tokenHash: hashToken(token) })
    return { code, ...addresses(code, origin), manage_url: `${origin}/m/${token}`, token }
  })
  await insertLinks(transaction, links)
  return made
}

function aliasError(detail: string) {
  return { errors: [{ pointer: '/alias', detail }] }
}

/** The codes of drafts: the alias, or a random one; undefined where the alias is taken. The first of two equal ones wins. */
async function takeEachCode(
  deps: LinkDeps,
  db: Executor,
  aliases: (string | undefined)[],
): Promise<(string | undefined)[]> {
  const codes: (string | undefined)[] = aliases.map(() => undefined)
  const take = async (wanted: Map<string, { code: string; at: number }>) => {
    const taken = await takeCodes(db, [...wanted.keys()])
    for (const [key, { code, at }] of wanted) if (taken.has(key)) codes[at] = code
  }
  const wanted: Parameters<typeof take>[0] = new Map()
  for (const [at, code] of aliases.entries()) {
    if (code !== undefined && !wanted.has(codeKey(code))) wanted.set(codeKey(code), { code, at })
  }
  await take(wanted)
  let open = [...aliases.keys()].filter((at) => aliases[at] === undefined)
  for (let attempt = 0; open.length > 0; attempt++) {
    const drawn = open.map((at) => ({ code: randomCode(attempt), at })).filter(({ code }) => !deps.isReserved(code))
    await take(new Map(drawn.map((each) => [each.code, each])))
    open = open.filter((at) => codes[at] === undefined)
  }
  return codes
}
