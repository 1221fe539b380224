import { Problem } from '../../http/problem.ts'

/** The client that requests an image. */
export interface Requester {
  /** The same key for all requests of a client, which does not reveal its address. Absent for the program itself. */
  client?: string | undefined
  /** Aborts when the client has disconnected. */
  signal?: AbortSignal | undefined
}

/** A job in the queue. */
export interface QueuedJob<Job, Result> {
  job: Job
  client: string | undefined
  resolve: (result: Result) => void
  reject: (error: unknown) => void
  /** To be called when the job is no longer in progress. */
  done: () => void
}

/** A bounded queue with a time-out, which serves clients round-robin. */
export interface Queue<Job, Result> {
  /**
   * Queues a job; resolves with its result.
   * @throws {Problem} 503 when too many jobs wait, of all clients or of this one, or when this one has waited for too long
   */
  add: (job: Job, requester?: Requester) => Promise<Result>
  /** Removes the first job that may start now, of the client that was served least recently. */
  take: (mayStart: (job: Job) => boolean) => QueuedJob<Job, Result> | undefined
  length: () => number
  /** Rejects all waiting jobs. */
  clear: (reason: Problem) => void
}

export interface QueueOptions {
  /** Jobs that may wait; of one client, half of them. */
  length: number
  /** Milliseconds that a job may wait. */
  timeout: number
  /** Jobs of one client that may be in progress at the same time. */
  perClient: number
}

/** Jobs of the program itself count for no client. */
export function createQueue<Job, Result>({ length, timeout, perClient }: QueueOptions): Queue<Job, Result> {
  const waiting = createWaitingJobs<Job, Result>()
  const inProgress = createTally()
  const share = Math.max(1, Math.floor(length / 2))

  function isFull(client: string | undefined): boolean {
    return (client !== undefined && waiting.countOf(client) >= share) || waiting.all().length >= length
  }

  return {
    add(job, { client, signal } = {}) {
      if (isFull(client)) return Promise.reject(overloaded())
      return new Promise<Result>((resolve, reject) => {
        const done = () => inProgress.add(client, -1)
        waiting.add({ job, client, resolve, reject, done }, timeout, signal)
      })
    },
    take(mayStart) {
      const next = waiting.take((client) => inProgress.of(client) < perClient, mayStart)
      if (next !== undefined) inProgress.add(next.client, 1)
      return next
    },
    length: () => waiting.all().length,
    clear(reason) {
      for (const { refuse } of waiting.all()) refuse(reason)
    },
  }
}

interface Entry<Job, Result> extends QueuedJob<Job, Result> {
  leave: () => void
  refuse: (reason: Problem) => void
}

/** Waiting jobs by client, the client that was served least recently first. */
function createWaitingJobs<Job, Result>() {
  const byClient = new Map<string | undefined, Entry<Job, Result>[]>()

  function remove(entry: Entry<Job, Result>): void {
    const remaining = byClient.get(entry.client)?.filter((each) => each !== entry) ?? []
    if (remaining.length > 0) byClient.set(entry.client, remaining)
    else byClient.delete(entry.client)
  }

  function moveToEnd(client: string | undefined): void {
    const entries = byClient.get(client)
    byClient.delete(client)
    if (entries !== undefined) byClient.set(client, entries)
  }

  return {
    all: () => [...byClient.values()].flat(),
    countOf: (client: string) => byClient.get(client)?.length ?? 0,
    add(queued: QueuedJob<Job, Result>, timeout: number, signal: AbortSignal | undefined): void {
      const entry = withTimeout(queued, { timeout, signal, remove })
      byClient.set(entry.client, [...(byClient.get(entry.client) ?? []), entry])
    },
    take(
      mayServe: (client: string | undefined) => boolean,
      mayStart: (job: Job) => boolean,
    ): QueuedJob<Job, Result> | undefined {
      for (const [client, entries] of byClient) {
        const next = mayServe(client) ? entries.find(({ job }) => mayStart(job)) : undefined
        if (next === undefined) continue
        next.leave()
        moveToEnd(client)
        return next
      }
      return undefined
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
  queued: QueuedJob<Job, Result>,
  { timeout, signal, remove }: Leaving<Job, Result>,
): Entry<Job, Result> {
  const onDisconnect = () => entry.refuse(new Problem('unavailable', 'the client has disconnected'))
  const timer = setTimeout(() => entry.refuse(overloaded()), timeout)
  signal?.addEventListener('abort', onDisconnect)
  const entry: Entry<Job, Result> = {
    ...queued,
    leave() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onDisconnect)
      remove(entry)
    },
    refuse(reason) {
      entry.leave()
      queued.reject(reason)
    },
  }
  return entry
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

function overloaded(): Problem {
  return new Problem('unavailable', 'too many images are being drawn, try again in a moment')
}
