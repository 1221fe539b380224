import type { Transaction } from '#kysely'
import type { Database } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import { Problem } from '../http/problem.ts'
import { newCollectionToken } from '../lib/collection-token.ts'
import { randomSlice } from '../lib/random-slice.ts'
import { hashToken } from '../lib/token.ts'
import { collectionOfToken, type CollectionKeyDeps } from '../links/collection-keys.ts'
import type { Collecting } from '../links/deps.ts'
import { MAX_LINKS } from './bounds.ts'
import { namedLooks } from './looks.ts'
import * as store from './store.ts'
import type { CollectionWebhooks } from './webhooks.ts'

/** Adds links to collections in the transaction that creates them, and finds the looks of collections. */
export function createCollecting(
  db: Database,
  now: () => number,
  webhooks: Pick<CollectionWebhooks, 'watch'>,
): Collecting {
  const inside = (transaction: Transaction<Tables>) => ({ db: { read: transaction, write: transaction }, now })
  return {
    async looks(token, names) {
      const { id } = await requireCollection({ db, now }, token, (found) => store.findCollection(db.read, found))
      return namedLooks(db.read, id, names)
    },
    async open(transaction, token, count) {
      const { id } = await requireCollection(inside(transaction), token, (id) => store.lockCollection(transaction, id))
      if ((await store.countMembers(transaction, id)) + count > MAX_LINKS) throw collectionFull()
      // What was just created is in no other collection.
      return async (linkIds) => {
        await store.insertMembers(transaction, { collectionId: id, linkIds, now: now() })
        // Nor has anybody visited it.
        await webhooks.watch(transaction, id, new Map(linkIds.map((linkId) => [linkId, 0])))
      }
    },
    async create(transaction, name, linkIds) {
      const { collection, token } = await insertNew(transaction, name, now())
      await store.insertMembers(transaction, { collectionId: collection.id, linkIds, now: now() })
      return { token, name, created_at: new Date(collection.createdAt).toISOString() }
    },
  }
}

/** A collection, and its token, which is not stored. */
export interface CreatedCollection {
  collection: store.Collection
  token: string
}

/** Creates an empty collection. */
export async function insertNew(
  transaction: Transaction<Tables>,
  name: string | null,
  now: number,
): Promise<CreatedCollection> {
  const collection = { id: randomSlice(8).toString('hex'), name, createdAt: now }
  const token = newCollectionToken()
  await store.insertCollection(transaction, collection, hashToken(token))
  return { collection, token }
}

/**
 * Looks a collection up by its token.
 * @param find reads it by its id
 * @throws {Problem} 404 when none has it
 */
export async function requireCollection(
  deps: CollectionKeyDeps,
  token: string,
  find: (id: string) => Promise<store.Collection | undefined>,
): Promise<store.Collection> {
  const id = await collectionOfToken(deps, token)
  const collection = id === undefined ? undefined : await find(id)
  if (collection !== undefined) return collection
  throw collectionNotFound()
}

/**
 * Keeps others from changing a collection and what belongs to it until the transaction ends.
 * @throws {Problem} 404 when it was ended
 */
export async function lockOpen(transaction: Transaction<Tables>, id: string): Promise<void> {
  if ((await store.lockCollection(transaction, id)) === undefined) throw collectionNotFound()
}

export function collectionNotFound(): Problem {
  return new Problem('collection_not_found', 'no collection has this token; it may have been ended')
}

export function collectionFull(): Problem {
  return new Problem('collection_full', `a collection has at most ${MAX_LINKS} links`)
}
