import type { Totals } from '../links/link.ts'
import { createThrottledSet } from '../lib/throttled-set.ts'
import type { ChangedLinks } from './folding/fold.ts'

/** Receives the totals of a link. */
export interface Subscriber {
  /** Called with the totals as JSON; the same text may come again. */
  send: (totals: string) => void
  /** Called when the totals cannot be read. */
  fail: () => void
}

export interface Subscribers {
  /** Sends the totals of a link now and after each fold that changed them, until the returned function is called. */
  subscribe: (linkId: number, subscriber: Subscriber) => () => void
  /** To be called after each fold. */
  publish: (changed: ChangedLinks) => void
  /** To be called when another node has folded: sends the totals of these links to their subscribers. */
  refresh: (changed: ChangedLinks) => void
  /** Calls back after each fold of this process that moved scans, with their links; undefined when any may have changed. */
  onFold: (listener: (changed: ChangedLinks) => void) => void
  count: () => number
}

/** Each request for statistics folds, so that folds can be frequent; subscribers are notified at most this often. */
const INTERVAL_MS = 1000

/** @param totals reads the totals of a link */
export function createSubscribers(
  totals: (linkId: number) => Promise<Totals>,
  intervalMs: number = INTERVAL_MS,
): Subscribers {
  const byLink = new Map<number, Set<Subscriber>>()
  const listeners: ((changed: ChangedLinks) => void)[] = []
  let count = 0

  const notify = (linkId: number, subscribers: () => Iterable<Subscriber>) =>
    void sendTotals(totals(linkId), subscribers)

  const changes = createThrottledSet<number>((linkIds) => {
    for (const linkId of linkIds) notify(linkId, () => byLink.get(linkId) ?? [])
  }, intervalMs)

  function refresh(changed: ChangedLinks): void {
    for (const linkId of changed ?? byLink.keys()) if (byLink.has(linkId)) changes.add(linkId)
    changes.flush()
  }

  return {
    subscribe(linkId, subscriber) {
      const ofLink = byLink.get(linkId) ?? new Set()
      byLink.set(linkId, ofLink.add(subscriber))
      count++
      notify(linkId, () => [subscriber])
      return () => {
        if (!ofLink.delete(subscriber)) return
        count--
        if (ofLink.size === 0) byLink.delete(linkId)
      }
    },
    publish(changed) {
      for (const listener of listeners) listener(changed)
      refresh(changed)
    },
    refresh,
    onFold: (listener) => void listeners.push(listener),
    count: () => count,
  }
}

/** Sends totals, once they are read, to those who have subscribed by then. */
async function sendTotals(totals: Promise<Totals>, subscribers: () => Iterable<Subscriber>): Promise<void> {
  try {
    const text = JSON.stringify(await totals)
    for (const { send } of subscribers()) send(text)
  } catch {
    for (const { fail } of subscribers()) fail()
  }
}
