import type { Executor } from '../db/database.ts'
import { hashCollectionToken } from '../lib/collection-token.ts'
import { hashToken, isToken } from '../lib/token.ts'
import { codeKey } from './code.ts'
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
 * link that is not in its collection. Only those of collections take a statement.
 */
export async function tokenHashesOf(
  db: Executor,
  credentials: Credential[],
  now: number,
): Promise<(string | undefined)[]> {
  const members = credentials.map((credential) => (typeof credential === 'string' ? undefined : memberOf(credential)))
  const named = members.filter((member) => member !== undefined)
  const hashOf = named.length === 0 ? () => undefined : await findMemberTokens(db, named, now)
  return credentials.map((credential, at) => {
    const member = members[at]
    if (member !== undefined) return hashOf(member)
    return typeof credential === 'string' && isToken(credential) ? hashToken(credential) : undefined
  })
}

/** The stored form of the token by which the link of a credential could be found before it was deleted; undefined as above. */
export async function deletedHashOf(db: Executor, credential: Credential, now: number): Promise<string | undefined> {
  if (typeof credential === 'string') return isToken(credential) ? hashToken(credential) : undefined
  const member = memberOf(credential)
  if (member === undefined) return undefined
  const deleted = { ...member, codeKey: hidden(member.codeKey) }
  const hash = (await findMemberTokens(db, [deleted], now))(deleted)
  return hash === undefined ? undefined : shown(hash)
}

function memberOf({ collectionToken, code }: InCollection): Member | undefined {
  const collectionHash = hashCollectionToken(collectionToken)
  return collectionHash === undefined ? undefined : { collectionHash, codeKey: codeKey(code) }
}

/** A text for each credential, different from that of any other. */
export function credentialKey(credential: Credential): string {
  return typeof credential === 'string' ? credential : JSON.stringify([credential.collectionToken, credential.code])
}
