import type { Transaction } from '#kysely'
import type { Database } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import { refundFailed } from '../lib/charged.ts'
import { retryOnConflict } from './change.ts'
import type { Client } from './client.ts'
import type { Credential } from './credential.ts'
import { deletedLinkOf, undoUntil, unknownToken } from './deleted.ts'
import { hideLink, showLink } from './deleted-store.ts'
import type { LinkDeps } from './deps.ts'
import type { OwnedLink } from './design.ts'
import { deleteLinkData } from './link-data.ts'
import type { Link } from './link.ts'
import { linkOfToken, ownedByToken } from './look-up.ts'
import { insertDeletions } from './purge-store.ts'
import { deleteLinkRow, findByToken } from './store.ts'
import { findByAnyToken } from './token-look-up.ts'

/** A link that was deleted so that it can be brought back. */
export interface Undoable {
  code: string
  /** ISO 8601, UTC. */
  undoUntil: string
}

/**
 * Deletes a link for good, also one that could be brought back; its code stays taken. The same transaction records that its data
 * elsewhere is to be purged, so that a crash cannot keep that from happening.
 * @returns the deleted link
 * @throws {Problem} 404 for an unknown token, 412 when `ifMatch` names another revision
 */
export async function deleteLink(deps: LinkDeps, token: Credential, ifMatch: string | undefined): Promise<Link> {
  const read = async () => ({ link: await storedLinkOf(deps, token) })
  const { link: deleted } = await retryOnConflict(deps, await read(), read, ifMatch, (present) =>
    deps.db.urgent('takedown', async (transaction) =>
      (await deleteForGood(transaction, present.link)) ? present : undefined,
    ),
  )
  deps.purgeScans(deleted.id)
  return deleted
}

/** The link of a token, also one that was deleted and can be brought back. @throws {Problem} 404 for an unknown token */
async function storedLinkOf(deps: LinkDeps, token: Credential): Promise<Link> {
  const link = await findByAnyToken(deps, token, (hash) => findByToken(deps.db.read, hash, deps.now()))
  const found = link ?? (await deletedLinkOf(deps, token))?.link
  if (found === undefined) throw unknownToken(token)
  return found
}

/** Deletes a link with all its data. @returns false when it was changed or deleted since it was read */
export async function deleteForGood(transaction: Transaction<Tables>, link: Link): Promise<boolean> {
  if (!(await deleteLinkRow(transaction, link))) return false
  await deleteLinkData(transaction, link.id)
  await insertDeletions(transaction, [link.id])
  return true
}

/**
 * Deletes a link so that its owner can bring it back for a day. For everybody else it is deleted at once.
 * @throws {Problem} 404 for an unknown token, 410 when it is deleted already, 412 when `ifMatch` names another revision
 */
export async function deleteWithUndo(
  deps: LinkDeps,
  token: Credential,
  ifMatch: string | undefined,
): Promise<Undoable> {
  const read = async () => ({ link: await linkOfToken(deps, token), at: deps.now() })
  const { link, at } = await retryOnConflict(deps, await read(), read, ifMatch, (present) =>
    deps.db.urgent('takedown', async (transaction) => {
      if (!(await hideLink(transaction, present.link, present.at))) return undefined
      await deps.webhooks.pause(transaction, present.link.id)
      return present
    }),
  )
  return { code: link.code, undoUntil: undoUntil(at) }
}

/**
 * Brings a deleted link back, which is charged as a change. Of a link that is not deleted, as at a second try, nothing changes.
 * @throws {Problem} 404 for an unknown token, or after the day, 429 when the quota is used up
 */
export async function undelete(deps: LinkDeps, token: Credential, client: Pick<Client, 'charge'>): Promise<OwnedLink> {
  const first = await deletedLinkOf(deps, token)
  if (first === undefined) return ownedByToken(deps, token)
  return refundFailed(
    () => client.charge('changes'),
    async (chargeOnce) => {
      await chargeOnce()
      // Meanwhile it may be blocked for abuse, brought back by another request, or deleted for good.
      for (let deleted: typeof first | undefined = first; deleted; deleted = await deletedLinkOf(deps, token)) {
        const { link } = deleted
        const isDone = await deps.db.transaction(async (transaction) => {
          if (!(await showLink(transaction, link))) return false
          await deps.webhooks.resume(transaction, link.id)
          return true
        })
        deps.invalidate(link.code)
        // By its token: a new one that is used for this is used.
        if (isDone) return ownedByToken(deps, token)
      }
      return ownedByToken(deps, token)
    },
  )
}

/** Records unknown links as deleted, so that their data elsewhere is purged. */
export function recordDeleted({ db }: { db: Database }, linkIds: number[]): Promise<void> {
  return db.transaction((transaction) => insertDeletions(transaction, linkIds))
}
