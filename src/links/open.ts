import type { Problem } from '../http/problem.ts'
import type { Turns } from '../lib/turns.ts'
import { findAvailability, type Availability } from './availability.ts'
import { createBulk, type BulkOptions, type BulkResult } from './bulk/bulk.ts'
import { changeLinks, type ManyOptions, type ManyResult } from './bulk/change-many.ts'
import type { ChargeNotFound } from './bulk/row-links.ts'
import { changeLink, type ChangeOptions } from './change.ts'
import type { Client } from './client.ts'
import { createReserved } from './code.ts'
import type { Credential } from './credential.ts'
import { createLink, type CreationOptions, type LinkOptions } from './create.ts'
import { createInTurn } from '../lib/in-turn.ts'
import { deletedLinkOf } from './deleted.ts'
import type { DeletedLink } from './deleted-store.ts'
import { deleteLink, deleteWithUndo, undelete, type Undoable } from './deletion.ts'
import type { LinkDeps } from './deps.ts'
import type { OwnedLink } from './design.ts'
import type { Revision } from './history/history.ts'
import { createIdempotency } from './idempotency/idempotency.ts'
import { importLinks, type ImportOptions, type ImportResult } from './import/import.ts'
import type { CreatedLink } from './insert.ts'
import type { Link } from './link.ts'
import { historyOf, linkOfToken, ownedByToken, requireToken } from './look-up.ts'
import { startOverdue, type OverdueNeeds } from './overdue.ts'
import { createPasswords, type Passwords, type Scrypt } from './password/password.ts'
import { rotateToken, type RotatedToken } from './rotation.ts'
import type { LinkId } from './store.ts'
import { createTokenWatch, type TokenWatch } from './token-watch.ts'
import { linksOfTokens } from './tokens.ts'

/** Creates links, and lets the owner of a token read, change and delete its link. */
export interface Links {
  /** Creates a link: see `createLink`. */
  create: (body: unknown, client: Client, options?: LinkOptions) => Promise<CreatedLink>
  /** Creates a link from each valid row. @throws {Problem} 400 when none is valid, with the result of each row */
  createBulk: (rows: unknown[], client: Client, options: BulkOptions) => Promise<BulkResult>
  /** Whether a creation with this `Idempotency-Key` has a response, which a retry gets. */
  hasResponse: (idempotencyKey: string) => Promise<boolean>
  /** Creates links of another service under their codes. A repeated call creates and counts nothing twice. */
  importLinks: (rows: unknown[], options: ImportOptions) => Promise<ImportResult[]>
  /** Checks that a link has the token, without reading the link. @throws {Problem} 404 when none has */
  requireToken: (token: Credential) => Promise<void>
  /** @throws {Problem} 404 when no link has the token */
  findByToken: (token: Credential) => Promise<Link>
  /**
   * The links of many tokens, in their order; a problem for a token that no link has. Once the client's quota of such is used up,
   * no further token is looked up.
   * @param chargeNotFound charges an unknown token; returns the problem to send instead when the quota is used up
   */
  findManyByToken: (tokens: string[], chargeNotFound: ChargeNotFound) => Promise<(LinkId | Problem)[]>
  /** The same as `findByToken`, with its design and webhook. */
  readByToken: (token: Credential) => Promise<OwnedLink>
  /** Calls back once a token that worked no longer does, within a second or two, until the returned function is called. */
  watchToken: TokenWatch['add']
  /**
   * Changes the fields that the body names, its design, webhook and password among them, in the newest revision of the link:
   * see `changeLink`.
   */
  change: (owned: OwnedLink, body: unknown, client: Client, options?: ChangeOptions) => Promise<OwnedLink>
  /** Changes the link of each valid row. @throws {Problem} 400 when none is valid, with the result of each row */
  changeMany: (rows: unknown[], client: Client, options: ManyOptions) => Promise<ManyResult>
  /**
   * Issues a token that replaces the link's own: see `rotateToken`.
   * @throws {Problem} 404 for an unknown token, 422 for a reused key
   */
  rotate: (token: Credential, client: Client, options: CreationOptions) => Promise<RotatedToken>
  /** The revisions of the link, newest first. */
  history: (owned: OwnedLink) => Promise<Revision[]>
  /**
   * Deletes the link with its scans, its design and its history for good, also one that could be brought back.
   * @throws {Problem} 404 for an unknown token, 412 as above
   */
  delete: (token: Credential, ifMatch: string | undefined) => Promise<Link>
  /** The same so that the owner can bring it back for a day. @throws {Problem} also 410 when it is deleted already */
  deleteWithUndo: (token: Credential, ifMatch: string | undefined) => Promise<Undoable>
  /** The link of a token that was deleted and can be brought back; undefined when there is none. */
  findDeleted: (token: Credential) => Promise<DeletedLink | undefined>
  /** Brings a deleted link back, with all that belongs to it: see `undelete`. */
  undelete: (token: Credential, client: Pick<Client, 'charge'>) => Promise<OwnedLink>
  /** Deletes for good what nobody has brought back in a day, as also happens each minute. */
  deleteOverdue: () => Promise<void>
  /** Whether a new link may have this code. */
  findAvailability: (code: string) => Promise<Availability>
  passwords: Passwords
  /** Whether no link may have this code, because a page of the service has or may get its path. */
  isReserved: (code: string) => boolean
  /** Reserves a word: no new link may have it as its code. */
  reserve: (word: string) => void
  close: () => Promise<void>
}

/** What links need of the rest of the program. */
export interface LinksNeeds
  extends Omit<LinkDeps, 'isReserved' | 'idempotency' | 'passwords' | 'inTurn'>, Omit<OverdueNeeds, 'db'> {
  passwordTurn: Turns['run']
  /** Replaces the usual way to derive the keys of passwords. */
  scrypt?: Scrypt | undefined
}

export function openLinks(needs: LinksNeeds): Links {
  const { db, now } = needs
  const passwords = createPasswords(needs.passwordTurn, needs.scrypt)
  const { isReserved, reserve } = createReserved()
  const deps: LinkDeps = {
    ...needs,
    isReserved,
    idempotency: createIdempotency(db, now),
    passwords,
    inTurn: createInTurn(),
  }
  const overdue = startOverdue(needs)
  return {
    create: createLink.bind(null, deps),
    createBulk: createBulk.bind(null, deps),
    hasResponse: deps.idempotency.has,
    importLinks: importLinks.bind(null, deps),
    requireToken: requireToken.bind(null, deps),
    findByToken: linkOfToken.bind(null, deps),
    findManyByToken: linksOfTokens.bind(null, deps),
    readByToken: ownedByToken.bind(null, deps),
    watchToken: createTokenWatch({ db, now }).add,
    change: changeLink.bind(null, deps),
    changeMany: changeLinks.bind(null, deps),
    rotate: rotateToken.bind(null, deps),
    history: historyOf.bind(null, deps),
    delete: deleteLink.bind(null, deps),
    deleteWithUndo: deleteWithUndo.bind(null, deps),
    findDeleted: deletedLinkOf.bind(null, deps),
    undelete: undelete.bind(null, deps),
    deleteOverdue: overdue.run,
    findAvailability: findAvailability.bind(null, deps),
    passwords,
    isReserved,
    reserve,
    close: overdue.close,
  }
}
