import type { FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify'
import type { Database } from '../db/database.ts'
import { Problem } from '../http/problem.ts'
import type { IsReserved } from './code.ts'
import { parseDraft, type Draft } from './draft.ts'
import type { LinkIds } from './ids.ts'
import { aliasError, insertDraft, insertDrafts, type CreatedLink, type Creation } from './insert.ts'
import type { Repeatable, Replays } from './replay.ts'
import type { UrlPolicy } from './url-policy.ts'

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
  const created =
    asked.repeatable === undefined
      ? await createOnce(deps, readDraft(deps, body), asked)
      : await createRepeatable(deps, readRepeated(deps, body), asked)
  deps.invalidate(created.code)
  return created
}

/** One statement makes the link: it needs no transaction. */
async function createOnce(deps: LinkDeps, draft: Draft, { origin, admit }: Asked): Promise<CreatedLink> {
  const refund = admit()
  try {
    return await insertDraft(deps, draft, origin)
  } catch (error) {
    refund()
    throw error
  }
}

function createRepeatable(deps: LinkDeps, draft: Draft | Problem, asked: Asked): Promise<CreatedLink> {
  return createCharged(deps, asked, async (creation) => {
    if (draft instanceof Problem) throw draft
    const [made] = await insertDrafts(deps, creation, [draft], asked.origin)
    if (made === undefined || made instanceof Problem) throw made ?? new Error('a draft was forgotten')
    return made
  })
}

/** A repetition gets the answer that it had, also when its destination was listed in the meantime. */
function readRepeated(deps: LinkDeps, body: unknown): Draft | Problem {
  try {
    return readDraft(deps, body)
  } catch (error) {
    if (error instanceof Problem && error.code === 'target_blocked') return error
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

/** Runs a creation, or finds the answer that it had; only one that was made now is charged. */
export async function createCharged<T>(
  deps: LinkDeps,
  { admit, repeatable }: Asked,
  create: (creation: Creation) => Promise<T>,
): Promise<T> {
  let refund: (() => void) | undefined
  const charge = () => (refund ??= admit())
  let ids: number[] = []
  try {
    const { answer, replayed } = await deps.replays(repeatable, charge, (transaction) => {
      // A try that was rolled back has kept none.
      ids = []
      return create({ transaction, ids })
    })
    if (replayed) refund?.()
    else ids.forEach(deps.ids.keep)
    return answer
  } catch (error) {
    if (!(error instanceof Undone)) refund?.()
    throw error
  }
}
