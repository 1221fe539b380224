import { Problem } from '../http/problem.ts'
import { createFairQueue } from './fair-queue.ts'
import type { WorkBounds } from './work.ts'

/**
 * Runs work of a client when its turn comes, round-robin by client.
 * @throws {Problem} 503 with `Retry-After`, at once, when too many wait
 */
export type RunInTurn = <T>(client: string, work: () => Promise<T>) => Promise<T>

/**
 * One at a time: hashing a password takes a core for a quarter of a second, and one of the four threads of libuv's pool,
 * which also sync the disk. The last of those that wait starts after four seconds.
 */
export const passwordBounds: WorkBounds = { waiting: 16, concurrent: 1 }

/** @param retryAfter seconds, for those who are refused */
export function createTurns({ waiting, concurrent }: WorkBounds, retryAfter: number): RunInTurn {
  const queue = createFairQueue<() => void>(waiting)
  let inProgress = 0

  function startNext(): void {
    if (inProgress >= concurrent) return
    const start = queue.take()
    if (start === undefined) return
    inProgress++
    start()
  }

  return async (client, work) => {
    if (queue.isFull(client)) {
      const headers = { 'retry-after': String(retryAfter) }
      throw new Problem('unavailable', 'too many passwords are being checked, try again in a moment', { headers })
    }
    await new Promise<void>((start) => {
      queue.add(client, start)
      startNext()
    })
    try {
      return await work()
    } finally {
      inProgress--
      startNext()
    }
  }
}
