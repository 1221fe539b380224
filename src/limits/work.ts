import type { Problem } from '../http/problem.ts'
import type { FairPool } from '../lib/fair-pool.ts'
import type { Holder } from '../lib/holder.ts'
import type { Pace } from './pace.ts'
import type { Places } from '../lib/places.ts'

/** Limits on one kind of work. */
export interface WorkBounds {
  /** Requests that may wait, which take memory. Their time is bounded apart (`MAX_WAIT_MS`). */
  waiting: number
  /** Requests of one network that may be in progress at the same time; one of each other network may be besides, as many again in all. */
  concurrent: number
}

/**
 * How long a request may wait. One that is expected to wait for longer is refused at once; one that has waited for as long
 * although less was expected is refused then: people have left, and programs have retried.
 */
export const MAX_WAIT_MS = 2000

/** Far more than the quotas of an hour by default: whoever sends them all at once receives them all. */
const MANY = 2048

/** All work but visits. Every change of one link counts as a creation, that of many as a batch, every export as statistics. */
export const defaultBounds = {
  /** As many as share one sync of the disk. */
  creations: { waiting: MANY, concurrent: 64, everyMs: 2 },
  /**
   * Creations and changes of many links. Each keeps megabytes in memory, and takes 5 ms of each iteration of the event loop. One takes a
   * second where its links have webhooks, so that a turn comes late when four networks send them all the time; programs wait for it.
   */
  batches: { waiting: 64, concurrent: 2, everyMs: 50, maxWaitMs: 10_000 },
  /** All of one link change one row, for which each waits with a connection to the database, of which a network may have four. */
  reports: { waiting: MANY, concurrent: 2, everyMs: 10 },
  /** Those that are drawn on threads wait there. */
  images: { waiting: MANY, concurrent: 64, everyMs: 2 },
  statistics: { waiting: MANY, concurrent: 64, everyMs: 4 },
  pages: { waiting: MANY, concurrent: 16, everyMs: 4 },
  /** They wait for the DNS, and take no time of the event loop. */
  domains: { waiting: MANY, concurrent: 64, everyMs: 2 },
} as const satisfies Record<string, DefaultBounds>

export interface DefaultBounds extends WorkBounds {
  /** Milliseconds from one start to the next, as long as nothing has been measured. */
  everyMs: number
  /** How long a request may wait, in milliseconds; `MAX_WAIT_MS` where it is not said. */
  maxWaitMs?: number
}

export type Work = keyof typeof defaultBounds

export const works = Object.keys(defaultBounds) as Work[]

/** A request that waits until its work may start. */
export interface WaitingRequest {
  holder: Holder
  /** Called when the work may start, never before `enter` has returned. */
  start: () => void
  /** Called instead when the request has waited for too long, or gives way to that of a smaller holder. */
  refuse: (problem: Problem) => void
}

export interface QueuedRequest extends WaitingRequest {
  since: number
  state: 'waiting' | 'started' | 'done'
}

/** One kind of work, and how it is doing. */
export interface WorkState {
  queue: FairPool<QueuedRequest>
  pace: Pace
  places: Places
  maxWaitMs: number
  refused: number
  /** Milliseconds of the event loop that it has used; the kind that has used least starts next. */
  used: number
}
