/** How fast requests of one kind start while others wait: the wait of a further one is estimated from it. */
export interface Pace {
  /** To be called when a request starts. @param areMore whether others still wait */
  onStart: (now: number, areMore: boolean) => void
  /** Milliseconds from one start to the next. */
  ms: () => number
}

/** How far back the average reaches: a burst whose requests are still being read must not look like slow work. */
const MEMORY_MS = 1000
/** What was measured is forgotten when the queue has been empty for this long: it may have been a fault that is over. */
const FORGET_MS = 10_000

/**
 * Measures starts rather than the work: whatever holds a kind up (its own work, visits, other kinds, a thread, the disk, the
 * database), its requests start at that pace.
 * @param expectedMs counts as measured before the first requests
 */
export function createPace(expectedMs: number): Pace {
  // Sums in which a start counts less the longer ago it was.
  let elapsed = 0
  let starts = 0
  let last = Number.NEGATIVE_INFINITY
  let didWait = false

  function reset(): void {
    elapsed = MEMORY_MS
    starts = MEMORY_MS / expectedMs
  }
  reset()

  return {
    onStart(now, areMore) {
      const interval = now - last
      if (didWait) {
        const kept = Math.exp(-interval / MEMORY_MS)
        elapsed = elapsed * kept + interval
        starts = starts * kept + 1
      } else if (interval > FORGET_MS) reset()
      last = now
      didWait = areMore
    },
    ms: () => elapsed / starts,
  }
}
