import { isDeepStrictEqual } from 'node:util'
import type { Holder } from '../lib/holder.ts'
import { commitChange, isPause, nextRevision, requireMatch, runChange } from './change.ts'
import { refundFailed, type ChargeChange } from './charged.ts'
import { codeKey } from './code.ts'
import type { CheckedDesign, LinkDesigns, OwnedLink } from './design.ts'
import { changeUnits, revisionsOf, type Revision } from './history/history.ts'
import { findRevisions } from './history/history-store.ts'
import { deleteLinkData } from './link-data.ts'
import type { Link } from './link.ts'
import { newPassword, type HashPassword } from './password/new-password.ts'
import { insertDeletions } from './purge-store.ts'
import { findByAnyToken, isWorking, unknownToken, type TokenDeps } from './rotation.ts'
import { deleteLinkRow, findByCode, findById, findByToken } from './store.ts'
import type { CheckedWebhook, LinkWebhooks } from './webhook.ts'
import type { OnTrimmed, UrlPolicy } from './url-policy.ts'

/** What changes and deletions need of the rest of the program. */
export interface ManageDeps extends UrlPolicy, TokenDeps {
  designs: Pick<LinkDesigns, 'of' | 'save'>
  webhooks: Pick<LinkWebhooks, 'of' | 'milestone' | 'enabled' | 'save' | 'onChange'>
  /** Invalidates the cached link of a code: called after a change, before the response. */
  invalidate: (code: string) => void
  /** Schedules the scans of a link to be purged: called after its deletion was committed. */
  purgeScans: (linkId: number) => void
}

type Store = Pick<ManageDeps, 'db'>

/**
 * The link of a token.
 * @throws {Problem} 404 when no link has the token
 */
export async function linkOfToken(deps: TokenDeps, token: string): Promise<Link> {
  return requireFound(await findByAnyToken(deps, token, (hash) => findByToken(deps.db.read, hash, deps.now())))
}

/**
 * Checks that a link has a token, without reading the link.
 * @throws {Problem} 404 when none has
 */
export async function requireToken(deps: TokenDeps, token: string): Promise<void> {
  if (!(await isWorking(deps, token))) throw unknownToken()
}

/** The link of a code, whose case is ignored; 'gone' when it was deleted; undefined when there never was one. */
export async function linkOfCode({ db }: Store, code: string): Promise<Link | 'gone' | undefined> {
  return findByCode(db.read, codeKey(code))
}

/** The link of an ID; undefined when it was deleted. */
export async function linkOfId({ db }: Store, id: number): Promise<Link | undefined> {
  return findById(db.read, id)
}

function requireFound(link: Link | undefined): Link {
  if (link === undefined) throw unknownToken()
  return link
}

/** Reads the design and the webhook of a link. A change of each increases the revision, so that the link must be read first. */
export async function withDesign(
  { designs, webhooks }: Pick<ManageDeps, 'designs' | 'webhooks'>,
  link: Link,
): Promise<OwnedLink> {
  return { link, design: await designs.of(link.id), webhook: await webhooks.of(link.id) }
}

/** The revisions of a link, newest first. */
export async function historyOf({ db }: Store, owned: OwnedLink): Promise<Revision[]> {
  return revisionsOf(owned, await findRevisions(db.read, owned.link.id))
}

/** Options of a change. */
export interface ChangeOptions {
  /** Charges the client, once for a change that is written. */
  charge: ChargeChange
  /** The client. */
  holder?: Holder | undefined
  /** The `If-Match` header: the revisions that may be changed. */
  ifMatch?: string | undefined
  /** The checked design from the body; when absent, the design stays. */
  design?: CheckedDesign | undefined
  /** Called once the rest of the body is valid; when absent, the body cannot set a password. */
  hashPassword?: HashPassword
  /** The checked webhook from the body; when absent, the webhook stays. */
  webhook?: CheckedWebhook | undefined
  onTrimmed?: OnTrimmed | undefined
}

/**
 * Changes the fields of a link that `body` names. A body that changes nothing does not increase the revision.
 * @param owned the link as it was read; it is read again only if it was changed in the meantime
 * @throws {Problem} 400 for an invalid field, 404 for a deleted link, 409 for a suspended link, 412 when `ifMatch` names
 * another revision, 422 for a blocked destination, and what `charge` rejects with
 */
export async function changeLink(
  deps: ManageDeps,
  owned: OwnedLink,
  body: unknown,
  { charge, holder, ifMatch, design, webhook, hashPassword, onTrimmed }: ChangeOptions,
): Promise<OwnedLink> {
  const password = await newPassword(body, () => requireValid(deps, owned.link, body, ifMatch), hashPassword)
  const reread = async () => withDesign(deps, requireFound(await findById(deps.db.read, owned.link.id)))
  let units = 1
  const attempt = async (present: OwnedLink, chargeOnce: () => Promise<void>) => {
    const { link } = present
    const designChanges = design !== undefined && !isDeepStrictEqual(design.value, present.design ?? null)
    const next = nextRevision({ ...deps, onTrimmed }, link, body, {
      isOther: designChanges || webhook !== undefined,
      password,
    })
    if (next === link) return present
    const changed = { ...present, link: next, design: designChanges ? (design.value ?? undefined) : present.design }
    units = changeUnits(present, changed)
    await chargeOnce()
    return runChange(deps.db, isPause(body), async (transaction) => {
      if (!(await commitChange({ ...deps, holder }, transaction, present, changed))) return undefined
      if (designChanges) await deps.designs.save(transaction, link.id, design)
      if (webhook !== undefined) changed.webhook = await deps.webhooks.save(transaction, link.id, webhook)
      return changed
    })
  }
  return refundFailed(
    () => charge(units),
    (chargeOnce) => retryOnConflict(deps, owned, reread, ifMatch, (present) => attempt(present, chargeOnce)),
  )
}

/** @throws {Problem} for a change that would be refused, as far as the link is known */
function requireValid(deps: ManageDeps, link: Link, body: unknown, ifMatch: string | undefined): void {
  requireMatch(link, ifMatch)
  nextRevision(deps, link, body)
}

/**
 * Deletes a link; its code stays taken. The same transaction records that its data elsewhere is to be purged, so that a
 * crash cannot keep that from happening.
 * @returns the deleted link
 * @throws {Problem} 404 for an unknown token, 412 when `ifMatch` names another revision
 */
export async function deleteLink(deps: ManageDeps, token: string, ifMatch: string | undefined): Promise<Link> {
  const read = async () => ({ link: await linkOfToken(deps, token) })
  const { link: deleted } = await retryOnConflict(deps, await read(), read, ifMatch, (present) =>
    deps.db.urgent('removal', async (transaction) => {
      if (!(await deleteLinkRow(transaction, present.link))) return undefined
      await deleteLinkData(transaction, present.link.id)
      await insertDeletions(transaction, [present.link.id])
      return present
    }),
  )
  deps.purgeScans(deleted.id)
  return deleted
}

/** Records unknown links as deleted, so that their data elsewhere is purged. */
export function recordDeleted({ db }: Store, linkIds: number[]): Promise<void> {
  return db.transaction((transaction) => insertDeletions(transaction, linkIds))
}

/** Optimistic locking: changes the revision that was read, and starts over with a newer one on a concurrent change. */
async function retryOnConflict<T extends { link: Link }>(
  deps: Pick<ManageDeps, 'invalidate'>,
  read: T,
  reread: () => Promise<T>,
  ifMatch: string | undefined,
  change: (present: T) => Promise<T | undefined>,
): Promise<T> {
  for (let present = read; ; present = await reread()) {
    const { link } = present
    requireMatch(link, ifMatch)
    const changed = await change(present)
    if (changed === undefined) continue
    deps.invalidate(link.code)
    return changed
  }
}
