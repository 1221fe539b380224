import { isObject } from '../../http/body.ts'
import type { Draft } from '../draft.ts'
import { passwordRefused } from './password-field.ts'
import type { PasswordHash } from './password.ts'

/** Hashes a password for the client of a request. @throws {Problem} 503 at once when too many wait */
export type HashPassword = (password: string) => Promise<PasswordHash>

/** A draft whose password is hashed, so that it may be stored. */
export type HashedDraft = Omit<Draft, 'password'> & { password: PasswordHash | null }

/** @throws {Problem} what `hash` throws, 400 when there is a password and no `hash` */
export async function hashDraft(draft: Draft, hash: HashPassword | undefined): Promise<HashedDraft> {
  if (draft.password === null) return { ...draft, password: null }
  return { ...draft, password: await requireHash(hash)(draft.password) }
}

/**
 * A draft of a request that has no time for hashing.
 * @throws {Problem} 400 when the draft has a password
 */
export function withoutPassword(draft: Draft): HashedDraft {
  if (draft.password === null) return { ...draft, password: null }
  throw passwordRefused('cannot be set in a bulk request; create this link by itself, or set it by a change')
}

/**
 * The password in the body of a change, hashed; null removes it, undefined leaves it as it is.
 * @param check validates everything else first: it costs less
 * @param hash when absent, the request cannot set a password
 * @throws {Problem} what `check` and `hash` throw, 400 when there is no `hash`
 */
export async function newPassword(
  body: unknown,
  check: () => void,
  hash: HashPassword | undefined,
): Promise<PasswordHash | null | undefined> {
  const password = isObject(body) ? body['password'] : undefined
  // Any other value is invalid, and the change is refused.
  if (typeof password !== 'string') return password === null ? null : undefined
  check()
  return requireHash(hash)(password)
}

function requireHash(hash: HashPassword | undefined): HashPassword {
  if (hash !== undefined) return hash
  throw passwordRefused('cannot be set by this request')
}
