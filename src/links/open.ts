import type { Database } from '../db/database.ts'
import { createBulk, type BulkAsked, type BulkResult } from './bulk.ts'
import { createReserved } from './code.ts'
import { createLink, type Asked } from './create.ts'
import { checkDesign, type CheckedDesign, type Drawing, type LinkDesigns, type OwnedLink } from './design.ts'
import type { LinkIds } from './ids.ts'
import type { CreatedLink } from './insert.ts'
import type { Link } from './link.ts'
import { changeLink, linkOfToken, removeLink, requireToken, withDesign, type ChangeOptions } from './manage.ts'
import { createReplays } from './replay.ts'
import type { OwnsUrl, Screen } from './url-policy.ts'

/** Creates links, and lets whoever has the token of one read, change and delete it. */
export interface Links {
  /** @throws {Problem} 400 for a bad field, 409 for a taken or reserved alias, 422 for a listed destination or a reused key */
  create: (body: unknown, asked: Asked) => Promise<CreatedLink>
  /** Creates a link from each row that can be one. @throws {Problem} 400 when none can, with the result of each row */
  createBulk: (rows: unknown[], asked: BulkAsked) => Promise<BulkResult>
  /** Finds out whether a link has the token, without reading it. @throws {Problem} 404 when none has */
  requireToken: (token: string) => Promise<void>
  /** @throws {Problem} 404 when no link has the token */
  findByToken: (token: string) => Promise<Link>
  /** The same with its design. */
  readByToken: (token: string) => Promise<OwnedLink>
  /**
   * Checks the design that the body of a change names; undefined when it names none.
   * @throws {Problem} 400 when it cannot be scanned, and what `drawing.charge` throws
   */
  checkDesign: (owned: OwnedLink, body: unknown, drawing: Drawing) => Promise<CheckedDesign | undefined>
  /**
   * Changes what the body names, on whichever revision is the present one; it is read again only when it is not `owned`.
   * @throws {Problem} 400 for a bad field, 404 when the link is gone, 409 when it was removed for abuse, 412 when
   * `ifMatch` names another revision, 422 for a listed destination
   */
  change: (owned: OwnedLink, body: unknown, options: ChangeOptions) => Promise<OwnedLink>
  /** Deletes the link, and all that is kept about it. @throws {Problem} 404 for an unknown token, 412 as above */
  remove: (token: string, ifMatch: string | undefined) => Promise<Link>
  /** Whether no link may have this code, because a page of ours has or may get its address. */
  isReserved: (code: string) => boolean
  /** Keeps a word from being a code from now on. */
  reserve: (word: string) => void
  /** Nothing goes on when nobody asks. */
  close: () => void
}

/** What links need of the rest of the program. */
export interface LinksNeeds {
  db: Database
  ids: LinkIds
  now: () => number
  /** Whether an address leads back to this service. */
  owns: OwnsUrl
  /** Why no link may lead to an address. */
  screen: Screen
  designs: LinkDesigns
  /** Makes visits read the link of a code anew: called after each change, before that is answered. */
  invalidate: (code: string) => void
  /** Removes the scans of a link soon: called after its deletion was committed. */
  purgeScans: (linkId: number) => void
}

export function openLinks({ db, ids, now, owns, screen, designs, invalidate, purgeScans }: LinksNeeds): Links {
  const { isReserved, reserve } = createReserved()
  const creation = { db, ids, now, owns, screen, isReserved, invalidate, replays: createReplays(db, now) }
  const management = { db, now, owns, screen, designs, invalidate, purgeScans }
  return {
    create: (body, asked) => createLink(creation, body, asked),
    createBulk: (rows, asked) => createBulk(creation, rows, asked),
    requireToken: (token) => requireToken(management, token),
    findByToken: (token) => linkOfToken(management, token),
    readByToken: async (token) => withDesign(management, await linkOfToken(management, token)),
    checkDesign: (owned, body, drawing) => checkDesign(designs, owned, body, drawing),
    change: (owned, body, options) => changeLink(management, owned, body, options),
    remove: (token, ifMatch) => removeLink(management, token, ifMatch),
    isReserved,
    reserve,
    close() {},
  }
}
