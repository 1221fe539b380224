import { isDeepStrictEqual } from 'node:util'
import type { Transaction } from '#kysely'
import type { Database } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import { isObject } from '../http/body.ts'
import { Problem } from '../http/problem.ts'
import { refundFailed } from '../lib/charged.ts'
import type { Client } from './client.ts'
import type { LinkDeps } from './deps.ts'
import { checkDesign } from './check-design.ts'
import { tokenHashesOf } from './credential.ts'
import type { CheckedDesign, DesignedLink, OwnedLink } from './design.ts'
import { parsePatch } from './draft.ts'
import { changeBytes, recordRevision, unitsOf } from './history/history.ts'
import { mayChange, type Link } from './link.ts'
import { ownedByToken } from './look-up.ts'
import type { PasswordHash } from './password/password.ts'
import { noteScreening } from './screened.ts'
import { updateLink } from './store.ts'
import { requireNotSuspended } from './suspension.ts'
import type { OnTrimmed, UrlPolicy } from './url-policy.ts'
import { checkWebhook, type CheckedWebhook, type LinkWebhooks } from './webhook.ts'

/** Options of a change. */
export interface ChangeOptions {
  /** The `If-Match` header: the revisions that may be changed. */
  ifMatch?: string | undefined
  onTrimmed?: OnTrimmed | undefined
  /** The token of the collection whose looks the body may name. */
  collection?: string | undefined
  /** Called with the design of the body once that can be scanned, before anything is changed: what it throws ends the change. */
  approve?: (design: object | null) => void
}

/** A change that a client asks for. */
interface Change extends ChangeOptions {
  owned: OwnedLink
  body: unknown
  client: Client
}

/** The fields of a change that take more than a look at its body. */
interface CheckedFields {
  /** When absent, the design stays. */
  design: CheckedDesign | undefined
  /** When absent, the webhook stays. */
  webhook: CheckedWebhook | undefined
  /** Null removes the password; undefined leaves it as it is. */
  password: PasswordHash | null | undefined
}

/**
 * Changes the fields of a link that `body` names. A body that changes nothing does not increase the revision.
 *
 * What costs the client's quota or the service's time comes in this order: a new design is drawn (`qr`), a new webhook is
 * charged as a creation (`links`), everything else is validated, a password is hashed (`links`), and what is written is charged
 * by its size (`changes`). A change that fails is refunded, but for its design, which was looked at by then, and a password that was hashed.
 * One with a new webhook and a new password pays for both.
 * @param owned the link as it was read; it is read again only if it was changed in the meantime
 * @throws {Problem} 400 for an invalid field, 404 for a deleted link, 409 for a suspended link, 412 when `ifMatch` names
 * another revision, 422 for a blocked destination, 429 when a quota is used up, 503 when too many images or passwords wait
 */
export async function changeLink(
  deps: LinkDeps,
  owned: OwnedLink,
  body: unknown,
  client: Client,
  options: ChangeOptions = {},
): Promise<OwnedLink> {
  const { link, design: present } = owned
  const value = isObject(body) ? body['design'] : undefined
  const design = await checkDesign(deps, { code: link.code, design: present }, value, client, options.collection)
  if (design !== undefined) options.approve?.(design.value)
  return refundFailed(
    () => client.charge('links'),
    async (chargeOnce) => {
      const webhook = await checkWebhook(deps, owned, body, chargeOnce, options.onTrimmed)
      const change = { ...options, owned, body, client }
      const password = await hashPassword(deps, change)
      return writeChange(deps, change, { design, webhook, password })
    },
  )
}

/** Hashes the password of a body last, and charges it as a creation: both because it takes longer than any other change. */
async function hashPassword(
  deps: LinkDeps,
  { owned: { link }, body, client, ifMatch }: Change,
): Promise<CheckedFields['password']> {
  const password = isObject(body) ? body['password'] : undefined
  // Any other value is invalid, and the change is refused.
  if (typeof password !== 'string') return password === null ? null : undefined
  requireMatch(link, ifMatch)
  nextRevision(deps, link, body)
  return refundFailed(
    () => client.charge('links'),
    async (chargeOnce) => {
      await chargeOnce()
      return deps.passwords.hash(password, { ...client.holder, about: link.id })
    },
  )
}

function writeChange(
  deps: LinkDeps,
  { owned, body, client, ifMatch, onTrimmed }: Change,
  { design, webhook, password }: CheckedFields,
): Promise<OwnedLink> {
  let units = 1
  const by = { holder: client.holder, credential: owned.credential }
  const attempt = async (present: OwnedLink, chargeOnce: () => Promise<void>) => {
    const { link } = present
    const screenAgain = noteScreening(deps)
    const designChanges = design !== undefined && !isDeepStrictEqual(design.value, present.design ?? null)
    const next = nextRevision({ ...deps, onTrimmed }, link, body, {
      isOther: designChanges || webhook !== undefined,
      password,
    })
    if (next === link) return present
    const changed = { ...present, link: next, design: designChanges ? (design.value ?? undefined) : present.design }
    const bytes = changeBytes(present, changed)
    units = unitsOf(bytes)
    await chargeOnce()
    if (!isPause(body)) await client.chargeRoom(() => bytes)
    return runChange(deps.db, isPause(body), async (transaction) => {
      // The next attempt has the problem.
      if (screenAgain(next) !== undefined) return undefined
      if (!(await commitChange(deps, transaction, present, changed, by))) return undefined
      if (designChanges) await deps.designs.save(transaction, link.id, design)
      if (webhook !== undefined) changed.webhook = await deps.webhooks.save(transaction, link.id, webhook)
      return changed
    })
  }
  const reread = () => ownedByToken(deps, owned.credential)
  return refundFailed(
    () => client.charge('changes', units),
    (chargeOnce) => retryOnConflict(deps, owned, reread, ifMatch, (present) => attempt(present, chargeOnce)),
  )
}

/**
 * Optimistic locking: changes the revision that was read, and starts over with a newer one on a concurrent change. Those of this
 * process take turns: of 64 at the same time, all but one would start over again and again.
 */
export function retryOnConflict<T extends { link: Link }>(
  { invalidate, inTurn }: Pick<LinkDeps, 'invalidate' | 'inTurn'>,
  read: T,
  reread: () => Promise<T>,
  ifMatch: string | undefined,
  change: (present: T) => Promise<T | undefined>,
): Promise<T> {
  return inTurn(read.link.id, async (hasWaited) => {
    for (let present = hasWaited ? await reread() : read; ; present = await reread()) {
      const { link } = present
      requireMatch(link, ifMatch)
      const changed = await change(present)
      if (changed === undefined) continue
      invalidate(link.code)
      return changed
    }
  })
}

/** What the next revision of a link is made with. */
type RevisionDeps = UrlPolicy & Pick<LinkDeps, 'now'>

/**
 * @param ifMatch the revisions that may be changed, as `If-Match` has them
 * @throws {Problem} 412 when they do not include the link's
 */
export function requireMatch(link: Link, ifMatch: string | undefined): void {
  if (mayChange(link, ifMatch)) return
  throw new Problem('precondition_failed', `the link is at revision ${link.revision}, which If-Match does not name`)
}

/** With those of a row that name the link. */
const PAUSE_FIELDS: ReadonlySet<string> = new Set(['active', 'token', 'if_match'])

/** Whether a body pauses a link and does nothing else, which must be possible on a full disk. */
export function isPause(body: unknown): boolean {
  return isObject(body) && body['active'] === false && Object.keys(body).every((name) => PAUSE_FIELDS.has(name))
}

/** Runs the transaction of a change, as one that is possible on a full disk when it is only for pauses. */
export function runChange<T>(
  db: Database,
  isPausing: boolean,
  work: (transaction: Transaction<Tables>) => Promise<T>,
): Promise<T> {
  return isPausing ? db.urgent('pause', work) : db.transaction(work)
}

/**
 * The next revision of a link, with the fields that `body` names; the link itself when nothing changes.
 * @param others `isOther`: whether the change has a field that is not in the body's; `password`: its hash, null removes it
 * @throws {Problem} 400 for an invalid field, 409 for a suspended link, 422 for a blocked destination
 */
export function nextRevision(
  deps: RevisionDeps,
  link: Link,
  body: unknown,
  others: { isOther?: boolean; password?: PasswordHash | null | undefined } = {},
): Link {
  const { isOther = false, password = link.password } = others
  requireNotSuspended(link)
  const patched = { ...parsePatch(link, body, deps), password }
  if (isDeepStrictEqual(patched, link) && !isOther) return link
  return { ...patched, revision: link.revision + 1, updatedAt: deps.now() }
}

/**
 * Writes the next revision of a link, with all that is stored about a change: every change by an owner comes here. A change may have
 * waited for seconds, for its design or password: a token that was replaced meanwhile changes nothing any more.
 * @returns false when the link was changed or deleted, or the credential has ended, since it was read
 */
export async function commitChange(
  { webhooks, now }: { webhooks: Pick<LinkWebhooks, 'onChange'>; now: () => number },
  transaction: Transaction<Tables>,
  before: DesignedLink,
  after: DesignedLink,
  { holder, credential }: Pick<Client, 'holder'> & Pick<OwnedLink, 'credential'>,
): Promise<boolean> {
  const inside = { db: { read: transaction, write: transaction }, now }
  const [tokenHash] = await tokenHashesOf(inside, [credential])
  if (tokenHash === undefined || !(await updateLink(transaction, after.link, { tokenHash, now: now() }))) return false
  await recordRevision(transaction, before, after)
  const further = isDeepStrictEqual(before.design, after.design) ? [] : ['design']
  await webhooks.onChange(transaction, before.link, after.link, { further, holder })
  return true
}
