import type { Executor } from '../db/database.ts'
import { hashCollectionToken } from '../lib/collection-token.ts'
import { findCollectionKey, promoteCollectionKey } from './collection-key-store.ts'

/** What look-ups by the token of a collection need of the rest of the program. */
export interface CollectionKeyDeps {
  db: { read: Executor; write: Executor }
  now: () => number
}

/**
 * The id of the collection of a token; undefined when none has it. The first look-up by a collection's next token makes it the only
 * one, as that of a link.
 */
export async function collectionOfToken({ db, now }: CollectionKeyDeps, token: string): Promise<string | undefined> {
  const tokenHash = hashCollectionToken(token)
  if (tokenHash === undefined) return undefined
  const key = await findCollectionKey(db.read, tokenHash, now())
  if (key?.isNext === true) await promoteCollectionKey(db.write, tokenHash)
  return key?.id
}
