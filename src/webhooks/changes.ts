import type { Transaction } from '#kysely'
import type { Database } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import { createEphemeralDigest } from '../lib/ephemeral-digest.ts'
import type { Totals } from '../links/link.ts'
import type { Screen } from '../links/url-policy.ts'
import type { LinkWebhooks, WebhookDetails, WebhookDraft } from '../links/webhook.ts'
import { checkedAddress } from './checked-address.ts'
import { findTold, findToldLinks } from './collection-store.ts'
import { changeEvent, reportedEvent, type WebhookEvent } from './event.ts'
import { reachedMilestone } from './milestones.ts'
import type { Outbox } from './outbox.ts'
import { firstAttempt, setNextAttempt } from './outbox-store.ts'
import { detailsOf, eventsOf, savedDetails, settingsOf } from './settings.ts'
import {
  deleteWebhook,
  findWatched,
  findWebhook,
  pauseWebhook,
  putWebhook,
  resumeWebhook,
  setDestination,
  type WebhookRow,
} from './store.ts'
import { findNextCheck, forgetFailures } from './watch-store.ts'

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
  const { db, now, enabled, screen, totals } = deps
  const digestOf = createEphemeralDigest()
  return {
    enabled,
    async of(linkId) {
      const row = await findWebhook(db.read, linkId)
      return row === undefined ? null : detailsOf(row, row.destination_failing_since, screen)
    },
    milestone: async (linkId) => reachedMilestone((await totals(linkId)).humans),
    async save(transaction, linkId, { draft, milestone }) {
      if (draft !== null) return saveDraft(deps, transaction, linkId, draft, milestone)
      await deleteWebhook(transaction, linkId)
      return null
    },
    async onChange(transaction, before, after, { further = [], holder } = {}) {
      const told = await findReceivers(deps, transaction, after.id)
      if (told === undefined) return
      if (checkedAddress(before) !== checkedAddress(after)) {
        await setDestination(transaction, after.id, { check_failures: 0, destination_failing_since: null })
        await forgetFailures(transaction, after.id)
      }
      const event = changeEvent(before, after, further, now())
      const network = holder && { network: digestOf(holder.allocation) }
      if (event !== undefined) await tell(deps, transaction, told, { ...event, ...network })
    },
    pause: pauseWebhook,
    resume: (transaction, linkId) => resume(transaction, linkId, now()),
    async which(transaction, linkIds) {
      if (!enabled || linkIds.length === 0) return new Set<number>()
      return new Set([...(await findWatched(transaction, linkIds)), ...(await findToldLinks(transaction, linkIds))])
    },
    async onReported(transaction, link, reported) {
      const told = await findReceivers(deps, transaction, link.id)
      if (told !== undefined) await tell(deps, transaction, told, reportedEvent(link, reported))
    },
  }
}

/** Who is told of a link: its own webhook, and those of the collections that it is in. */
interface LinkReceivers {
  linkId: number
  own: WebhookRow | undefined
  collections: Awaited<ReturnType<typeof findTold>>
}

/** @returns undefined when nobody is */
async function findReceivers(
  { enabled, now }: ChangesDeps,
  transaction: Transaction<Tables>,
  linkId: number,
): Promise<LinkReceivers | undefined> {
  if (!enabled) return undefined
  const own = await findWebhook(transaction, linkId)
  const collections = await findTold(transaction, linkId, now())
  return own === undefined && collections.length === 0 ? undefined : { linkId, own, collections }
}

/** Queues an event for each who wants it. */
async function tell(
  { outbox }: ChangesDeps,
  transaction: Transaction<Tables>,
  { linkId, own, collections }: LinkReceivers,
  event: WebhookEvent,
): Promise<void> {
  const wants = (webhook: { events: string }) => eventsOf(webhook).includes(event.type)
  if (own !== undefined && wants(own)) await outbox.add(transaction, linkId, event)
  const ids = collections.filter(wants).map(({ collectionId }) => collectionId)
  await outbox.addToCollections(transaction, linkId, ids, event)
}

/**
 * Who deletes a link and brings it back ends no wait: neither that after a failure or for a receiver that has asked for it, nor the
 * pause between two events, nor the day between two checks.
 */
async function resume(transaction: Transaction<Tables>, linkId: number, now: number): Promise<void> {
  const webhook = await findWebhook(transaction, linkId)
  if (webhook === undefined) return
  // An attempt that was under way as the link was deleted may have failed since.
  const waits = [webhook.paused_attempt_at, webhook.next_attempt_at, firstAttempt(now, webhook.last_delivery_at)]
  await setNextAttempt(transaction, { kind: 'link', id: linkId }, Math.max(...waits.map((at) => at ?? 0)))
  await resumeWebhook(transaction, linkId, await nextCheck(transaction, webhook, now))
}

/** When the destination of a link that was brought back is checked; null when its webhook does not want that. */
async function nextCheck(transaction: Transaction<Tables>, webhook: WebhookRow, now: number): Promise<number | null> {
  if (!eventsOf(webhook).includes('destination.failing')) return null
  // That of a link which a former version has deleted is not known.
  return (await findNextCheck(transaction, webhook.link_id)) ?? webhook.paused_check_at ?? now + CHECK_MS
}

async function saveDraft(
  deps: ChangesDeps,
  transaction: Transaction<Tables>,
  linkId: number,
  draft: WebhookDraft,
  milestone: number,
): Promise<WebhookDetails> {
  const present = await findWebhook(transaction, linkId)
  // What was true for the webhook before stays so.
  const row = await putWebhook(transaction, linkId, {
    ...settingsOf(draft, present, deps.now()),
    milestone: draft.events.includes('scans.milestone') ? (present?.milestone ?? milestone) : null,
    next_check_at: draft.events.includes('destination.failing')
      ? (present?.next_check_at ?? (await firstCheck(deps, transaction, linkId)))
      : null,
  })
  return savedDetails(row, present, row.destination_failing_since, deps.screen)
}

/** A link is checked for its collections at the same time: nobody is to hear of two failures of the same day. */
async function firstCheck(
  { now, random }: ChangesDeps,
  transaction: Transaction<Tables>,
  linkId: number,
): Promise<number> {
  return (await findNextCheck(transaction, linkId)) ?? now() + Math.floor(random() * CHECK_MS)
}
