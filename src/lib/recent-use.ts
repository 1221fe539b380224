/** For how long a use counts at least; twice as long at most. */
const COUNTED_MS = 60_000

/** What each network had of something lately. */
export interface RecentUse {
  add: (network: string, amount: number) => void
  of: (network: string) => number
}

/**
 * Networks that come back as soon as they were served hold no more of a pool than a newcomer: what they had lately tells them
 * apart. It remembers as many networks as were served in that time.
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
    add(network, amount) {
      forgetOld()
      current.set(network, (current.get(network) ?? 0) + amount)
    },
    of(network) {
      forgetOld()
      return (current.get(network) ?? 0) + (previous.get(network) ?? 0)
    },
  }
}
