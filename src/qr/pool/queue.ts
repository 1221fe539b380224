import { disconnected } from '../../http/client-disconnect.ts'
import { Problem } from '../../http/problem.ts'
import { createFairPool } from '../../lib/fair-pool.ts'
import { asHolder, type Holder } from '../../lib/holder.ts'
import { createRecentUse } from '../../lib/recent-use.ts'

/** Who requests an image. */
export interface Requester {
  /** Absent for the program itself. */
  holder?: Holder | undefined
  /** Aborts when the client has disconnected. */
  signal?: AbortSignal | undefined
  /** Called when the job waits for a thread: the queue of the threads bounds it from then on. */
  onQueued?: (() => void) | undefined
  /** Called when a thread begins with the job. */
  onBegin?: (() => void) | undefined
}

/** A job in the queue. */
interface Waiting<Job, Result> {
  job: Job
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

/** A job that was taken from the queue. */
export interface QueuedJob<Job, Result> extends Waiting<Job, Result> {
  /** To be called when the job is no longer in progress. */
  done: () => void
  /** Whether its network had most of the threads lately, this job included, of those with one, while a job of one that had less waits. */
  isOutweighed: () => boolean
}

/** A bounded queue with a time-out, which serves holders in turns. */
export interface Queue<Job, Result> {
  /**
   * Queues a job; resolves with its result.
   * @throws {Problem} 503 with `Retry-After` when it would wait for too long, or too many jobs wait and no other holder has
   * more of them; the problem of its signal, or that its client has disconnected, when that has aborted; later when it gives way to the job of a smaller holder, or has waited for too long although less was expected
   */
  add: (job: Job, requester?: Requester) => Promise<Result>
  /** Removes the first job of the network whose jobs took least time lately, of those that may have a thread. */
  take: () => QueuedJob<Job, Result> | undefined
  length: () => number
  /** Rejects all waiting jobs. */
  clear: (reason: Problem) => void
}

export interface QueueOptions<Job> {
  /** Jobs that may wait. */
  length: number
  /** Past this expected wait, in milliseconds, a job is refused at once. */
  maxWait: number
  /** Milliseconds that a job may wait. */
  timeout: number
  /** Jobs that may be in progress at the same time. */
  threads: number
  /** The same, of one network, or of all of one allocation. */
  perNetwork: number
  /** Milliseconds that a job is expected to take. */
  costOf: (job: Job) => number
  /** In milliseconds. */
  monotonic?: () => number
}

interface Entry<Job, Result> extends Waiting<Job, Result> {
  holder: Holder
  onBegin: Requester['onBegin']
  /** Stops the timer, and forgets the signal. */
  leave: () => void
  refuse: (reason: Problem) => void
}

/** The program itself is not bounded as a network is. */
const program = asHolder('')

export function createQueue<Job, Result>(options: QueueOptions<Job>): Queue<Job, Result> {
  const { length: entries, maxWait, timeout, threads, perNetwork, costOf } = options
  const use = createThreadUse(options.monotonic)
  // Weighed by what they cost. Turns by number would give most of the threads to whoever asks for the costliest images.
  const waiting = createFairPool<Entry<Job, Result>>({ capacity: Infinity, entries, usedOf: use.latelyOf })

  /** Networks have the same time of the threads, and none has more threads than its own. */
  function waitOf(holder: Holder, cost: number): number {
    if (holder === program) return 0
    const { ofAllocation, ofAll } = waiting.ahead(holder, cost)
    return Math.max(ofAllocation / perNetwork, ofAll / threads)
  }

  const mayServe = (holder: Holder) => holder === program || use.inProgressOf(holder.allocation) < perNetwork
  const isOutweighed = (holder: Holder) =>
    holder !== program && use.isOutweighed(holder.allocation, waiting.entries(), mayServe)

  return {
    add(job, { holder = program, signal, onQueued, onBegin } = {}) {
      // An aborted signal tells nobody again.
      if (signal?.aborted === true) return Promise.reject(reasonOf(signal))
      const cost = costOf(job)
      const wait = waitOf(holder, cost)
      if (wait > maxWait || waiting.isRefused(holder)) return Promise.reject(overloaded(wait))
      onQueued?.()
      return new Promise<Result>((resolve, reject) => {
        const queued = { job, holder, onBegin, resolve, reject }
        const entry = withTimeout<Job, Result>(queued, { timeout, signal, remove: waiting.remove })
        for (const { refuse } of waiting.put(entry, holder, cost)) refuse(overloaded(wait))
      })
    },
    take() {
      const next = waiting.take(mayServe)
      if (next === undefined) return undefined
      const { job, resolve, reject, holder, onBegin, leave } = next
      leave()
      onBegin?.()
      const done = use.begin(holder.allocation)
      return { job, resolve, reject, done, isOutweighed: () => isOutweighed(holder) }
    },
    length: waiting.length,
    clear(reason) {
      for (const { refuse } of waiting.entries()) refuse(reason)
    },
  }
}

interface Leaving<Job, Result> {
  timeout: number
  signal: AbortSignal | undefined
  remove: (entry: Entry<Job, Result>) => void
}

/** Refuses a job when it has waited for too long, or when its client disconnects. */
function withTimeout<Job, Result>(
  queued: Omit<Entry<Job, Result>, 'leave' | 'refuse'>,
  { timeout, signal, remove }: Leaving<Job, Result>,
): Entry<Job, Result> {
  const onAbort = () => entry.refuse(reasonOf(signal))
  const timer = setTimeout(() => entry.refuse(overloaded(timeout)), timeout)
  signal?.addEventListener('abort', onAbort)
  const entry: Entry<Job, Result> = {
    ...queued,
    leave() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      remove(entry)
    },
    refuse(reason) {
      entry.leave()
      queued.reject(reason)
    },
  }
  return entry
}

/** Why a job is wanted no longer: its client has disconnected, unless the signal has another problem. */
function reasonOf(signal: AbortSignal | undefined): Problem {
  return signal?.reason instanceof Problem ? signal.reason : disconnected()
}

/** @param wait milliseconds until those that wait now are drawn */
function overloaded(wait: number): Problem {
  const detail = 'too many images are being drawn, try again in a moment'
  const seconds = Math.max(1, Math.ceil(wait / 1000))
  return new Problem('unavailable', detail, { headers: { 'retry-after': String(seconds) } })
}

/** What allocations have of the threads: jobs in progress, and the milliseconds that theirs took lately. */
function createThreadUse(monotonic = () => performance.now()) {
  const inProgress = new Set<{ allocation: string; begunAt: number }>()
  const lately = createRecentUse(monotonic)

  function hadOf(allocation: string, now: number): number {
    let had = lately.of(allocation)
    for (const job of inProgress) if (job.allocation === allocation) had += now - job.begunAt
    return had
  }

  return {
    inProgressOf(allocation: string): number {
      let count = 0
      for (const job of inProgress) if (job.allocation === allocation) count++
      return count
    },
    latelyOf: lately.of,
    /** Whether an allocation had most of those with a job in progress, until now, and one of those that wait had less. */
    isOutweighed(own: string, waiting: Iterable<{ holder: Holder }>, mayServe: (holder: Holder) => boolean): boolean {
      const now = monotonic()
      const most = hadOf(own, now)
      for (const { allocation } of inProgress) if (hadOf(allocation, now) > most) return false
      for (const { holder } of waiting) if (mayServe(holder) && hadOf(holder.allocation, now) < most) return true
      return false
    },
    /** @returns to be called when the job is no longer in progress */
    begin(allocation: string): () => void {
      const job = { allocation, begunAt: monotonic() }
      inProgress.add(job)
      return () => {
        inProgress.delete(job)
        lately.add(allocation, monotonic() - job.begunAt)
      }
    },
  }
}
