import type { QueuedRequest, WorkState } from './work.ts'

export interface FairShares {
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
export function createFairShares(kinds: readonly WorkState[], monotonic: () => number): FairShares {
  /** `used` of the kind that was served last. A kind that was idle starts from there: it has no claim to unused time. */
  let served = 0
  const isReady = ({ queue, inProgress, concurrent }: WorkState) => inProgress < concurrent && queue.length() > 0
  return {
    ready: () => kinds.reduce((sum, kind) => sum + (isReady(kind) ? kind.queue.length() : 0), 0),
    add(kind, request) {
      if (kind.queue.length() === 0) kind.used = Math.max(kind.used, served)
      return kind.queue.put(request, request.holder)
    },
    startNext() {
      let next: WorkState | undefined
      for (const kind of kinds) if (isReady(kind) && (next === undefined || kind.used < next.used)) next = kind
      const request = next?.queue.take()
      if (next === undefined || request === undefined) return undefined
      const kind = next
      served = kind.used
      kind.inProgress++
      kind.pace.onStart(monotonic(), kind.queue.length() > 0)
      request.state = 'started'
      request.start()
      return (ms) => (kind.used += ms)
    },
  }
}
