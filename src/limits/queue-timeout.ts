import type { Problem } from '../http/problem.ts'
import type { QueuedRequest, WorkState } from './work.ts'

/** The interval of the checks. */
const SWEEP_MS = 100

/**
 * Refuses requests that have waited for too long.
 * @returns to be called when a request has been queued
 */
export function createQueueTimeout(
  kinds: readonly WorkState[],
  monotonic: () => number,
  overloaded: (kind: WorkState) => Problem,
  timeoutMs: number,
): () => void {
  let timer: NodeJS.Timeout | undefined
  function refuseOverdue(kind: WorkState): void {
    const deadline = monotonic() - timeoutMs
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
export function leaveQueue({ queue, pace }: WorkState, request: QueuedRequest): void {
  queue.remove(request)
  if (queue.length() === 0) pace.onEmptied()
}

/** Refuses a request that has left the queue. */
export function refuse(kind: WorkState, request: QueuedRequest, problem: Problem): void {
  kind.refused++
  request.state = 'done'
  request.refuse(problem)
}
