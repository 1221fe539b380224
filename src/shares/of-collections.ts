import type { Transaction } from '#kysely'
import { lockOpen } from '../collections/collecting.ts'
import type { Database } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import { Problem } from '../http/problem.ts'
import { randomSlice } from '../lib/random-slice.ts'
import { hashToken } from '../lib/token.ts'
import type { IdempotentRequest } from '../links/idempotency/idempotency.ts'
import { MAX_SHARES } from './bounds.ts'
import * as store from './collection-store.ts'
import type { CreateOnce, ShareClient } from './create-once.ts'
import { newShareToken } from './token.ts'

export type { CollectionShare } from './collection-store.ts'

/** What the owner of a collection chooses for a share. */
export type CollectionShareOptions = Pick<store.CollectionShare, 'name' | 'campaign' | 'csv' | 'destination'>

/** A share of a collection, and its token, which is not stored. */
export interface CreatedCollectionShare {
  share: store.CollectionShare
  token: string
}

/** Lets owners share the statistics of a collection, or of a campaign in it, as `Shares` does those of a link. */
export interface CollectionShares {
  /** Charged as a change. @throws {Problem} 404 when the collection was ended, 409 when it has as many as it may, 422 for a reused key, 429 */
  create: (
    collectionId: string,
    options: CollectionShareOptions,
    client: ShareClient,
    idempotentRequest: IdempotentRequest | undefined,
  ) => Promise<CreatedCollectionShare>
  /** The shares of a collection, oldest first. */
  list: (collectionId: string) => Promise<store.CollectionShare[]>
  /** Ends a share at once. @throws {Problem} 404 when the collection has no such share */
  revoke: (collectionId: string, id: string) => Promise<void>
}

const idSyntax = /^[0-9a-f]{16}$/

export function openCollectionShares(
  { db, now }: { db: Database; now: () => number },
  createOnce: CreateOnce,
): CollectionShares {
  return {
    create: (collectionId, options, client, idempotentRequest) =>
      createOnce(
        (transaction) => createShare(transaction, collectionId, options, now()),
        options,
        client,
        idempotentRequest,
      ),
    list: (collectionId) => store.findCollectionShares(db.read, collectionId),
    async revoke(collectionId, id) {
      // PostgreSQL refuses what no text can hold.
      if (idSyntax.test(id) && (await store.deleteCollectionShare(db.write, collectionId, id))) return
      throw new Problem('unknown_share', 'this collection has no share with this id; it may have been revoked')
    },
  }
}

async function createShare(
  transaction: Transaction<Tables>,
  collectionId: string,
  options: CollectionShareOptions,
  now: number,
): Promise<CreatedCollectionShare> {
  await lockOpen(transaction, collectionId)
  if ((await store.countCollectionShares(transaction, collectionId)) >= MAX_SHARES) {
    throw new Problem('too_many_shares', `a collection has at most ${MAX_SHARES} shares; revoke one first`)
  }
  const share = { id: randomSlice(8).toString('hex'), collectionId, ...options, createdAt: now }
  const token = newShareToken()
  await store.insertCollectionShare(transaction, share, hashToken(token))
  return { share, token }
}
