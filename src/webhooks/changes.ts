import type { Transaction } from '#kysely'
import type { Database } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import { createEphemeralDigest } from '../lib/ephemeral-digest.ts'
import type { Totals } from '../links/link.ts'
import type { Screen } from '../links/url-policy.ts'
import type { LinkWebhooks, WebhookDetails, WebhookDraft, WebhookEventType } from '../links/webhook.ts'
import { checkedAddress } from './checked-address.ts'
import { changeEvent, reportedEvent } from './event.ts'
import { reachedMilestone } from './milestones.ts'
import type { Outbox } from './outbox.ts'
import { siteOf } from './receivers.ts'
import { newSecret } from './signature.ts'
import { setNextAttempt } from './outbox-store.ts'
import {
  deleteWebhook,
  findWatched,
  findWebhook,
  pauseWebhook,
  putWebhook,
  resumeChecks,
  setDestination,
  type WebhookRow,
} from './store.ts'

/** One check of a destination takes place in this time. */
export const CHECK_MS = 86_400_000

export interface ChangesDeps {
  db: Database
  now: () => number
  random: () => number
  enabled: boolean
  screen: Screen
  outbox: Outbox
  totals: (linkId: number) => Promise<Totals>
}

/** The webhooks of links, for the changes of links. */
export function createLinkWebhooks(deps: ChangesDeps): LinkWebhooks {
  const { db, now, enabled, screen, outbox, totals } = deps
  const digestOf = createEphemeralDigest()
  return {
    enabled,
    async of(linkId) {
      const row = await findWebhook(db.read, linkId)
      return row === undefined ? null : detailsOf(row, screen)
    },
    milestone: async (linkId) => reachedMilestone((await totals(linkId)).humans),
    async save(transaction, linkId, { draft, milestone }) {
      if (draft !== null) return saveDraft(deps, transaction, linkId, draft, milestone)
      await deleteWebhook(transaction, linkId)
      return null
    },
    async onChange(transaction, before, after, { further = [], holder } = {}) {
      const webhook = enabled ? await findWebhook(transaction, after.id) : undefined
      if (webhook === undefined) return
      if (checkedAddress(before) !== checkedAddress(after)) {
        await setDestination(transaction, after.id, { check_failures: 0, destination_failing_since: null })
      }
      const event = changeEvent(before, after, further, now())
      if (event === undefined || !eventsOf(webhook).includes(event.type)) return
      const network = holder && { network: digestOf(holder.network) }
      await outbox.add(transaction, after.id, { ...event, ...network })
    },
    pause: pauseWebhook,
    resume: (transaction, linkId) => resume(transaction, linkId, now()),
    which: async (transaction, linkIds) =>
      enabled && linkIds.length > 0 ? findWatched(transaction, linkIds) : new Set<number>(),
    async onReported(transaction, link, reported) {
      const webhook = enabled ? await findWebhook(transaction, link.id) : undefined
      if (webhook === undefined || !eventsOf(webhook).includes('link.reported')) return
      await outbox.add(transaction, link.id, reportedEvent(link, reported))
    },
  }
}

async function resume(transaction: Transaction<Tables>, linkId: number, now: number): Promise<void> {
  const webhook = await findWebhook(transaction, linkId)
  if (webhook === undefined) return
  await setNextAttempt(transaction, linkId, now)
  if (eventsOf(webhook).includes('destination.failing')) await resumeChecks(transaction, linkId, now)
}

async function saveDraft(
  deps: ChangesDeps,
  transaction: Transaction<Tables>,
  linkId: number,
  draft: WebhookDraft,
  milestone: number,
): Promise<WebhookDetails> {
  const present = await findWebhook(transaction, linkId)
  // A new address gets a new secret: whoever receives at the former one has its secret.
  const isSame = present?.address === draft.url && !draft.wantsNewSecret
  const secret = isSame ? present.secret : newSecret()
  const row = await putWebhook(transaction, linkId, {
    address: draft.url,
    ...receiverOf(draft, present),
    events: JSON.stringify(draft.events),
    secret,
    ...scheduleOf(deps, draft, present, milestone),
  })
  const { url, events, ...state } = detailsOf(row, deps.screen)
  return isSame ? { url, events, ...state } : { url, events, secret, ...state }
}

/** The columns that say who receives. How quick a receiver is stays known as long as it is the same. */
function receiverOf({ url }: WebhookDraft, present: WebhookRow | undefined) {
  const { host } = new URL(url)
  const lane = present?.address === url ? present.lane : ('new' as const)
  return { host, site: siteOf(host), lane }
}

/** The columns that say when to send, to check and to tell. What was true for the webhook before stays so. */
function scheduleOf(
  { now, random }: ChangesDeps,
  { events }: WebhookDraft,
  present: WebhookRow | undefined,
  milestone: number,
) {
  const at = now()
  const firstCheck = at + Math.floor(random() * CHECK_MS)
  return {
    // Increases also when the clock does not: it tells whether the webhook was set during an attempt.
    updated_at: Math.max(at, (present?.updated_at ?? 0) + 1),
    milestone: events.includes('scans.milestone') ? (present?.milestone ?? milestone) : null,
    next_check_at: events.includes('destination.failing') ? (present?.next_check_at ?? firstCheck) : null,
    next_attempt_at: typeof present?.next_attempt_at === 'number' ? at : null,
  }
}

export function eventsOf({ events }: Pick<WebhookRow, 'events'>): WebhookEventType[] {
  return JSON.parse(events) as WebhookEventType[]
}

/** Whether its address is blocked is not stored: the lists and rules of this moment say so, as before each attempt. */
function detailsOf(row: WebhookRow, screen: Screen): WebhookDetails {
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
    destination_failing_since: time(row.destination_failing_since),
  }
}

function stateOf({ given_up_at: givenUpAt, failures }: WebhookRow) {
  if (givenUpAt !== null) return 'given_up'
  return failures > 0 ? 'failing' : 'active'
}

function time(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}
