import type { Transaction } from '#kysely'
import type { Tables } from '../db/schema.ts'
import type { WebhookEvent } from './event.ts'
import { insertEvent, MAX_WAITING } from './outbox-store.ts'

/** Events that wait in the outbox, for all links, above which each link has one. */
const MAX_ROWS = 100_000

/** Queues events in the transaction of what causes them, so that a crash loses none. */
export interface Outbox {
  /**
   * Queues an event; a change is never refused for that. When too many wait, it replaces those of its link, so that the
   * events of other links, which nobody receives, keep none from being sent.
   */
  add: (transaction: Transaction<Tables>, linkId: number, event: WebhookEvent) => Promise<void>
  /** The number of rows; between counts an upper estimate: deliveries are not subtracted, and transactions may be rolled back. */
  rows: () => number
  /** Sets the counted number of rows. */
  counted: (rows: number) => void
  /** Events that were dropped since the start because too many waited. */
  dropped: () => number
}

export function createOutbox(maxRows = MAX_ROWS): Outbox {
  let rows = 0
  let dropped = 0
  return {
    async add(transaction, linkId, event) {
      const more = await insertEvent(transaction, linkId, event, rows >= maxRows ? 1 : MAX_WAITING)
      if (more === undefined) return
      rows += more
      dropped += 1 - more
    },
    rows: () => rows,
    counted: (count) => void (rows = count),
    dropped: () => dropped,
  }
}
