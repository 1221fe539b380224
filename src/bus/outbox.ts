import type { Topic } from './bus.ts'
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
  const waiting = new Map<Topic, Set<string>>()
  let size = 0
  let send: Send | undefined
  let isMissing = false
  let isScheduled = false
  let isSending = false

  function drop(): void {
    isMissing = true
    clear()
  }

  function clear(): void {
    waiting.clear()
    size = 0
  }

  function add(topic: Topic, key: string): void {
    const keys = waiting.get(topic) ?? new Set()
    if (keys.has(key)) return
    waiting.set(topic, keys.add(key))
    size++
  }

  /** The gap stands for all keys: a node that has missed some reads all that it has cached again. */
  function take(): string[] {
    const payloads = isMissing ? [encodeGap(node)] : [...waiting].flatMap(([topic, keys]) => encode(node, topic, keys))
    isMissing = false
    clear()
    return payloads
  }

  async function flush(): Promise<void> {
    isScheduled = false
    if (send === undefined && size > 0) drop()
    if (isSending) return
    isSending = true
    while (send !== undefined && (isMissing || size > 0)) await dispatch(send)
    isSending = false
  }

  async function dispatch(used: Send): Promise<void> {
    try {
      await used(take())
    } catch {
      isMissing = true
      if (send === used) send = undefined
    }
  }

  return {
    publish(topic, key) {
      if (size >= MAX_WAITING) drop()
      if (!isMissing) add(topic, key)
      if (isScheduled || isSending) return
      isScheduled = true
      setImmediate(() => void flush())
    },
    connect(next) {
      send = next
      void flush()
    },
  }
}
