import { Problem } from '../../http/problem.ts'

/** A job in the queue. */
export interface QueuedJob<Job, Result> {
  job: Job
  client: string | undefined
  resolve: (result: Result) => void
  reject: (error: unknown) => void
  /** To be called when the job is no longer in progress. */
  done: () => void
}

interface WaitingJob<Job, Result> extends QueuedJob<Job, Result> {
  /** Milliseconds that it is expected to take. */
  cost: number
}

interface Entry<Job, Result> extends WaitingJob<Job, Result> {
  leave: () => void
  refuse: (reason: Problem) => void
}

/** The waiting jobs of a client. */
interface Share<Job, Result> {
  entries: Set<Entry<Job, Result>>
  /** The sum of their costs. */
  cost: number
}

/** The waiting jobs of each client, the client that was served least recently first. */
function createShares<Job, Result>() {
  const byClient = new Map<string | undefined, Share<Job, Result>>()
  let length = 0
  return {
    byClient,
    length: () => length,
    add: (entry: Entry<Job, Result>): void => {
      const share = byClient.get(entry.client) ?? { entries: new Set(), cost: 0 }
      share.entries.add(entry)
      share.cost += entry.cost
      byClient.set(entry.client, share)
      length++
    },
    remove: (entry: Entry<Job, Result>): void => {
      const share = byClient.get(entry.client)
      if (share?.entries.delete(entry) !== true) return
      share.cost -= entry.cost
      length--
      if (share.entries.size === 0) byClient.delete(entry.client)
    },
    moveToEnd: (client: string | undefined): void => {
      const share = byClient.get(client)
      byClient.delete(client)
      if (share !== undefined) byClient.set(client, share)
    },
  }
}

/** Jobs that wait, with what they are expected to cost. */
export function createWaitingJobs<Job, Result>() {
  const { byClient, length, add, remove, moveToEnd } = createShares<Job, Result>()
  return {
    all: () => [...byClient.values()].flatMap(({ entries }) => [...entries]),
    length,
    of(client: string): { count: number; cost: number } {
      const share = byClient.get(client)
      return { count: share?.entries.size ?? 0, cost: share?.cost ?? 0 }
    },
    /** The cost of what is drawn before a job with which its client has waiting jobs of this cost in all. */
    costBefore(client: string, upTo: number): number {
      let sum = 0
      for (const [each, { cost }] of byClient) sum += each === client ? cost : Math.min(cost, upTo)
      return sum
    },
    add: (waiting: WaitingJob<Job, Result>, timeout: number, signal: AbortSignal | undefined): void =>
      add(withTimeout(waiting, { timeout, signal, remove, refusal: () => overloaded(timeout) })),
    take(
      mayServe: (client: string | undefined) => boolean,
      mayStart: (job: Job) => boolean,
    ): QueuedJob<Job, Result> | undefined {
      for (const [client, { entries }] of byClient) {
        const next = mayServe(client) ? findFirst(entries, ({ job }) => mayStart(job)) : undefined
        if (next === undefined) continue
        next.leave()
        moveToEnd(client)
        return next
      }
      return undefined
    },
  }
}

/** Reads no further than it has to. */
function findFirst<T>(entries: Iterable<T>, matches: (entry: T) => boolean): T | undefined {
  for (const entry of entries) if (matches(entry)) return entry
  return undefined
}

interface Leaving<Job, Result> {
  timeout: number
  signal: AbortSignal | undefined
  remove: (entry: Entry<Job, Result>) => void
  /** Creates the problem of a job that has waited for too long. */
  refusal: () => Problem
}

/** Refuses a job when it has waited for too long, or when its client disconnects. */
function withTimeout<Job, Result>(
  queued: WaitingJob<Job, Result>,
  { timeout, signal, remove, refusal }: Leaving<Job, Result>,
): Entry<Job, Result> {
  const onDisconnect = () => entry.refuse(new Problem('unavailable', 'the client has disconnected'))
  const timer = setTimeout(() => entry.refuse(refusal()), timeout)
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

/** @param wait milliseconds until those that wait now are drawn */
export function overloaded(wait: number): Problem {
  const detail = 'too many images are being drawn, try again in a moment'
  const seconds = Math.max(1, Math.ceil(wait / 1000))
  return new Problem('unavailable', detail, { headers: { 'retry-after': String(seconds) } })
}
