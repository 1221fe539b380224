import type { Topic } from './bus.ts'
import { encode, encodeGap } from './messages.ts'

/** Batches that wait for the connection at most; beyond, the node announces a gap to the others. */
const MAX_WAITING = 50

/** Collects what a node publishes. */
export interface Outbox {
  publish: (topic: Topic, key: string) => void
  /** Uses another connection, none while it is undefined. */
  connect: (send: ((payloads: string[]) => Promise<void>) | undefined) => void
}

/**
 * Sends what is published in one iteration of the event loop together, each key once. It drops what it cannot send, and
 * announces the gap to the other nodes as soon as that is possible.
 */
export function createOutbox(node: string): Outbox {
  let send: ((payloads: string[]) => Promise<void>) | undefined
  let waiting = 0
  let isMissing = false

  function dispatch(payloads: string[]): void {
    const used = send
    if (used === undefined || waiting >= MAX_WAITING) {
      isMissing = true
      return
    }
    waiting++
    const done = () => {
      waiting--
      if (isMissing && waiting === 0) sendGap()
    }
    used(payloads).then(done, () => {
      isMissing = true
      if (send === used) send = undefined
      done()
    })
  }

  function sendGap(): void {
    if (send === undefined) return
    isMissing = false
    dispatch([encodeGap(node)])
  }

  return {
    publish: createBatch((batch) => dispatch([...batch].flatMap(([topic, keys]) => encode(node, topic, keys)))),
    connect(next) {
      send = next
      if (isMissing && waiting === 0) sendGap()
    },
  }
}

/** Collects keys, and hands those of one iteration of the event loop on at its end. */
function createBatch(flush: (batch: Map<Topic, Set<string>>) => void): Outbox['publish'] {
  let batch = new Map<Topic, Set<string>>()
  return (topic, key) => {
    if (batch.size === 0) {
      setImmediate(() => {
        const full = batch
        batch = new Map()
        flush(full)
      })
    }
    const keys = batch.get(topic) ?? new Set()
    batch.set(topic, keys.add(key))
  }
}
