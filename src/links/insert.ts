import type { Transaction } from '#kysely'
import type { Database } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import { Problem, REASON } from '../http/problem.ts'
import { codeKey, randomCode, type IsReserved } from './code.ts'
import { insertLink, insertLinks, type NewLink } from './create-store.ts'
import type { LinkIds } from './ids.ts'
import { addresses, type Addresses } from './link.ts'
import type { HashedDraft } from './password/new-password.ts'
import { hashToken, newToken } from '../lib/token.ts'
import type { WebhookDetails } from './webhook.ts'

/** The response to a creation, the only one that has the token. */
export interface CreatedLink extends Addresses {
  code: string
  manage_url: string
  token: string
  /** Present when the creation has set one. */
  webhook?: Pick<WebhookDetails, 'url' | 'events' | 'secret'>
}

/** A creation in a transaction. */
export interface Creation {
  transaction: Transaction<Tables>
  /** The IDs of the links that it has inserted. */
  ids: number[]
}

interface InsertDeps {
  db: Pick<Database, 'prepareChange'>
  ids: LinkIds
  now: () => number
  isReserved: IsReserved
}

/**
 * Inserts a link by one statement.
 * @throws {Problem} 409 when its alias is taken
 */
export async function insertDraft(deps: InsertDeps, draft: HashedDraft, origin: string): Promise<CreatedLink> {
  for (let attempt = 0; ; attempt++) {
    const { link, created } = newLink(deps, draft, draft.alias ?? freeCode(deps, attempt), origin)
    if (await insertLink(deps.db, link)) {
      deps.ids.markUsed(link.id)
      return created
    }
    if (draft.alias !== undefined) throw aliasTaken(draft.alias)
  }
}

/** Inserts links, many by one statement. Returns them in the order of the drafts, with a problem for each taken alias. */
export async function insertDrafts(
  deps: InsertDeps,
  { transaction, ids }: Creation,
  drafts: HashedDraft[],
  origin: string,
): Promise<(CreatedLink | Problem)[]> {
  const results: (CreatedLink | undefined)[] = drafts.map(() => undefined)
  const insert = async (codes: [at: number, draft: HashedDraft, code: string][]) => {
    const candidates = new Map<string, { at: number } & ReturnType<typeof newLink>>()
    // The first of two equal codes wins.
    for (const [at, draft, code] of codes) {
      if (!candidates.has(codeKey(code))) candidates.set(codeKey(code), { at, ...newLink(deps, draft, code, origin) })
    }
    const links = Array.from(candidates.values(), ({ link }) => link)
    for (const key of await insertLinks(transaction, links)) {
      const { at, link, created } = candidates.get(key) as { at: number } & ReturnType<typeof newLink>
      results[at] = created
      ids.push(link.id)
    }
  }

  // Aliases come first, so that no random code takes one.
  const rows = [...drafts.entries()]
  await insert(rows.flatMap(([at, draft]) => (draft.alias === undefined ? [] : [[at, draft, draft.alias]])))
  let remaining = rows.filter(([, { alias }]) => alias === undefined)
  for (let attempt = 0; remaining.length > 0; attempt++) {
    await insert(remaining.map(([at, draft]) => [at, draft, freeCode(deps, attempt)]))
    remaining = remaining.filter(([at]) => results[at] === undefined)
  }
  return results.map((created, at) => created ?? aliasTaken(drafts[at]?.alias))
}

function newLink(deps: InsertDeps, draft: HashedDraft, code: string, origin: string) {
  const now = deps.now()
  const token = newToken()
  const link: NewLink = {
    id: deps.ids.next(),
    ...draft,
    code,
    codeKey: codeKey(code),
    tokenHash: hashToken(token),
    active: true,
    revision: 1,
    createdAt: now,
    updatedAt: now,
  }
  const created: CreatedLink = { code, ...addresses(code, origin), manage_url: `${origin}/m/${token}`, token }
  return { link, created }
}

/** A random code that is not reserved. */
function freeCode({ isReserved }: Pick<InsertDeps, 'isReserved'>, attempt: number): string {
  for (;;) {
    const code = randomCode(attempt)
    if (!isReserved(code)) return code
  }
}

export function aliasTaken(alias: string | undefined): Problem {
  return new Problem('alias_taken', `the alias ${alias} is taken`, aliasError('taken'))
}

export function aliasError(name: 'taken' | 'reserved') {
  return { errors: [{ pointer: '/alias', detail: `is ${name}`, [REASON]: { name } }] }
}
