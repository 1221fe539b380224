import type { Transaction } from '#kysely'
import type { Database } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import { Problem } from '../http/problem.ts'
import { randomSlice } from '../lib/random-slice.ts'
import { hashToken, isToken, newToken } from '../lib/token.ts'
import { runCharged } from '../lib/charged.ts'
import type { Client } from '../links/client.ts'
import type { Credential } from '../links/credential.ts'
import { urlsOf } from '../links/draft.ts'
import { createIdempotency, type IdempotentRequest } from '../links/idempotency/idempotency.ts'
import type { Link } from '../links/link.ts'
import { unknownToken } from '../links/deleted.ts'
import { linkOfId } from '../links/look-up.ts'
import { countShares, deleteShare, findShare, findShares, insertShare, lockLink, type Share } from './store.ts'

/** Shares of one link at the same time. */
export const MAX_SHARES = 20

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

/** A share, and its token, which is not stored. */
export interface CreatedShare {
  share: Share
  token: string
}

/** Lets owners share the statistics of a link, read-only, by tokens that can be revoked. */
export interface Shares {
  /**
   * Creates a share. With an idempotent request a retry returns the first one: that response is stored for a day, which is charged as
   * that of the creation of a link.
   * @throws {Problem} 404 when the link was deleted, 409 when it has as many as it may, 422 for a reused key, 429
   */
  create: (
    linkId: number,
    options: ShareOptions,
    client: Pick<Client, 'charge'>,
    idempotentRequest: IdempotentRequest | undefined,
  ) => Promise<CreatedShare>
  /** The shares of a link, oldest first. */
  list: (linkId: number) => Promise<Share[]>
  /** Ends a share at once. @throws {Problem} 404 when the link has no such share */
  revoke: (linkId: number, id: string) => Promise<void>
  /** The link of a share's token. @throws {Problem} 404 when no share has it */
  findByToken: (token: Credential) => Promise<SharedLink>
}

const idSyntax = /^[0-9a-f]{16}$/

export function openShares({ db, now }: { db: Database; now: () => number }): Shares {
  const idempotency = createIdempotency(db, now)
  return {
    async create(linkId, options, client, idempotentRequest) {
      const insert = (transaction: Transaction<Tables>) => createShare(transaction, linkId, options, now())
      if (idempotentRequest === undefined) return db.transaction(insert)
      const { response } = await runCharged(
        () => client.charge('links'),
        (chargeOnce) => idempotency.run(idempotentRequest, chargeOnce, insert),
      )
      return response
    },
    list: (linkId) => findShares(db.read, linkId),
    async revoke(linkId, id) {
      // PostgreSQL refuses what no text can hold.
      if (idSyntax.test(id) && (await deleteShare(db.write, linkId, id))) return
      throw new Problem('unknown_share', 'this link has no share with this id; it may have been revoked')
    },
    findByToken: (token) => sharedLink(db, token),
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

async function sharedLink(db: Database, token: Credential): Promise<SharedLink> {
  const share =
    typeof token === 'string' && isShareToken(token) ? await findShare(db.read, hashToken(token)) : undefined
  const link = share && (await linkOfId({ db }, share.linkId))
  if (link === undefined) throw new Problem('unknown_token', 'no share has this token; it may have been revoked')
  const { id, code, title, active, suspension, password } = link
  const state = suspension !== null ? 'removed' : active ? 'active' : 'paused'
  // A removed link may lead to something harmful; a share does not stand in for the password.
  const showsDestinations = share?.destination === true && state !== 'removed' && password === null
  return {
    id,
    code,
    title,
    state,
    csv: share?.csv === true,
    ...(showsDestinations && { destinations: destinationsOf(link) }),
  }
}

/** Every URL to which visitors of the link may get, also by its rules. */
function destinationsOf(link: Link): string[] {
  return [...new Set(urlsOf(link).map(({ url }) => url))]
}

/** Distinguishes tokens of shares from those of owners, also for readers of a log or a message. */
const PREFIX = 'share_'

/** Creates the token of a share, as random as that of an owner. */
export function newShareToken(): string {
  return PREFIX + newToken()
}

/** Whether a text has the form of a share's token; no owner's token has it. */
export function isShareToken(text: string): boolean {
  return text.startsWith(PREFIX) && isToken(text.slice(PREFIX.length))
}
