import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { createFairPool } from '../lib/fair-pool.ts'
import type { Holder } from '../lib/holder.ts'

/** How long requests are started in one iteration of the event loop, in milliseconds. */
const SLICE_MS = 4
/** The first part of a slice, in which requests other than visits start. They are queued again behind this, by kind and client. */
const OTHERS_MS = 0.5
/** Queued requests that start in one iteration, each in an immediate of its own: Node settles promises between two. */
const MAX_STEPS = 64
/** Urgent requests, and visits, that start in one iteration when its slice is over; more are a flood. */
const MAX_LATE = 16

/** Which requests start first when a slice has no time for all. Urgent ones and visits wait only when there is a flood of them. */
export type Priority = 'urgent' | 'visit' | 'other'

type Exchange = [request: IncomingMessage, response: ServerResponse]

/**
 * Keeps iterations of the event loop short, however many connections send a request at the same time. Requests for which a
 * slice has no time wait for the next one, but for a few visits. Visits come first. Other requests have a small part of each
 * slice, in which at least one of them starts, however many visits there are; where that takes the whole slice, the next one
 * begins with a visit. Of what waits, networks take turns: a visit may take as long as hundreds of others, such as one of an
 * unknown code. A connection sends its next request after its response, so the load regulates itself.
 * @param priorityOf called only for requests that may have to wait
 * @param holderOf called only for requests that wait
 */
export function createRequestScheduler(
  handle: RequestListener,
  priorityOf: (request: IncomingMessage) => Priority,
  holderOf: (request: IncomingMessage) => Holder,
  monotonic = () => performance.now(),
): RequestListener {
  const queues = createQueues(holderOf)
  let end = 0
  let late = { urgent: 0, visit: 0 }
  let isScheduled = false

  function step(isFirst: boolean): void {
    const now = monotonic()
    if (now >= end && !isFirst) return
    const next = isFirst ? queues.takeFirst() : queues.take(now < end - SLICE_MS + OTHERS_MS)
    // The client may have disconnected while the request waited.
    if (next !== undefined && !next[0].socket.destroyed) handle(...next)
  }

  function startWaiting(): void {
    isScheduled = false
    const steps = Math.min(queues.length(), MAX_STEPS)
    if (steps === 0) return
    beginSlice()
    for (let at = 0; at < steps; at++) setImmediate(step, at === 0)
  }

  /** Begins a slice, which ends with the next call of `startWaiting`. */
  function beginSlice(): void {
    isScheduled = true
    end = monotonic() + SLICE_MS
    late = { urgent: 0, visit: 0 }
    setImmediate(startWaiting)
  }

  return (request, response) => {
    if (!isScheduled) beginSlice()
    else if (monotonic() >= end || queues.length() > 0) {
      const priority = priorityOf(request)
      if (priority === 'other') return queues.others.add([request, response])
      const mustWait = ++late[priority] > MAX_LATE || (priority === 'visit' && queues.visits.length() > 0)
      if (mustWait) return queues.visits.add([request, response])
    }
    handle(request, response)
  }
}

interface Queue {
  length: () => number
  add: (exchange: Exchange) => void
  /** The first request of the network that was served least recently. */
  take: () => Exchange | undefined
}

/** A queue without a bound: each connection has one request in it. */
function createQueue(holderOf: (request: IncomingMessage) => Holder): Queue {
  const { length, put, take } = createFairPool<Exchange>({ capacity: Infinity })
  return { length, add: (exchange) => void put(exchange, holderOf(exchange[0])), take }
}

/** What waits. */
function createQueues(holderOf: (request: IncomingMessage) => Holder) {
  const [visits, others] = [createQueue(holderOf), createQueue(holderOf)]
  /** Whether visits waited in the slice, and none of them has started. */
  let isVisitOwed = false

  function take(areOthersFirst: boolean): Exchange | undefined {
    const other = areOthersFirst ? others.take() : undefined
    const visit = other === undefined ? visits.take() : undefined
    if (visit !== undefined) isVisitOwed = false
    return other ?? visit ?? others.take()
  }

  return {
    visits,
    others,
    length: () => visits.length() + others.length(),
    take,
    /** The first of a slice. */
    takeFirst() {
      const areOthersFirst = !isVisitOwed
      isVisitOwed = visits.length() > 0
      return take(areOthersFirst)
    },
  }
}
