import type { Transaction } from '#kysely'
import type { Tables } from '../db/schema.ts'
import { insertCollectionEvents } from './collection-store.ts'
import { newEventId, type WebhookEvent } from './event.ts'
import { insertEvent, MAX_WAITING } from './outbox-store.ts'

/** Events that wait in the outbox, for all links, above which each link of the networks with most has one. */
const MAX_ROWS = 100_000

/** Queues events in the transaction of what causes them, so that a crash loses none. */
export interface Outbox {
  /**
   * Queues an event; a change is never refused for that. When too many wait, one of a network that has more than its share replaces
   * those of its link, so that events which nobody receives neither fill the store nor cost others theirs.
   */
  add: (transaction: Transaction<Tables>, linkId: number, event: WebhookEvent) => Promise<void>
  /** The same for the webhooks of collections that a link is in, each of which gets the event under an id of its own. */
  addToCollections: (
    transaction: Transaction<Tables>,
    linkId: number,
    collectionIds: string[],
    event: WebhookEvent,
  ) => Promise<void>
  /** Whether too many events wait, and a network has caused more than its share of them. */
  hasMost: (network: string) => boolean
  /** Notes that events of collections were dropped because too many waited. */
  noteDropped: (count: number) => void
  /** The number of rows; between counts an upper estimate: deliveries are not subtracted, and transactions may be rolled back. */
  rows: () => number
  /** Sets the counted rows of each network. */
  counted: (byNetwork: Map<string, number>) => void
  /** Events that were dropped since the start because too many waited. */
  dropped: () => number
}

export function createOutbox(maxRows = MAX_ROWS): Outbox {
  let held = new Map<string, number>()
  let rows = 0
  /** What each network may have; counted anew when the rows are. */
  let share: number | undefined
  let dropped = 0

  function hasMost(network: string): boolean {
    if (rows < maxRows) return false
    share ??= fairShare(held.values(), maxRows)
    return (held.get(network) ?? 0) >= share
  }

  function note(network: string, added: number, droppedNow: number): void {
    rows += added - droppedNow
    held.set(network, (held.get(network) ?? 0) + added - droppedNow)
    dropped += droppedNow
  }

  return {
    async add(transaction, linkId, event) {
      const { network = '' } = event
      const more = await insertEvent(transaction, linkId, event, hasMost(network) ? 1 : MAX_WAITING)
      if (more !== undefined) note(network, 1, 1 - more)
    },
    async addToCollections(transaction, linkId, collectionIds, event) {
      const rows = collectionIds.map((id) => rowOf(id, linkId, event))
      await insertCollectionEvents(transaction, rows)
      note(event.network ?? '', rows.length, 0)
    },
    hasMost,
    noteDropped: (count) => void (dropped += count),
    rows: () => rows,
    counted(byNetwork) {
      held = byNetwork
      rows = [...held.values()].reduce((sum, each) => sum + each, 0)
      share = undefined
    },
    dropped: () => dropped,
  }
}

function rowOf(collectionId: string, linkId: number, { body, at, network }: WebhookEvent) {
  const event = { event_id: newEventId(), body, created_at: at, network: network ?? null }
  return { collection_id: collectionId, link_id: linkId, ...event }
}

/** What each holder may have of `all`, where those who have less keep what they have; Infinity while there is room. */
function fairShare(held: Iterable<number>, all: number): number {
  const ascending = [...held].sort((a, b) => a - b)
  let left = all
  for (const [at, each] of ascending.entries()) {
    const share = left / (ascending.length - at)
    if (each >= share) return share
    left -= each
  }
  return Number.POSITIVE_INFINITY
}
