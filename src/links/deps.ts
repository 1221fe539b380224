import type { Database } from '../db/database.ts'
import type { InTurn } from '../lib/in-turn.ts'
import type { IsReserved } from './code.ts'
import type { Designs } from './design.ts'
import type { Idempotency } from './idempotency/idempotency.ts'
import type { LinkIds } from './ids.ts'
import type { Passwords } from './password/password.ts'
import type { UrlPolicy } from './url-policy.ts'
import type { LinkWebhooks } from './webhook.ts'

/** What creations, changes and deletions of links share. */
export interface LinkDeps extends Omit<UrlPolicy, 'onTrimmed'> {
  db: Database
  ids: LinkIds
  /** Runs changes of a link one after the other, by its id. */
  inTurn: InTurn
  now: () => number
  isReserved: IsReserved
  idempotency: Idempotency
  passwords: Passwords
  designs: Designs
  webhooks: LinkWebhooks
  /** Invalidates the cached link of a code: called after each change, before the response. */
  invalidate: (code: string) => void
  /** Adds visits that were counted elsewhere, once for each link. */
  addImported: (counts: { linkId: number; at: number; clicks: number }[]) => Promise<void>
  /** Schedules the scans of a link to be purged: called after its deletion was committed. */
  purgeScans: (linkId: number) => void
}
