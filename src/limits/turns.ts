import { Problem } from '../http/problem.ts'
import { createFairQueue, type FairQueue } from './fair-queue.ts'
import type { WorkBounds } from './work.ts'

/**
 * Runs work of a client when its turn comes, round-robin by client.
 * @throws {Problem} 503 with `Retry-After` when too many wait: at once, or when a client with fewer of them comes
 */
export type RunInTurn = <T>(client: string, work: () => Promise<T>) => Promise<T>

export interface Turns {
  run: RunInTurn
  /** Work that waits. */
  waiting: () => number
}

/**
 * One at a time: hashing a password takes a core for a quarter of a second, and one of the four threads of libuv's pool,
 * which also sync the disk. The last of those that wait starts after four seconds.
 */
export const passwordBounds: WorkBounds = { waiting: 16, concurrent: 1 }

interface Waiting {
  client: string
  start: () => void
  refuse: (error: Problem) => void
}

/**
 * @param retryAfter seconds, for those who are refused
 * @param onRefusal called with each refusal
 */
export function createTurns({ waiting, concurrent }: WorkBounds, retryAfter: number, onRefusal = () => {}): Turns {
  const queue = createFairQueue<Waiting>(waiting)
  let inProgress = 0

  function startNext(): void {
    if (inProgress >= concurrent) return
    const next = queue.take()
    if (next === undefined) return
    inProgress++
    next.start()
  }

  const run: RunInTurn = async (client, work) => {
    if (queue.isFull(client)) {
      onRefusal()
      const refused = findLastOfMost(queue, client)
      if (refused === undefined) throw refusal(retryAfter)
      queue.remove(refused.client, refused)
      refused.refuse(refusal(retryAfter))
    }
    await new Promise<void>((start, refuse) => {
      queue.add(client, { client, start, refuse })
      startNext()
    })
    try {
      return await work()
    } finally {
      inProgress--
      startNext()
    }
  }
  return { run, waiting: queue.length }
}

function refusal(retryAfter: number): Problem {
  const headers = { 'retry-after': String(retryAfter) }
  return new Problem('unavailable', 'too many passwords are being checked, try again in a moment', { headers })
}

/**
 * The last entry of the client that has most, when it has more than this client would have with one more: otherwise two
 * clients could keep all others out.
 */
function findLastOfMost(queue: FairQueue<Waiting>, client: string): Waiting | undefined {
  const clients = Map.groupBy(
    queue.filter(() => true),
    (entry) => entry.client,
  )
  const own = clients.get(client)?.length ?? 0
  const most = [...clients.values()].reduce((longest, each) => (each.length > longest.length ? each : longest), [])
  return most.length > own + 1 ? most.at(-1) : undefined
}
