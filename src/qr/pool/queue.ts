import type { Problem } from '../../http/problem.ts'
import { createWaitingJobs, overloaded, type QueuedJob } from './waiting-jobs.ts'

/** The client that requests an image. */
export interface Requester {
  /** The same key for all requests of a client, which does not reveal its address. Absent for the program itself. */
  client?: string | undefined
  /** Aborts when the client has disconnected. */
  signal?: AbortSignal | undefined
  /** Called when the job waits for a thread: the queue of the threads bounds it from then on. */
  onQueued?: (() => void) | undefined
}

/** A bounded queue with a time-out, which serves clients round-robin. */
export interface Queue<Job, Result> {
  /**
   * Queues a job; resolves with its result.
   * @throws {Problem} 503 with `Retry-After` when it would wait for too long, or too many jobs wait, of all clients or of
   * this one; and when it has waited for too long although less was expected
   */
  add: (job: Job, requester?: Requester) => Promise<Result>
  /** Removes the first job that may start now, of the client that was served least recently. */
  take: (mayStart: (job: Job) => boolean) => QueuedJob<Job, Result> | undefined
  length: () => number
  /** Rejects all waiting jobs. */
  clear: (reason: Problem) => void
}

export interface QueueOptions<Job> {
  /** Jobs that may wait; of one client, half of them. */
  length: number
  /** Past this expected wait, in milliseconds, a client's job is refused at once. */
  maxWait: number
  /** Milliseconds that a job may wait. */
  timeout: number
  /** Jobs that may be in progress at the same time. */
  threads: number
  /** The same, of one client. */
  perClient: number
  /** Milliseconds that a job is expected to take. */
  costOf: (job: Job) => number
}

/** Jobs of the program itself count for no client. */
export function createQueue<Job, Result>(options: QueueOptions<Job>): Queue<Job, Result> {
  const { length, maxWait, timeout, threads, perClient, costOf } = options
  const waiting = createWaitingJobs<Job, Result>()
  const inProgress = createTally()
  const share = Math.max(1, Math.floor(length / 2))

  function isFull(client: string | undefined): boolean {
    return (client !== undefined && waiting.of(client).count >= share) || waiting.length() >= length
  }

  /** Clients take turns, and none has more threads than its own. */
  function waitOf(client: string, cost: number): number {
    const own = waiting.of(client).cost
    return Math.max(own / perClient, waiting.costBefore(client, own + cost) / threads)
  }

  /** Why a job may not wait. */
  function refusal(client: string | undefined, cost: number): Problem | undefined {
    const wait = client === undefined ? 0 : waitOf(client, cost)
    return wait > maxWait || isFull(client) ? overloaded(wait) : undefined
  }

  return {
    add(job, { client, signal, onQueued } = {}) {
      const cost = costOf(job)
      const problem = refusal(client, cost)
      if (problem !== undefined) return Promise.reject(problem)
      onQueued?.()
      return new Promise<Result>((resolve, reject) => {
        const done = () => inProgress.add(client, -1)
        waiting.add({ job, client, cost, resolve, reject, done }, timeout, signal)
      })
    },
    take(mayStart) {
      const next = waiting.take((client) => inProgress.of(client) < perClient, mayStart)
      if (next !== undefined) inProgress.add(next.client, 1)
      return next
    },
    length: waiting.length,
    clear(reason) {
      for (const { refuse } of waiting.all()) refuse(reason)
    },
  }
}

interface Tally {
  of: (client: string | undefined) => number
  add: (client: string | undefined, change: number) => void
}

function createTally(): Tally {
  const counts = new Map<string, number>()
  const of = (client: string | undefined) => (client === undefined ? 0 : (counts.get(client) ?? 0))
  return {
    of,
    add(client, change) {
      if (client === undefined) return
      const count = of(client) + change
      if (count > 0) counts.set(client, count)
      else counts.delete(client)
    },
  }
}
