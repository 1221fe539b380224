import { isDeepStrictEqual } from 'node:util'
import type { Transaction } from '#kysely'
import type { Database } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import { isObject } from '../http/body.ts'
import { Problem } from '../http/problem.ts'
import type { Holder } from '../lib/holder.ts'
import type { DesignedLink } from './design.ts'
import { parsePatch } from './draft.ts'
import { recordRevision } from './history/history.ts'
import { mayChange, type Link } from './link.ts'
import type { PasswordHash } from './password/password.ts'
import { updateLink } from './store.ts'
import { requireNotSuspended } from './suspension.ts'
import type { UrlPolicy } from './url-policy.ts'
import type { LinkWebhooks } from './webhook.ts'

/** What a change of a link's fields needs. */
export interface ChangeRules extends UrlPolicy {
  now: () => number
  webhooks: Pick<LinkWebhooks, 'onChange'>
  /** Who makes the change; absent while it is only validated. */
  holder?: Holder | undefined
}

/** The parts of a change that are not taken from its body. */
export interface ChangeParts {
  isOther?: boolean
  password?: PasswordHash | null | undefined
}

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
  db: Pick<Database, 'transaction' | 'urgent'>,
  isPausing: boolean,
  work: (transaction: Transaction<Tables>) => Promise<T>,
): Promise<T> {
  return isPausing ? db.urgent('pause', work) : db.transaction(work)
}

/**
 * The next revision of a link, with the fields that `body` names; the link itself when nothing changes.
 * @param parts `isOther`: whether the change has another part, which is not in these fields; `password`: its hash, null removes it
 * @throws {Problem} 400 for an invalid field, 409 for a suspended link, 422 for a blocked destination
 */
export function nextRevision(rules: ChangeRules, link: Link, body: unknown, parts: ChangeParts = {}): Link {
  const { isOther = false, password = link.password } = parts
  requireNotSuspended(link)
  const patched = { ...parsePatch(link, body, rules), password }
  if (isDeepStrictEqual(patched, link) && !isOther) return link
  return { ...patched, revision: link.revision + 1, updatedAt: rules.now() }
}

/**
 * Writes the next revision of a link, with all that is stored about a change: every change by an owner comes here.
 * @param further names what changes besides the link's own fields
 * @returns false when the link was changed or deleted since it was read
 */
export async function commitChange(
  { webhooks, holder }: Pick<ChangeRules, 'webhooks' | 'holder'>,
  transaction: Transaction<Tables>,
  before: DesignedLink,
  after: DesignedLink,
): Promise<boolean> {
  if (!(await updateLink(transaction, after.link))) return false
  await recordRevision(transaction, before, after)
  const further = isDeepStrictEqual(before.design, after.design) ? [] : ['design']
  await webhooks.onChange(transaction, before.link, after.link, { further, holder })
  return true
}
