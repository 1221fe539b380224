import type { Problem } from '../http/problem.ts'
import type { FairQueue } from './fair-queue.ts'

/** Limits on one kind of work. */
export interface WorkBounds {
  /** Requests that may wait; of one client, half of them. */
  waiting: number
  /** Requests that may be in progress at the same time. */
  concurrent: number
}

/** All work but visits. Every change of one link counts as a creation, every export as statistics. */
export const defaultBounds = {
  /** As many as share one sync of the disk. */
  creations: { waiting: 512, concurrent: 64 },
  /** Changes of many links. Each keeps megabytes of links in memory. */
  batches: { waiting: 64, concurrent: 2 },
  /** More than the drawing threads queue: those must not delay images that are quick to draw. */
  images: { waiting: 256, concurrent: 64 },
  statistics: { waiting: 256, concurrent: 64 },
  pages: { waiting: 256, concurrent: 16 },
  /** They wait for the DNS, and take no time of the event loop. */
  domains: { waiting: 256, concurrent: 64 },
} as const satisfies Record<string, WorkBounds>

export type Work = keyof typeof defaultBounds

export const works = Object.keys(defaultBounds) as Work[]

/** A request that waits until its work may start. */
export interface WaitingRequest {
  /** The same key for all requests of a client. */
  client: string
  /** Called when the work may start, never before `enter` has returned. */
  start: () => void
  /** Called instead when the request has waited for too long. */
  refuse: (problem: Problem) => void
}

export interface QueuedRequest extends WaitingRequest {
  since: number
  state: 'waiting' | 'started' | 'done'
}

/** One kind of work, and how it is doing. */
export interface WorkState {
  queue: FairQueue<QueuedRequest>
  concurrent: number
  inProgress: number
  refused: number
  /** Milliseconds of the event loop that it has used; the kind that has used least starts next. */
  used: number
}
