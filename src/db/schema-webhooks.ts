import type { Generated } from '#kysely'

/** Receivers that responded quickly last time, those that nothing was sent to yet, and those that were slow or failed. */
export type Lane = 'quick' | 'new' | 'slow'

/** Where a webhook sends its events, and how that goes. */
interface SentWebhook {
  /** A URL. */
  address: string
  /** The host of the address, with its port: one host gets one request at a time. */
  host: string
  /** The receiver behind the host, whose webhooks share what it may have; of the host alone, and empty before it was known. */
  site: Generated<string>
  /** Lanes have requests of their own, so that those who wait long for a response keep nobody else waiting. */
  lane: Generated<Lane>
  /** A JSON array of the types of events that the owner wants. */
  events: string
  /** The key of the signatures in the form in which the owner has it: signing needs it, so a hash would not do. */
  secret: string
  /** When the owner last set it. */
  updated_at: number
  /** Attempts that failed in a row, and since when they do. */
  failures: Generated<number>
  failing_since: number | null
  /** When sending ended, until the owner sets the webhook again. */
  given_up_at: number | null
  /** When the oldest event in the outbox is sent; null when it has none. */
  next_attempt_at: number | null
  last_delivery_at: number | null
  /** The status of the last response; null when there was none. */
  last_status: number | null
  last_error: string | null
  /** Events that were never sent. */
  dropped: Generated<number>
}

/** The webhooks of links, where their owners have set one, and how they do. */
export interface WebhooksTable extends SentWebhook {
  link_id: number
  /** The last milestone that an event has reported, or that the scans had reached before; null unless the owner wants these. */
  milestone: number | null
  /** When the destination of the link is checked; null unless the owner wants to know when it fails. */
  next_check_at: number | null
  /** Checks that failed in a row, and since when the destination counts as failing. */
  check_failures: Generated<number>
  destination_failing_since: number | null
  /** What `next_attempt_at` and `next_check_at` were when the link was deleted; null of a link that is not. */
  paused_attempt_at: number | null
  paused_check_at: number | null
}

/** The webhooks of collections. What is known of each link, as its last milestone, stands in its membership. */
export interface CollectionWebhooksTable extends SentWebhook {
  collection_id: string
}

/** Events that are to be sent, in the order of their IDs. */
interface SentEvent {
  id: Generated<number>
  /** The header `webhook-id`, by which receivers recognize an event that comes twice. */
  event_id: string
  /** The JSON that is sent. */
  body: string
  created_at: number
  /** A digest of the network of the change that the event tells, by a key that no file has; null for what nobody's request has caused. */
  network: string | null
}

/** Those for the webhooks of links. */
export interface OutboxTable extends SentEvent {
  link_id: number
}

/** Those for the webhooks of collections. */
export interface CollectionOutboxTable extends SentEvent {
  collection_id: string
  /** The link that the event names. */
  link_id: number
  /** 1 until the sender has taken it in: a change of a link writes no row that changes of other links wait for. */
  is_new: Generated<number>
}
