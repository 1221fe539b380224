/** For how long a use counts at least; twice as long at most. */
const COUNTED_MS = 60_000

/** What each allocation had of something lately. */
export interface RecentUse {
  add: (allocation: string, amount: number) => void
  of: (allocation: string) => number
}

/**
 * Allocations that come back as soon as they were served hold no more of a pool than a newcomer: what they had lately tells them
 * apart. It remembers as many as were served in that time.
 * @param monotonic in milliseconds
 */
export function createRecentUse(monotonic: () => number): RecentUse {
  let [current, previous] = [new Map<string, number>(), new Map<string, number>()]
  let until = monotonic() + COUNTED_MS

  function forgetOld(): void {
    const now = monotonic()
    if (now < until) return
    previous = now < until + COUNTED_MS ? current : new Map()
    current = new Map()
    until = now + COUNTED_MS
  }

  return {
    add(allocation, amount) {
      forgetOld()
      current.set(allocation, (current.get(allocation) ?? 0) + amount)
    },
    of(allocation) {
      forgetOld()
      return (current.get(allocation) ?? 0) + (previous.get(allocation) ?? 0)
    },
  }
}
