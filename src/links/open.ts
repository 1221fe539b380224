import type { Database } from '../db/database.ts'
import type { Problem } from '../http/problem.ts'
import { findAvailability, type Availability } from './availability.ts'
import { createBulk, type BulkOptions, type BulkResult } from './bulk/bulk.ts'
import { changeLinks, type ManyOptions, type ManyResult } from './bulk/change-many.ts'
import { createReserved } from './code.ts'
import { createLink, type CreationOptions, type LinkOptions } from './create.ts'
import { checkDesign, type CheckedDesign, type Drawing, type LinkDesigns, type OwnedLink } from './design.ts'
import type { Revision } from './history/history.ts'
import type { LinkIds } from './ids.ts'
import type { ImportDeps } from './import/deps.ts'
import { importLinks, type ImportOptions, type ImportResult } from './import/import.ts'
import type { CreatedLink } from './insert.ts'
import type { Link } from './link.ts'
import {
  changeLink,
  deleteLink,
  historyOf,
  linkOfToken,
  requireToken,
  withDesign,
  type ChangeOptions,
} from './manage.ts'
import { createIdempotency } from './idempotency/idempotency.ts'
import { createPasswords, type Passwords, type Scrypt } from './password/password.ts'
import { rotateToken, type RotatedToken } from './rotation.ts'
import type { ChargeNotFound } from './bulk/row-links.ts'
import type { LinkId } from './store.ts'
import { createTokenWatch, type TokenWatch } from './token-watch.ts'
import { linksOfTokens } from './tokens.ts'
import type { OnTrimmed, OwnsUrl, Screen } from './url-policy.ts'
import { checkWebhook, type CheckedWebhook, type LinkWebhooks } from './webhook.ts'
import { asHolder } from '../lib/holder.ts'
import type { Turns } from '../lib/turns.ts'

/** Creates links, and lets the owner of a token read, change and delete its link. */
export interface Links {
  /** @throws {Problem} 400 for an invalid field, 409 for a taken or reserved alias, 422 for a blocked destination or a reused key */
  create: (body: unknown, options: LinkOptions) => Promise<CreatedLink>
  /** Creates a link from each valid row. @throws {Problem} 400 when none is valid, with the result of each row */
  createBulk: (rows: unknown[], options: BulkOptions) => Promise<BulkResult>
  /** Whether a creation with this `Idempotency-Key` has a response, which a retry gets. */
  hasResponse: (idempotencyKey: string) => Promise<boolean>
  /** Creates links of another service under their codes. A repeated call creates and counts nothing twice. */
  importLinks: (rows: unknown[], options: ImportOptions) => Promise<ImportResult[]>
  /** Checks that a link has the token, without reading the link. @throws {Problem} 404 when none has */
  requireToken: (token: string) => Promise<void>
  /** @throws {Problem} 404 when no link has the token */
  findByToken: (token: string) => Promise<Link>
  /**
   * The links of many tokens, in their order; a problem for a token that no link has. Once the client's quota of such is used up,
   * no further token is looked up.
   * @param chargeNotFound charges an unknown token; returns the problem to send instead when the quota is used up
   */
  findManyByToken: (tokens: string[], chargeNotFound: ChargeNotFound) => Promise<(LinkId | Problem)[]>
  /** The same as `findByToken`, with its design. */
  readByToken: (token: string) => Promise<OwnedLink>
  /** Calls back once a token that worked no longer does, within a second or two, until the returned function is called. */
  watchToken: TokenWatch['add']
  /**
   * Checks the design in the body of a change; returns undefined when there is none.
   * @throws {Problem} 400 when it cannot be scanned, and what `drawing.charge` rejects with
   */
  checkDesign: (owned: OwnedLink, body: unknown, drawing: Drawing) => Promise<CheckedDesign | undefined>
  /**
   * Checks the webhook in the body of a change; returns undefined when there is none.
   * @param charge called for a new address or secret
   * @throws {Problem} 400 for an invalid field, 422 for a blocked URL, and what `charge` rejects with
   */
  checkWebhook: (
    owned: OwnedLink,
    body: unknown,
    charge: () => Promise<unknown>,
    onTrimmed?: OnTrimmed,
  ) => Promise<CheckedWebhook | undefined>
  /**
   * Changes the fields that the body names, in the newest revision of the link.
   * @throws {Problem} 400 for an invalid field, 404 when the link was deleted, 409 when it is suspended, 412 when
   * `ifMatch` names another revision, 422 for a blocked destination
   */
  change: (owned: OwnedLink, body: unknown, options: ChangeOptions) => Promise<OwnedLink>
  /** Changes the link of each valid row. @throws {Problem} 400 when none is valid, with the result of each row */
  changeMany: (rows: unknown[], options: ManyOptions) => Promise<ManyResult>
  /**
   * Issues a token that replaces the link's own: see `rotateToken`.
   * @throws {Problem} 404 for an unknown token, 422 for a reused key
   */
  rotate: (token: string, options: CreationOptions) => Promise<RotatedToken>
  /** The revisions of the link, newest first. */
  history: (owned: OwnedLink) => Promise<Revision[]>
  /** Deletes the link with its scans, its design and its history. @throws {Problem} 404 for an unknown token, 412 as above */
  delete: (token: string, ifMatch: string | undefined) => Promise<Link>
  /** Whether a new link may have this code. */
  findAvailability: (code: string) => Promise<Availability>
  passwords: Passwords
  /** Whether no link may have this code, because a page of the service has or may get its path. */
  isReserved: (code: string) => boolean
  /** Reserves a word: no new link may have it as its code. */
  reserve: (word: string) => void
  /** Does nothing: links have no background work. */
  close: () => void
}

/** What links need of the rest of the program. */
export interface LinksNeeds {
  db: Database
  ids: LinkIds
  now: () => number
  owns: OwnsUrl
  screen: Screen
  designs: LinkDesigns
  webhooks: LinkWebhooks
  passwordTurn: Turns['run']
  /** Replaces the usual way to derive the keys of passwords. */
  scrypt?: Scrypt | undefined
  /** Invalidates the cached link of a code: called after each change, before the response. */
  invalidate: (code: string) => void
  addImported: ImportDeps['addImported']
  /** Schedules the scans of a link to be purged: called after its deletion was committed. */
  purgeScans: (linkId: number) => void
}

export function openLinks(needs: LinksNeeds): Links {
  const { db, ids, now, owns, screen, designs, webhooks, invalidate, purgeScans } = needs
  const passwords = createPasswords(needs.passwordTurn, needs.scrypt)
  const { isReserved, reserve } = createReserved()
  const idempotency = createIdempotency(db, now)
  const creation = { db, ids, now, owns, screen, webhooks, isReserved, invalidate, idempotency }
  const management = { db, now, owns, screen, designs, webhooks, invalidate, purgeScans }
  const hashPassword = (password: string) => passwords.hash(password, asHolder('import'))
  const importing = { addImported: needs.addImported, designs, hashPassword }
  return {
    create: (body, options) => createLink(creation, body, options),
    createBulk: (rows, options) => createBulk(creation, rows, options),
    hasResponse: idempotency.has,
    importLinks: (rows, options) => importLinks({ ...creation, ...importing }, rows, options),
    requireToken: (token) => requireToken(management, token),
    findByToken: (token) => linkOfToken(management, token),
    findManyByToken: (tokens, chargeNotFound) => linksOfTokens(management, tokens, chargeNotFound),
    readByToken: async (token) => withDesign(management, await linkOfToken(management, token)),
    watchToken: createTokenWatch({ db, now }).add,
    checkDesign: (owned, body, drawing) => checkDesign(designs, owned, body, drawing),
    checkWebhook: (owned, body, charge, onTrimmed) => checkWebhook(management, owned, body, charge, onTrimmed),
    change: (owned, body, options) => changeLink(management, owned, body, options),
    changeMany: (rows, options) => changeLinks(management, rows, options),
    rotate: (token, options) => rotateToken(creation, token, options),
    history: (owned) => historyOf(management, owned),
    delete: (token, ifMatch) => deleteLink(management, token, ifMatch),
    findAvailability: (code) => findAvailability(creation, code),
    passwords,
    isReserved,
    reserve,
    close() {},
  }
}
