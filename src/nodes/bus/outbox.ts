import type { Topic } from '../../bus/bus.ts'
import { encode, encodeGap } from './messages.ts'

/** Keys that wait for the connection at most; beyond, the node announces a gap to the others in place of them. */
const MAX_WAITING = 10_000

type Send = (payloads: string[]) => Promise<void>

/** Collects what a node publishes. */
export interface Outbox {
  publish: (topic: Topic, key: string) => void
  /** Uses another connection, none while it is undefined. */
  connect: (send: Send | undefined) => void
}

/**
 * Sends what is published in one iteration of the event loop together, and then what was published while that was on its
 * way, each key once. It drops what it cannot send, and announces the gap to the other nodes as soon as that is possible.
 */
export function createOutbox(node: string): Outbox {
  const waiting = createWaiting(node)
  let send: Send | undefined
  let isScheduled = false
  let isSending = false

  function flush(): void {
    isScheduled = false
    if (waiting.isEmpty()) return
    if (send === undefined) waiting.miss()
    else if (!isSending) void dispatch(send)
  }

  async function dispatch(used: Send): Promise<void> {
    isSending = true
    try {
      await used(waiting.take())
    } catch {
      waiting.miss()
      if (send === used) send = undefined
    }
    isSending = false
    flush()
  }

  return {
    publish(topic, key) {
      waiting.add(topic, key)
      if (isScheduled || isSending) return
      isScheduled = true
      setImmediate(flush)
    },
    connect(next) {
      send = next
      flush()
    },
  }
}

/** The keys to send, or the gap that stands for them: a node that has missed some reads all that it has cached again. */
function createWaiting(node: string) {
  const topics = new Map<Topic, Set<string>>()
  let size = 0
  let isMissing = false

  function clear(): void {
    topics.clear()
    size = 0
  }

  function miss(): void {
    isMissing = true
    clear()
  }

  return {
    add(topic: Topic, key: string): void {
      if (size >= MAX_WAITING) miss()
      const keys = topics.get(topic) ?? new Set()
      if (isMissing || keys.has(key)) return
      topics.set(topic, keys.add(key))
      size++
    },
    isEmpty: () => size === 0 && !isMissing,
    /** Returns the payloads of all that waits, which then no longer does. */
    take(): string[] {
      const payloads = isMissing ? [encodeGap(node)] : [...topics].flatMap(([topic, keys]) => encode(node, topic, keys))
      isMissing = false
      clear()
      return payloads
    },
    /** To be called when something is lost: a gap stands for that and for all that waits. */
    miss,
  }
}
