import { hashToken, isToken } from '../lib/token.ts'
import { codeKey, isCode } from './code.ts'
import { collectionOfToken, type CollectionKeyDeps } from './collection-keys.ts'
import { hidden, shown } from './deleted-store.ts'
import { findMemberTokens, type Member } from './member-store.ts'

/** A link in a collection, as the holder of the collection's token names it. */
export interface InCollection {
  collectionToken: string
  code: string
}

/** What shows that a link is one's own: its token, or that of a collection that it is in. No text of a client is the latter. */
export type Credential = string | InCollection

/**
 * The stored forms of the tokens by which the links of credentials can be found, in their order; undefined for what is none, and for a
 * link that is not in its collection. Only those of collections take statements.
 */
export async function tokenHashesOf(
  deps: CollectionKeyDeps,
  credentials: Credential[],
): Promise<(string | undefined)[]> {
  const members = await membersOf(deps, credentials)
  const named = members.filter((member) => member !== undefined)
  const hashOf = named.length === 0 ? () => undefined : await findMemberTokens(deps.db.read, named, deps.now())
  return credentials.map((credential, at) => {
    const member = members[at]
    if (member !== undefined) return hashOf(member)
    return typeof credential === 'string' && isToken(credential) ? hashToken(credential) : undefined
  })
}

/** The stored forms of the tokens by which the links of credentials could be found before they were deleted, as above. */
export async function deletedHashesOf(
  deps: CollectionKeyDeps,
  credentials: Credential[],
): Promise<(string | undefined)[]> {
  const members = await membersOf(deps, credentials)
  const deleted = members.map((member) => member && { ...member, codeKey: hidden(member.codeKey) })
  const named = deleted.filter((member) => member !== undefined)
  const hashOf = named.length === 0 ? () => undefined : await findMemberTokens(deps.db.read, named, deps.now())
  return credentials.map((credential, at) => {
    if (typeof credential === 'string') return isToken(credential) ? hashToken(credential) : undefined
    const member = deleted[at]
    const hash = member && hashOf(member)
    return hash === undefined ? undefined : shown(hash)
  })
}

/** The members that credentials name, in their order; each collection is looked up once. */
async function membersOf(deps: CollectionKeyDeps, credentials: Credential[]): Promise<(Member | undefined)[]> {
  const inCollections = credentials.filter((credential) => typeof credential !== 'string')
  const collections = new Map<string, string | undefined>()
  for (const token of new Set(inCollections.map(({ collectionToken }) => collectionToken)))
    collections.set(token, await collectionOfToken(deps, token))
  return credentials.map((credential) => {
    const collectionId = typeof credential === 'string' ? undefined : collections.get(credential.collectionToken)
    // PostgreSQL refuses what no text can hold, and no link has such a code.
    if (typeof credential === 'string' || collectionId === undefined || !isCode(credential.code)) return undefined
    return { collectionId, codeKey: codeKey(credential.code) }
  })
}

/** A text for each credential, different from that of any other. */
export function credentialKey(credential: Credential): string {
  return typeof credential === 'string' ? credential : JSON.stringify([credential.collectionToken, credential.code])
}
