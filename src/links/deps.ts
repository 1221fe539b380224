import type { Transaction } from '#kysely'
import type { Database } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import type { InTurn } from '../lib/in-turn.ts'
import type { IsReserved } from './code.ts'
import type { Designs } from './design.ts'
import type { Idempotency } from './idempotency/idempotency.ts'
import type { LinkIds } from './ids.ts'
import type { Passwords } from './password/password.ts'
import type { UrlPolicy } from './url-policy.ts'
import type { LinkWebhooks } from './webhook.ts'

/** Puts links into a collection as they are created, and knows its looks. */
export interface Collecting {
  /**
   * The looks of a collection that have one of these names.
   * @throws {Problem} 404 when no collection has the token
   */
  looks: (token: string, names: string[]) => Promise<Map<string, object>>
  /**
   * Keeps the collection of a token from changing until the transaction ends.
   * @param count how many links are to be created at most
   * @returns adds the links that were created
   * @throws {Problem} 404 when no collection has the token, 409 when so many do not fit
   */
  open: (
    transaction: Transaction<Tables>,
    token: string,
    count: number,
  ) => Promise<(linkIds: number[]) => Promise<void>>
  /** Creates a collection of links that were just created. */
  create: (transaction: Transaction<Tables>, name: string | null, linkIds: number[]) => Promise<NewCollection>
}

/** A collection that was created with its links, and its token, which is not stored. */
export interface NewCollection {
  token: string
  name: string | null
  /** ISO 8601, UTC. */
  created_at: string
}

/** What creations, changes and deletions of links share. */
export interface LinkDeps extends Omit<UrlPolicy, 'onTrimmed'> {
  db: Database
  /** Identifies what `screen` compares with: another text after each change of lists or rulings. */
  screenedBy: () => string
  ids: LinkIds
  /** Runs changes of a link one after the other, by its id. */
  inTurn: InTurn
  now: () => number
  isReserved: IsReserved
  idempotency: Idempotency
  passwords: Passwords
  designs: Designs
  webhooks: LinkWebhooks
  collecting: Collecting
  /** Invalidates the cached link of a code: called after each change, before the response. */
  invalidate: (code: string) => void
  /** Adds visits that were counted elsewhere, once for each link. */
  addImported: (counts: { linkId: number; at: number; clicks: number }[]) => Promise<void>
  /** Schedules the scans of a link to be purged: called after its deletion was committed. */
  purgeScans: (linkId: number) => void
}
