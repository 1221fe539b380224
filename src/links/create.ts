import type { Database, Executor } from '../db/database.ts'
import { Problem } from '../http/problem.ts'
import { codeKey, randomCode, type IsReserved } from './code.ts'
import { parseDraft, type Draft } from './draft.ts'
import { addresses, type Addresses, type Totals } from './link.ts'
import type { Repeatable, Replays } from './replay.ts'
import { insertLink, takeCode } from './store.ts'
import { hashToken, newToken } from './token.ts'
import type { OwnsUrl } from './url-policy.ts'

/** What a creation answers: the only time that the token is told. */
export interface CreatedLink extends Addresses {
  code: string
  manage_url: string
  token: string
}

/** What links need of the rest of the program. */
export interface LinkDeps {
  db: Database
  now: () => number
  owns: OwnsUrl
  isReserved: IsReserved
  replays: Replays
  /** Called after a link was created, changed or deleted, before that is answered. */
  changed: (code: string) => void
  /** Removes what is kept elsewhere about a deleted link, before that is answered. */
  forget: (linkId: number) => Promise<void>
  /** What has been counted of a link, for its details. */
  totals: (linkId: number) => Promise<Totals>
}

/**
 * Creates a link from the body of a request.
 * @throws {Problem} 400 for a bad field, 409 for a taken or reserved alias, 422 for a reused key
 */
export async function createLink(
  deps: LinkDeps,
  body: unknown,
  origin: string,
  repeatable?: Repeatable,
): Promise<CreatedLink> {
  const draft = parseDraft(body, deps.owns)
  if (draft.alias !== undefined && deps.isReserved(draft.alias)) {
    throw new Problem('alias_reserved', `the alias ${draft.alias} is reserved`, aliasError('is reserved'))
  }
  const { answer, replayed } = await deps.replays(repeatable, (transaction) =>
    insertDraft(deps, transaction, draft, origin),
  )
  if (!replayed) deps.changed(answer.code)
  return answer
}

function aliasError(detail: string) {
  return { errors: [{ pointer: '/alias', detail }] }
}

async function insertDraft(deps: LinkDeps, db: Executor, draft: Draft, origin: string): Promise<CreatedLink> {
  const code = await takeAnyCode(deps, db, draft.alias)
  const token = newToken()
  const now = deps.now()
  const { alias: _, ...content } = draft
  await insertLink(
    db,
    { ...content, code, active: true, revision: 1, createdAt: now, updatedAt: now },
    { codeKey: codeKey(code), tokenHash: hashToken(token) },
  )
  return { code, ...addresses(code, origin), manage_url: `${origin}/m/${token}`, token }
}

async function takeAnyCode(deps: LinkDeps, db: Executor, alias: string | undefined): Promise<string> {
  if (alias !== undefined) {
    if (await takeCode(db, codeKey(alias))) return alias
    throw new Problem('alias_taken', `the alias ${alias} is taken`, aliasError('is taken'))
  }
  for (let attempt = 0; ; attempt++) {
    const code = randomCode(attempt)
    if (!deps.isReserved(code) && (await takeCode(db, codeKey(code)))) return code
  }
}
