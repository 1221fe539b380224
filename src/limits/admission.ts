import { samplesBy, type LabelledMetric } from '../http/metric.ts'
import { Problem } from '../http/problem.ts'
import { createFairPool } from '../lib/fair-pool.ts'
import type { Holder } from '../lib/holder.ts'
import { createPace } from './pace.ts'
import { createPlaces } from '../lib/places.ts'
import { createTimeSlices } from './time-slices.ts'
import {
  defaultBounds,
  type DefaultBounds,
  MAX_WAIT_MS,
  type QueuedRequest,
  type WaitingRequest,
  type Work,
  type WorkBounds,
  type WorkState,
} from './work.ts'

/** How long work is started in each iteration of the event loop, in milliseconds. */
const SLICE_MS = 0.5
/** `Retry-After` is up to this many seconds later than those who wait are served, so that clients do not all return at once. */
const SPREAD_SECONDS = 2
/** As long as any queue takes. */
const MAX_RETRY_SECONDS = 10
/** The interval of the checks. */
const SWEEP_MS = 100

/** Queues the requests of each kind of work, and starts them as capacity allows. Visits and health checks bypass it. */
export interface Admission {
  /** Why no further request of a holder may wait right now; undefined when it may. Counts as a refusal. */
  refusal: (work: Work, holder: Holder) => Problem | undefined
  /**
   * Queues a request.
   * @returns to be called when the work is done, or when the client has disconnected; further calls do nothing
   * @throws {Problem} 503 with `Retry-After`, at once, when it would wait for too long, or too many requests wait
   */
  enter: (work: Work, request: WaitingRequest) => () => void
  /** To be called with each new connection. */
  onConnection: () => void
  /** Requests that wait. */
  waiting: (work: Work) => number
  metrics: LabelledMetric[]
}

export interface AdmissionOptions {
  monotonic: () => number
  /** Called before each slice of work: answers visits, which must not wait for it. */
  beforeSlice: () => void
  /** Replaces the default bounds. */
  bounds?: Partial<Record<Work, WorkBounds>> | undefined
  /** Replaces the default times that requests may wait, in milliseconds. */
  maxWaitMs?: number | undefined
}

export function createAdmission(options: AdmissionOptions): Admission {
  const { monotonic, beforeSlice } = options
  const kinds = createKinds(options)
  const overloaded = createOverloadProblems()
  const shares = createFairShares(Object.values(kinds), monotonic)
  const isIdle = () => Object.values(kinds).every(({ places }) => places.taken() === 0)
  const slices = createTimeSlices({ ...shares, isIdle, beforeSlice, sliceMs: SLICE_MS, monotonic })
  const overdue = ({ queue, pace }: WorkState) => overloaded(queue.length() * pace.ms(monotonic()))
  const watchTimeout = createQueueTimeout(Object.values(kinds), monotonic, overdue)

  function refusal(work: Work, holder: Holder): Problem | undefined {
    const kind = kinds[work]
    const wait = expectedWait(kind, holder, monotonic())
    if (wait <= kind.maxWaitMs && !kind.queue.isRefused(holder)) return undefined
    kind.refused++
    slices.onRefusal()
    return overloaded(wait)
  }

  return {
    refusal,
    enter(work, waiting) {
      const problem = refusal(work, waiting.holder)
      if (problem !== undefined) throw problem
      const kind = kinds[work]
      const request: QueuedRequest = { ...waiting, since: monotonic(), state: 'waiting' }
      for (const leaving of shares.add(kind, request)) refuse(kind, leaving, overdue(kind))
      watchTimeout()
      slices.wake()
      return () => {
        if (request.state === 'waiting') leaveQueue(kind, request)
        if (request.state === 'started') kind.places.free(waiting.holder)
        request.state = 'done'
        slices.wake()
      }
    },
    onConnection: slices.onConnection,
    waiting: (work) => kinds[work].queue.length(),
    metrics: admissionMetrics(kinds),
  }
}

function createKinds({ bounds = {}, maxWaitMs: ofAll }: AdmissionOptions): Record<Work, WorkState> {
  return mapValues(defaultBounds, (byDefault: DefaultBounds, work): WorkState => {
    const { waiting, concurrent } = bounds[work] ?? byDefault
    const maxWaitMs = ofAll ?? byDefault.maxWaitMs ?? MAX_WAIT_MS
    const pace = createPace(byDefault.everyMs)
    const queue = createFairPool<QueuedRequest>({ capacity: waiting })
    return { queue, pace, places: createPlaces(concurrent), maxWaitMs, refused: 0, used: 0 }
  })
}

/** Milliseconds until a further request of a holder would start; not exact while even all that wait take less than they may. */
function expectedWait({ queue, pace, places, maxWaitMs }: WorkState, holder: Holder, now: number): number {
  if (places.isNewcomer(holder)) return 0
  const paceMs = pace.ms(now)
  const all = queue.length() * paceMs
  return all <= maxWaitMs ? all : queue.ahead(holder).ofAll * paceMs
}

/** @returns a problem for who has been told to wait for so many milliseconds */
function createOverloadProblems(): (waitMs: number) => Problem {
  // Created once: under overload, the stack trace of each would cost more than its response.
  const problems = Array.from({ length: MAX_RETRY_SECONDS + SPREAD_SECONDS }, (_, at) => {
    const headers = { 'retry-after': String(at + 1) }
    return new Problem('unavailable', 'too many such requests are waiting, try again in a moment', { headers })
  })
  let next = 0
  return (waitMs) => {
    const seconds = Math.min(MAX_RETRY_SECONDS, Math.max(1, Math.ceil(waitMs / 1000)))
    return problems[seconds - 1 + (next++ % (SPREAD_SECONDS + 1))] as Problem
  }
}

function admissionMetrics(kinds: Record<Work, WorkState>): LabelledMetric[] {
  return [
    {
      name: 'quirl_requests_queued',
      help: 'Requests that wait in a queue',
      type: 'gauge',
      samples: () =>
        samplesBy(
          'kind',
          mapValues(kinds, ({ queue }) => queue.length()),
        ),
    },
    {
      name: 'quirl_requests_refused_total',
      help: 'Requests answered 503 because too many waited, or they waited too long',
      type: 'counter',
      samples: () =>
        samplesBy(
          'kind',
          mapValues(kinds, ({ refused }) => refused),
        ),
    },
  ]
}

function mapValues<K extends string, A, B>(record: Record<K, A>, map: (value: A, key: K) => B): Record<K, B> {
  const entries = Object.entries(record) as [K, A][]
  return Object.fromEntries(entries.map(([key, value]) => [key, map(value, key)])) as Record<K, B>
}

interface FairShares {
  /** Requests that could start now. */
  ready: () => number
  /** @returns the requests that give way to it */
  add: (kind: WorkState, request: QueuedRequest) => readonly QueuedRequest[]
  /**
   * Starts the next request, if there is one.
   * @returns to be called with the milliseconds that it took
   */
  startNext: () => ((ms: number) => void) | undefined
}

/** Shares the time of the event loop equally among the kinds of work that have requests waiting. */
function createFairShares(kinds: readonly WorkState[], monotonic: () => number): FairShares {
  /** `used` of the kind that was served last. A kind that was idle starts from there: it has no claim to unused time. */
  let served = 0
  return {
    ready: () => kinds.reduce((sum, { places }) => sum + places.startable(), 0),
    add(kind, request) {
      if (kind.queue.length() === 0) kind.used = Math.max(kind.used, served)
      kind.places.wait(request.holder)
      const leaving = kind.queue.put(request, request.holder)
      for (const { holder } of leaving) kind.places.leave(holder)
      return leaving
    },
    startNext() {
      let next: WorkState | undefined
      for (const kind of kinds)
        if (kind.places.startable() > 0 && (next === undefined || kind.used < next.used)) next = kind
      const request = next?.queue.take(next.places.mayTake)
      if (next === undefined || request === undefined) return undefined
      const kind = next
      served = kind.used
      kind.places.take(request.holder)
      kind.pace.onStart(monotonic(), kind.queue.length() > 0)
      request.state = 'started'
      request.start()
      return (ms) => (kind.used += ms)
    },
  }
}

/**
 * Refuses requests that have waited for too long.
 * @returns to be called when a request has been queued
 */
function createQueueTimeout(
  kinds: readonly WorkState[],
  monotonic: () => number,
  overloaded: (kind: WorkState) => Problem,
): () => void {
  let timer: NodeJS.Timeout | undefined
  function refuseOverdue(kind: WorkState): void {
    const deadline = monotonic() - kind.maxWaitMs
    for (const request of [...kind.queue.entries()].filter(({ since }) => since <= deadline)) {
      leaveQueue(kind, request)
      refuse(kind, request, overloaded(kind))
    }
  }
  function watch(): void {
    if (timer !== undefined || kinds.every(({ queue }) => queue.length() === 0)) return
    timer = setTimeout(() => {
      timer = undefined
      kinds.forEach(refuseOverdue)
      watch()
    }, SWEEP_MS).unref()
  }
  return watch
}

/** Takes a request out of the queue that does not start. */
function leaveQueue({ queue, pace, places }: WorkState, request: QueuedRequest): void {
  if (queue.remove(request)) places.leave(request.holder)
  if (queue.length() === 0) pace.onEmptied()
}

/** Refuses a request that has left the queue. */
function refuse(kind: WorkState, request: QueuedRequest, problem: Problem): void {
  kind.refused++
  request.state = 'done'
  request.refuse(problem)
}
