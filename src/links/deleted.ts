import { Problem } from '../http/problem.ts'
import { codeKey } from './code.ts'
import { deletedHashesOf, type Credential } from './credential.ts'
import { findDeletedByTokens, findStoredByCode, UNDO_MS, type DeletedLink } from './deleted-store.ts'
import type { Link } from './link.ts'
import type { TokenDeps } from './token-look-up.ts'

/** Until when a link can be brought back, ISO 8601, UTC. */
export function undoUntil(deletedAt: number): string {
  return new Date(deletedAt + UNDO_MS).toISOString()
}

/** The link of a credential that was deleted, and can be brought back; undefined when there is none. */
export async function deletedLinkOf(deps: TokenDeps, token: Credential): Promise<DeletedLink | undefined> {
  const [hash] = await deletedHashesOf(deps, [token])
  return hash === undefined ? undefined : (await findDeleted(deps, [hash])).get(hash)
}

/** The link of a code, for the operator: also one that was deleted, and can be brought back. */
export function storedLinkOfCode({ db, now }: TokenDeps, code: string): Promise<Link | undefined> {
  return findStoredByCode(db.read, codeKey(code), now() - UNDO_MS)
}

/** Why a credential has no link: its link was deleted and can be brought back, or no link has it. */
export async function missingLink(deps: TokenDeps, token: Credential): Promise<Problem> {
  const deleted = await deletedLinkOf(deps, token)
  return deleted === undefined ? unknownToken(token) : deletedProblem(deleted)
}

/** The problems of those of some tokens whose links were deleted and can be brought back, all by the hash of the token. */
export async function deletedProblems(deps: TokenDeps, tokenHashes: string[]): Promise<Map<string, Problem>> {
  if (tokenHashes.length === 0) return new Map()
  const deleted = await findDeleted(deps, tokenHashes)
  return new Map([...deleted].map(([hash, found]) => [hash, deletedProblem(found)]))
}

/** By a clock that is ahead, a link can no longer be brought back; it is still stored, by the clock of removals. */
function findDeleted({ db, now }: TokenDeps, hashes: string[]): Promise<Map<string, DeletedLink>> {
  const at = now()
  return findDeletedByTokens(db.read, hashes, { since: at - UNDO_MS, now: at })
}

/** The response to whatever is asked of a deleted link, but to bring it back or to delete it for good. */
export function deletedProblem({ deletedAt }: Pick<DeletedLink, 'deletedAt'>): Problem {
  const until = undoUntil(deletedAt)
  const detail = `the link was deleted; until ${until} it can be brought back by POST …/undelete`
  return new Problem('link_deleted', detail, { members: { undo_until: until } })
}

export function unknownToken(token: Credential = ''): Problem {
  if (typeof token !== 'string')
    return new Problem('collection_not_found', 'no collection has this token, or it has no link with this code')
  return new Problem('unknown_token', 'no link has this token; it may have been deleted')
}
