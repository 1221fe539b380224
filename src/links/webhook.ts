import { isDeepStrictEqual } from 'node:util'
import type { Transaction } from '#kysely'
import { Type } from '#typebox'
import type { Tables } from '../db/schema.ts'
import { isObject } from '../http/body.ts'
import { publicUrl } from '../http/fields.ts'
import { invalidRequest, Problem } from '../http/problem.ts'
import { createValidator } from '../http/validate.ts'
import type { Holder } from '../lib/holder.ts'
import type { Link, Reported } from './link.ts'
import { trimmedUrl } from './trim-urls.ts'
import { urlFault, type OnTrimmed, type UrlPolicy } from './url-policy.ts'

export const webhookEventTypes = [
  'link.changed',
  'link.removed',
  'link.reported',
  'scans.milestone',
  'destination.failing',
] as const

export type WebhookEventType = (typeof webhookEventTypes)[number]

const eventType = Type.Enum([...webhookEventTypes], { title: 'WebhookEventType' })

/** The webhook in the body of a creation or a change. */
export const webhookField = Type.Object(
  {
    url: publicUrl('Where events are sent: a public http or https URL on port 80, 443 or from 1024.'),
    events: Type.Array(eventType, { minItems: 1, maxItems: webhookEventTypes.length, uniqueItems: true }),
    secret: Type.Optional(Type.Enum(['new'], { description: 'Asks for a new secret of the same URL.' })),
  },
  { title: 'Webhook', examples: [{ url: 'https://example.com/hook', events: ['link.changed'] }] },
)

const time = (description: string) =>
  Type.Unsafe({ anyOf: [Type.String({ format: 'date-time' }), { type: 'null' }], description })
const nullable = (type: 'string' | 'integer', description: string) =>
  Type.Unsafe({ anyOf: [{ type }, { type: 'null' }], description })

const secret = Type.String({
  description: 'The key of the signatures. Only the response that sets the webhook has it.',
})

/** The webhook in the response to a creation. */
export const createdWebhook = Type.Object(
  { url: Type.String(), events: Type.Array(eventType), secret },
  { title: 'CreatedWebhook' },
)

/** The webhook in the details of a link. */
export const webhookDetails = Type.Object(
  {
    url: Type.String(),
    events: Type.Array(eventType),
    secret: Type.Optional(secret),
    state: Type.Enum(['active', 'failing', 'given_up', 'blocked'], {
      description:
        '`blocked`: its address is on a list, or blocked by the operator; nothing is sent until it no longer is.',
    }),
    last_delivery_at: time('When an event was last delivered, UTC.'),
    last_status: nullable('integer', 'The status of the last response; null when there was none.'),
    last_error: nullable('string', 'Why the last attempt failed, or nothing is sent; null when it did not.'),
    next_attempt_at: time('When the next event is sent, UTC; null when none waits.'),
    dropped: Type.Integer({ minimum: 0, description: 'Events that were never delivered.' }),
    destination_failing_since: time('When the destination was found to fail, UTC.'),
  },
  { title: 'WebhookDetails' },
)

/** A validated webhook. */
export interface WebhookDraft {
  url: string
  /** In the order of their list. */
  events: WebhookEventType[]
  /** Whether the owner asks for a new secret. */
  wantsNewSecret: boolean
}

/** A webhook as its owner sees it. */
export interface WebhookDetails {
  url: string
  events: WebhookEventType[]
  /** Present only when it was just created. */
  secret?: string
  state: 'active' | 'failing' | 'given_up' | 'blocked'
  last_delivery_at: string | null
  last_status: number | null
  last_error: string | null
  next_attempt_at: string | null
  dropped: number
  destination_failing_since: string | null
}

/** A webhook that may be saved for a link. */
export interface CheckedWebhook {
  /** Null removes the webhook. */
  draft: WebhookDraft | null
  /** The milestone that the link's scans have reached already. */
  milestone: number
}

/** What an event is told of a change besides the link. */
export interface ChangeCause {
  further?: string[]
  /** Absent for what the service does. */
  holder?: Holder | undefined
}

/** The webhooks that owners have set for links; only `webhooks/` knows how events are sent. */
export interface LinkWebhooks {
  /** False when the operator has turned webhooks off. */
  enabled: boolean
  of: (linkId: number) => Promise<WebhookDetails | null>
  /** The milestone that a link's scans have reached. */
  milestone: (linkId: number) => Promise<number>
  /** Saves or removes the webhook of a link. Its details have the secret only when that is new. */
  save: (transaction: Transaction<Tables>, linkId: number, webhook: CheckedWebhook) => Promise<WebhookDetails | null>
  /**
   * Queues the event of a change of a link, in the transaction of the change.
   * @param cause `further` names what changed besides the link's own fields; `holder` is who has changed it
   */
  onChange: (transaction: Transaction<Tables>, before: Link, after: Link, cause?: ChangeCause) => Promise<void>
  /** Has a link's webhook send nothing, in the transaction that deletes the link so that it can be brought back. */
  pause: (transaction: Transaction<Tables>, linkId: number) => Promise<void>
  /** Has it go on, in the transaction that brings the link back: events that waited are sent. */
  resume: (transaction: Transaction<Tables>, linkId: number) => Promise<void>
  /** Which of a few links have a webhook: `onChange` does nothing for the others. */
  which: (transaction: Transaction<Tables>, linkIds: number[]) => Promise<Set<number>>
  /** Queues the event of a link that many people have reported, in the transaction that notes that. */
  onReported: (transaction: Transaction<Tables>, link: Link, reported: Reported) => Promise<void>
}

const validate = createValidator(Type.Object({ webhook: webhookField }))

/**
 * Validates the webhook in the body of a request.
 * @throws {Problem} 400 for an invalid field, 422 when the URL is blocked
 */
export function parseWebhook(webhook: unknown, policy: UrlPolicy, enabled: boolean): WebhookDraft {
  const refuse = (pointer: string, detail: string) => invalidRequest([{ pointer, detail }])
  if (!enabled) throw refuse('/webhook', 'cannot be set: the operator of this service has turned webhooks off')
  const errors = validate({ webhook })
  if (errors.length > 0) throw invalidRequest(errors)
  const { url: given, events, secret } = webhook as { url: string; events: WebhookEventType[]; secret?: 'new' }
  const { text: url, dropped } = trimmedUrl(given)
  const fault = urlFault(url, policy.owns) ?? portFault(url)
  if (fault !== undefined) throw refuse('/webhook/url', fault)
  const blocked = policy.screen(url)
  if (blocked !== undefined) {
    const errors = [{ pointer: '/webhook/url', detail: blocked }]
    throw new Problem('target_blocked', `/webhook/url ${blocked}`, { errors })
  }
  if (dropped !== '') policy.onTrimmed?.('/webhook/url', dropped)
  return { url, events: webhookEventTypes.filter((type) => events.includes(type)), wantsNewSecret: secret === 'new' }
}

/** Services other than HTTP that could misread a request listen on low ports: the service sends none there. */
export function portFault(text: string): string | undefined {
  const { port } = new URL(text)
  return port === '' || ['80', '443'].includes(port) || Number(port) >= 1024
    ? undefined
    : 'must have port 80, 443, or one from 1024'
}

/**
 * Checks the webhook in the body of a change; returns undefined when there is none, or it is the present one.
 * @param charge charges the change to the quota of the client
 * @throws {Problem} as `parseWebhook`, and what `charge` rejects with
 */
export async function checkWebhook(
  deps: UrlPolicy & { webhooks: LinkWebhooks },
  { link, webhook: present }: { link: Link; webhook: WebhookDetails | null },
  body: unknown,
  charge: () => Promise<unknown>,
  onTrimmed?: OnTrimmed,
): Promise<CheckedWebhook | undefined> {
  const value = isObject(body) ? body['webhook'] : undefined
  if (value === undefined) return undefined
  if (value === null) return present === null ? undefined : { draft: null, milestone: 0 }
  const draft = parseWebhook(value, { ...deps, onTrimmed }, deps.webhooks.enabled)
  if (isPresentWebhook(present, draft)) return undefined
  // Each has the address called at once, however often it has failed.
  await charge()
  return { draft, milestone: draft.events.includes('scans.milestone') ? await deps.webhooks.milestone(link.id) : 0 }
}

/** Whether a webhook is set already as it is to be. Setting one again that fails has its events sent at once. */
export function isPresentWebhook(present: WebhookDetails | null, draft: WebhookDraft): boolean {
  const isSame = present?.url === draft.url && !draft.wantsNewSecret
  return isSame && isDeepStrictEqual(present.events, draft.events) && present.state === 'active'
}
