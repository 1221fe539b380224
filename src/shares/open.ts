import type { Transaction } from '#kysely'
import type { Database } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import { Problem } from '../http/problem.ts'
import { randomSlice } from '../lib/random-slice.ts'
import { hashToken } from '../lib/token.ts'
import type { Credential } from '../links/credential.ts'
import { urlsOf } from '../links/draft.ts'
import type { IdempotentRequest } from '../links/idempotency/idempotency.ts'
import type { Link } from '../links/link.ts'
import { unknownToken } from '../links/deleted.ts'
import { linkOfId } from '../links/look-up.ts'
import { MAX_SHARES } from './bounds.ts'
import { findCollectionShare } from './collection-store.ts'
import { createsOnce, type ShareClient } from './create-once.ts'
import { openCollectionShares, type CollectionShares } from './of-collections.ts'
import { isShareToken, newShareToken } from './token.ts'
import { countShares, deleteShare, findShare, findShares, insertShare, lockLink, type Share } from './store.ts'

/** What the owner chooses for a share. */
export type ShareOptions = Pick<Share, 'name' | 'csv' | 'destination'>

/** A link as the holder of a share sees it. */
export interface SharedLink extends Pick<Link, 'id' | 'code' | 'title'> {
  state: 'active' | 'paused' | 'removed'
  /** Where the link leads; absent unless its owner included that, while a password protects it, and after a removal for abuse. */
  destinations?: string[]
  /** Whether the share includes the export of single scans. */
  csv: boolean
}

/** Several links as the holder of a share sees them. */
export interface SharedLinks {
  /** The collection that they are in. */
  collection: { id: string; name: string | null }
  /** The only campaign that is read; `UNKNOWN_VALUE` for links without one, null for all links. */
  campaign: string | null
  csv: boolean
  /** Whether the share includes where the links lead. */
  destination: boolean
}

/** A share, and its token, which is not stored. */
export interface CreatedShare {
  share: Share
  token: string
}

/** Lets owners share the statistics of a link, or of a collection, read-only, by tokens that can be revoked. */
export interface Shares {
  /**
   * Creates a share, which is charged as a change. With an idempotent request a retry returns the first one: that response is stored for
   * a day, which is charged as that of the creation of a link.
   * @throws {Problem} 404 when the link was deleted, 409 when it has as many as it may, 422 for a reused key, 429
   */
  create: (
    linkId: number,
    options: ShareOptions,
    client: ShareClient,
    idempotentRequest: IdempotentRequest | undefined,
  ) => Promise<CreatedShare>
  /** The shares of a link, oldest first. */
  list: (linkId: number) => Promise<Share[]>
  /** Ends a share at once. @throws {Problem} 404 when the link has no such share */
  revoke: (linkId: number, id: string) => Promise<void>
  ofCollections: CollectionShares
  /** The link, or the links, of a share's token. @throws {Problem} 404 when no share has it */
  findByToken: (token: Credential) => Promise<SharedLink | SharedLinks>
}

const idSyntax = /^[0-9a-f]{16}$/

export function openShares({ db, now }: { db: Database; now: () => number }): Shares {
  const createOnce = createsOnce({ db, now })
  return {
    create: (linkId, options, client, idempotentRequest) =>
      createOnce((transaction) => createShare(transaction, linkId, options, now()), options, client, idempotentRequest),
    list: (linkId) => findShares(db.read, linkId),
    async revoke(linkId, id) {
      // PostgreSQL refuses what no text can hold.
      if (idSyntax.test(id) && (await deleteShare(db.write, linkId, id))) return
      throw new Problem('unknown_share', 'this link has no share with this id; it may have been revoked')
    },
    ofCollections: openCollectionShares({ db, now }, createOnce),
    findByToken: (token) => sharedBy(db, token),
  }
}

async function createShare(
  transaction: Transaction<Tables>,
  linkId: number,
  options: ShareOptions,
  now: number,
): Promise<CreatedShare> {
  if (!(await lockLink(transaction, linkId))) throw unknownToken()
  if ((await countShares(transaction, linkId)) >= MAX_SHARES) {
    throw new Problem('too_many_shares', `a link has at most ${MAX_SHARES} shares; revoke one first`)
  }
  const share = { id: randomSlice(8).toString('hex'), linkId, ...options, createdAt: now }
  const token = newShareToken()
  await insertShare(transaction, share, hashToken(token))
  return { share, token }
}

async function sharedBy(db: Database, token: Credential): Promise<SharedLink | SharedLinks> {
  const tokenHash = typeof token === 'string' && isShareToken(token) ? hashToken(token) : undefined
  const found = tokenHash === undefined ? undefined : await findShared(db, tokenHash)
  if (found === undefined) throw new Problem('unknown_token', 'no share has this token; it may have been revoked')
  return found
}

async function findShared(db: Database, tokenHash: string): Promise<SharedLink | SharedLinks | undefined> {
  const share = await findShare(db.read, tokenHash)
  if (share === undefined) return sharedLinks(db, tokenHash)
  const link = await linkOfId({ db }, share.linkId)
  return link && sharedLink(link, share)
}

async function sharedLinks(db: Database, tokenHash: string): Promise<SharedLinks | undefined> {
  const found = await findCollectionShare(db.read, tokenHash)
  if (found === undefined) return undefined
  const { share, collectionName } = found
  const { collectionId, campaign, csv, destination } = share
  return { collection: { id: collectionId, name: collectionName }, campaign, csv, destination }
}

function sharedLink(link: Link, { csv, destination }: Share): SharedLink {
  const { id, code, title, active, suspension } = link
  const state = suspension !== null ? 'removed' : active ? 'active' : 'paused'
  const destinations = destination ? shownDestinations(link) : undefined
  return { id, code, title, state, csv, ...(destinations && { destinations }) }
}

/** Where a link leads, for readers of a share. A removed link may lead to something harmful; a share is no password. */
export function shownDestinations(link: Link): string[] | undefined {
  return link.suspension === null && link.password === null ? destinationsOf(link) : undefined
}

/** Every URL to which visitors of the link may get, also by its rules. */
function destinationsOf(link: Link): string[] {
  return [...new Set(urlsOf(link).map(({ url }) => url))]
}
