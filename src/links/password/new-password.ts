import { invalidRequest } from '../../http/problem.ts'
import type { Holder } from '../../lib/holder.ts'
import type { Draft } from '../draft.ts'
import type { PasswordHash, Passwords } from './password.ts'

/** A draft whose password is hashed, so that it may be stored. */
export type HashedDraft = Omit<Draft, 'password'> & { password: PasswordHash | null }

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
