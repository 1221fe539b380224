import { createFairPool } from './fair-pool.ts'
import type { Holder } from './holder.ts'
import { createPlaces, type Places } from './places.ts'
import { createRecentUse } from './recent-use.ts'

/** Who waits for a turn. */
export interface Waiter {
  holder: Holder
  /** Aborts when the work is no longer wanted: then it leaves the queue. */
  signal?: AbortSignal | undefined
}

/** Runs work when the turn of its holder comes. */
export interface Turns {
  /**
   * Work never starts before this call has returned.
   * @throws what `refusal` creates when too many wait: at once, or when the work gives way to that of a smaller holder; what
   * the signal aborts with
   */
  run: <T>(who: Waiter, work: () => Promise<T>) => Promise<T>
  /** Work that waits. */
  waiting: () => number
}

export interface TurnBounds {
  /** Work that may wait. When more would, the one of the largest holder gives way; what a network had lately counts for it. */
  waiting: number
  /** Work that may be in progress at the same time. */
  concurrent: number
  /** Whether as much again may be, of each network that has none in progress: where one of them keeps its places for long. */
  hasPlacesForOthers?: boolean
}

interface Entry {
  holder: Holder
  start: () => void
  refuse: (error: unknown) => void
}

/**
 * @param refusal creates what those are refused with who find no place, or lose it
 * @param monotonic in milliseconds
 */
export function createTurns(
  bounds: TurnBounds,
  refusal: () => Error,
  monotonic: () => number = () => performance.now(),
): Turns {
  const queue = createQueue(bounds, refusal, monotonic)
  return {
    async run(who, work) {
      await queue.wait(who)
      try {
        return await work()
      } finally {
        queue.end(who)
      }
    },
    waiting: queue.waiting,
  }
}

function createQueue(
  { waiting, concurrent, hasPlacesForOthers = false }: TurnBounds,
  refusal: () => Error,
  monotonic: () => number,
) {
  const pool = createFairPool<Entry>({ capacity: Infinity, entries: waiting })
  const recent = createRecentUse(monotonic)
  const places = hasPlacesForOthers ? createPlaces(concurrent) : equalPlaces(concurrent)

  function startNext(): void {
    const next = places.startable() > 0 ? pool.take(places.mayTake) : undefined
    if (next === undefined) return
    places.take(next.holder)
    next.start()
  }

  function leave({ holder, refuse }: Entry, reason: unknown): void {
    places.leave(holder)
    refuse(reason)
  }

  return {
    async wait({ holder, signal }: Waiter): Promise<void> {
      signal?.throwIfAborted()
      const { promise, resolve: start, reject: refuse } = Promise.withResolvers<void>()
      const { allocation } = holder
      const entry = { holder, start: () => (recent.add(allocation, 1), start()), refuse }
      const onAbort = () => pool.remove(entry) && leave(entry, signal?.reason)
      signal?.addEventListener('abort', onAbort)
      places.wait(holder)
      for (const each of pool.put(entry, holder, 1 + recent.of(allocation))) leave(each, refusal())
      startNext()
      await promise.finally(() => signal?.removeEventListener('abort', onAbort))
    },
    end({ holder }: Waiter): void {
      places.free(holder)
      startNext()
    },
    waiting: pool.length,
  }
}

/** Places that whoever comes next may have. */
function equalPlaces(most: number): Pick<Places, 'wait' | 'leave' | 'take' | 'free' | 'startable' | 'mayTake'> {
  let taken = 0
  return {
    wait() {},
    leave() {},
    take: () => void taken++,
    free: () => void taken--,
    startable: () => most - taken,
    mayTake: () => true,
  }
}
