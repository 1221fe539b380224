import type { Selectable } from '#kysely'
import type { CollectionWebhooksTable } from '../db/schema-webhooks.ts'
import type { Screen } from '../links/url-policy.ts'
import type { WebhookDetails, WebhookDraft, WebhookEventType } from '../links/webhook.ts'
import { isBusyStatus, LONGEST_ASKED_MS } from './delivery.ts'
import { firstAttempt } from './outbox-store.ts'
import { siteOf } from './receivers.ts'
import { newSecret } from './signature.ts'

/** What the webhooks of links and of collections have in common. */
type SentRow = Omit<Selectable<CollectionWebhooksTable>, 'collection_id'>

/** The columns that an owner sets. How quick a receiver is stays known as long as it is the same. */
export function settingsOf(draft: WebhookDraft, present: SentRow | undefined, at: number) {
  const { host } = new URL(draft.url)
  return {
    address: draft.url,
    host,
    site: siteOf(host),
    lane: present?.address === draft.url ? present.lane : ('new' as const),
    events: JSON.stringify(draft.events),
    // A new address gets a new secret: whoever receives at the former one has its secret.
    secret: keepsSecret(draft, present) ? present.secret : newSecret(),
    // Increases also when the clock does not: it tells whether the webhook was set during an attempt.
    updated_at: Math.max(at, (present?.updated_at ?? 0) + 1),
    next_attempt_at: attemptOf(host, present, at),
    last_status: isAskedToWait(host, present) ? present.last_status : null,
  }
}

/**
 * When what waits is sent once the owner has set the webhook: at once, also after a failure; but a second after the last delivery, and
 * no earlier than a receiver has asked for that stays the same.
 */
function attemptOf(host: string, present: SentRow | undefined, at: number): number | null {
  if (typeof present?.next_attempt_at !== 'number') return null
  const first = firstAttempt(at, present.last_delivery_at)
  if (!isAskedToWait(host, present)) return first
  return Math.max(first, Math.min(present.next_attempt_at, at + LONGEST_ASKED_MS))
}

function isAskedToWait(host: string, present: SentRow | undefined): present is SentRow {
  return present?.host === host && present.last_status !== null && isBusyStatus(present.last_status)
}

function keepsSecret(draft: WebhookDraft, present: SentRow | undefined): present is SentRow {
  return present?.address === draft.url && !draft.wantsNewSecret
}

/** The details of a webhook that was just set. They have the secret only when that is new. */
export function savedDetails(
  row: SentRow,
  present: SentRow | undefined,
  failingSince: number | null,
  screen: Screen,
): WebhookDetails {
  const { url, events, ...state } = detailsOf(row, failingSince, screen)
  return row.secret === present?.secret ? { url, events, ...state } : { url, events, secret: row.secret, ...state }
}

export function eventsOf({ events }: Pick<SentRow, 'events'>): WebhookEventType[] {
  return JSON.parse(events) as WebhookEventType[]
}

/**
 * Whether its address is blocked is not stored: the lists and rules of this moment say so, as before each attempt.
 * @param failingSince since when a destination fails; null when none does
 */
export function detailsOf(row: SentRow, failingSince: number | null, screen: Screen): WebhookDetails {
  const blocked = screen(row.address)
  return {
    url: row.address,
    events: eventsOf(row),
    state: blocked === undefined ? stateOf(row) : 'blocked',
    last_delivery_at: time(row.last_delivery_at),
    last_status: row.last_status,
    last_error: blocked === undefined ? row.last_error : `its address ${blocked}`,
    next_attempt_at: time(row.next_attempt_at),
    dropped: row.dropped,
    destination_failing_since: time(failingSince),
  }
}

function stateOf({ given_up_at: givenUpAt, failures }: SentRow) {
  if (givenUpAt !== null) return 'given_up'
  return failures > 0 ? 'failing' : 'active'
}

function time(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}
