import type { Transaction } from '#kysely'
import type { Tables } from '../db/schema.ts'
import { invalidRequest, Problem, REASON } from '../http/problem.ts'
import { codeKey, randomCode } from './code.ts'
import { findUsed, insertLink, insertLinks, type NewLink } from './create-store.ts'
import type { LinkDeps } from './deps.ts'
import type { Draft } from './draft.ts'
import { addresses, type Addresses } from './link.ts'
import type { PasswordHash, Passwords } from './password/password.ts'
import type { Holder } from '../lib/holder.ts'
import { hashToken, newToken } from '../lib/token.ts'
import type { WebhookDetails } from './webhook.ts'

/** The response to a creation, the only one that has the token. */
export interface CreatedLink extends Addresses {
  code: string
  manage_url: string
  token: string
  /** Present when the creation has set one. */
  webhook?: Pick<WebhookDetails, 'url' | 'events' | 'secret'>
  /** Present when the creation has set one; not in bulk. */
  design?: object
}

/** A creation in a transaction. */
export interface Creation {
  transaction: Transaction<Tables>
  /** The IDs of the links that it has inserted. */
  ids: number[]
}

/** A draft that may be stored: its password is hashed, and its design was checked on its code. */
export type HashedDraft = Omit<Draft, 'password'> & {
  password: PasswordHash | null
  checked?: { code: string; design: object } | undefined
}

/** @throws {Problem} 503 at once when too many wait */
export async function hashDraft(passwords: Passwords, draft: Draft, holder: Holder): Promise<HashedDraft> {
  return { ...draft, password: draft.password === null ? null : await passwords.hash(draft.password, holder) }
}

/**
 * A draft of a request that has no time for hashing.
 * @throws {Problem} 400 when the draft has a password
 */
export function withoutPassword(draft: Draft): HashedDraft {
  if (draft.password === null) return { ...draft, password: null }
  const detail = 'cannot be set in a bulk request; create this link by itself, or set it by a change'
  throw invalidRequest([{ pointer: '/password', detail }])
}

/**
 * Inserts a link by one statement.
 * @throws {Problem} 409 when its alias is taken
 */
export async function insertDraft(deps: LinkDeps, draft: HashedDraft, origin: string): Promise<CreatedLink> {
  for (let attempt = 0; ; attempt++) {
    const { link, created } = newCreation(deps, draft, draft.alias ?? freeCode(deps, attempt), origin)
    if (await insertLink(deps.db, link)) {
      deps.ids.markUsed(link.id)
      return created
    }
    if (draft.alias !== undefined) throw aliasTaken(draft.alias)
  }
}

/** Inserts links, many by one statement. Returns them in the order of the drafts, with a problem for each taken alias. */
export async function insertDrafts(
  deps: LinkDeps,
  { transaction, ids }: Creation,
  drafts: HashedDraft[],
  origin: string,
): Promise<(CreatedLink | Problem)[]> {
  const results: (CreatedLink | undefined)[] = drafts.map(() => undefined)
  const designs: { linkId: number; design: object }[] = []
  const insert = async (codes: [at: number, draft: HashedDraft, code: string][]) => {
    const candidates = new Map<string, { at: number } & ReturnType<typeof newCreation>>()
    // The first of two equal codes wins.
    for (const [at, draft, code] of codes) {
      if (!candidates.has(codeKey(code)))
        candidates.set(codeKey(code), { at, ...newCreation(deps, draft, code, origin) })
    }
    const links = Array.from(candidates.values(), ({ link }) => link)
    for (const key of await insertLinks(transaction, links)) {
      const { at, link, created } = candidates.get(key) as { at: number } & ReturnType<typeof newCreation>
      results[at] = created
      ids.push(link.id)
      const design = drafts[at]?.checked?.design
      if (design !== undefined) designs.push({ linkId: link.id, design })
    }
    if (designs.length > 0) await deps.designs.saveNew(transaction, designs.splice(0))
  }

  // Aliases come first, so that no random code takes one.
  const codeOf = (draft: HashedDraft, attempt: number) => draft.checked?.code ?? freeCode(deps, attempt)
  const rows = [...drafts.entries()]
  await insert(rows.flatMap(([at, draft]) => (draft.alias === undefined ? [] : [[at, draft, draft.alias]])))
  let remaining = rows.filter(([, { alias }]) => alias === undefined)
  for (let attempt = 0; remaining.length > 0; attempt++) {
    await insert(remaining.map(([at, draft]) => [at, draft, codeOf(draft, attempt)]))
    // Another code may not be scannable with the design.
    remaining = remaining.filter(([at, { checked }]) => results[at] === undefined && checked === undefined)
  }
  return results.map((created, at) => created ?? notCreated(drafts[at]))
}

function newCreation(deps: LinkDeps, draft: HashedDraft, code: string, origin: string) {
  const token = newToken()
  const link = newLink(deps, draft, { code, tokenHash: hashToken(token) })
  const created: CreatedLink = { code, ...addresses(code, origin), manage_url: `${origin}/m/${token}`, token }
  return { link, created }
}

/** @param own `createdAt` is now unless it is given, and the link is active unless it is not to be */
export function newLink(
  { ids, now }: Pick<LinkDeps, 'ids' | 'now'>,
  draft: HashedDraft,
  own: Pick<NewLink, 'code' | 'tokenHash'> & Partial<Pick<NewLink, 'active' | 'createdAt'>>,
): NewLink {
  const updatedAt = now()
  const { code, tokenHash, active = true, createdAt = updatedAt } = own
  return {
    id: ids.next(),
    ...draft,
    code,
    codeKey: codeKey(code),
    tokenHash,
    active,
    revision: 1,
    createdAt,
    updatedAt,
  }
}

/** A random code that is not reserved. */
function freeCode({ isReserved }: Pick<LinkDeps, 'isReserved'>, attempt: number): string {
  for (;;) {
    const code = randomCode(attempt)
    if (!isReserved(code)) return code
  }
}

/** Codes for links whose designs are checked on them before they are created: no link has one now. */
export async function freeCodes(deps: Pick<LinkDeps, 'db' | 'isReserved'>, count: number): Promise<string[]> {
  const codes = new Set<string>()
  for (let attempt = 0; codes.size < count; attempt++) {
    const drawn = Array.from({ length: count - codes.size }, () => freeCode(deps, attempt))
    const used = await findUsed(deps.db.read, drawn)
    for (const code of drawn) if (!used.has(code)) codes.add(code)
  }
  return [...codes]
}

function notCreated({ alias }: Partial<Draft> = {}): Problem {
  if (alias !== undefined) return aliasTaken(alias)
  return new Problem('unavailable', 'its code was given to another link while its design was checked, try again')
}

export function aliasTaken(alias: string | undefined): Problem {
  return new Problem('alias_taken', `the alias ${alias} is taken`, aliasError('taken'))
}

export function aliasError(name: 'taken' | 'reserved') {
  return { errors: [{ pointer: '/alias', detail: `is ${name}`, [REASON]: { name } }] }
}
