import type { Database } from '../db/database.ts'
import { Problem } from '../http/problem.ts'
import type { Collecting } from '../links/deps.ts'
import { MAX_LINKS } from './bounds.ts'
import { namedLooks } from './looks.ts'
import * as store from './store.ts'
import { hashCollectionToken } from '../lib/collection-token.ts'

/** Adds links to collections in the transaction that creates them, and finds the looks of collections. */
export function createCollecting(db: Database, now: () => number): Collecting {
  return {
    async looks(token, names) {
      const { id } = await requireCollection(token, (hash) => store.findCollection(db.read, hash))
      return namedLooks(db.read, id, names)
    },
    async open(transaction, token, count) {
      const { id } = await requireCollection(token, (hash) => store.lockCollection(transaction, hash))
      if ((await store.countMembers(transaction, id)) + count > MAX_LINKS) throw collectionFull()
      // What was just created is in no other collection.
      return (linkIds) => store.insertMembers(transaction, { collectionId: id, linkIds, now: now() })
    },
  }
}

/** Looks a collection up by its token. @throws {Problem} 404 when none has it */
export async function requireCollection(
  token: string,
  find: (tokenHash: string) => Promise<store.Collection | undefined>,
): Promise<store.Collection> {
  const hash = hashCollectionToken(token)
  const collection = hash === undefined ? undefined : await find(hash)
  if (collection !== undefined) return collection
  throw new Problem('collection_not_found', 'no collection has this token; it may have been ended')
}

export function collectionFull(): Problem {
  return new Problem('collection_full', `a collection has at most ${MAX_LINKS} links`)
}
