import type { Totals } from '../links/link.ts'
import type { ChangedLinks } from './fold.ts'

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
  /** Calls back with what each fold changed. */
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

  /** Reads the totals once, and sends them to some subscribers. */
  async function notify(linkId: number, subscribers: () => Iterable<Subscriber>): Promise<void> {
    try {
      const text = JSON.stringify(await totals(linkId))
      for (const { send } of subscribers()) send(text)
    } catch {
      for (const { fail } of subscribers()) fail()
    }
  }

  const changes = createThrottledSet((linkId) => void notify(linkId, () => byLink.get(linkId) ?? []), intervalMs)

  return {
    subscribe(linkId, subscriber) {
      const ofLink = byLink.get(linkId) ?? new Set()
      byLink.set(linkId, ofLink.add(subscriber))
      count++
      void notify(linkId, () => [subscriber])
      return () => {
        if (!ofLink.delete(subscriber)) return
        count--
        if (ofLink.size === 0) byLink.delete(linkId)
      }
    },
    publish(changed) {
      for (const listener of listeners) listener(changed)
      for (const linkId of changed ?? byLink.keys()) if (byLink.has(linkId)) changes.add(linkId)
      changes.flush()
    },
    onFold: (listener) => void listeners.push(listener),
    count: () => count,
  }
}

/** Collects values; a flush passes each on once, at most once an interval: a flush that comes sooner is delayed. */
function createThrottledSet(pass: (value: number) => void, intervalMs: number) {
  const values = new Set<number>()
  let timer: NodeJS.Timeout | undefined

  function flush(): void {
    if (timer !== undefined || values.size === 0) return
    for (const value of values) pass(value)
    values.clear()
    timer = setTimeout(() => {
      timer = undefined
      flush()
    }, intervalMs).unref()
  }

  return { add: (value: number): void => void values.add(value), flush }
}
