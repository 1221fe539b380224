/** How fast requests of one kind start while others wait: the wait of a further one is estimated from it. */
export interface Pace {
  /** To be called when a request starts. @param areMore whether others still wait */
  onStart: (now: number, areMore: boolean) => void
  /** To be called when the last that waited has left without a start: the time until the next start says nothing then. */
  onEmptied: () => void
  /** Milliseconds from one start to the next. */
  ms: (now: number) => number
}

/**
 * How far back the average reaches: a burst whose requests are still being read must not look like slow work. What was
 * measured fades as fast while nothing waits: what held the last burst up may be over.
 */
const MEMORY_MS = 1000

/**
 * Measures starts rather than the work: whatever holds a kind up (its own work, visits, other kinds, a thread, the disk, the
 * database), its requests start at that pace.
 * @param expectedMs counts as measured before the first requests
 */
export function createPace(expectedMs: number): Pace {
  // Sums in which a start counts less the longer ago it was.
  let elapsed = MEMORY_MS
  let starts = MEMORY_MS / expectedMs
  let last = Number.NEGATIVE_INFINITY
  let didWait = false

  function fade(now: number): void {
    const kept = Math.exp((last - now) / MEMORY_MS)
    starts = elapsed / (expectedMs + (elapsed / starts - expectedMs) * kept)
    last = now
  }

  function measure(now: number): void {
    const interval = now - last
    const kept = Math.exp(-interval / MEMORY_MS)
    elapsed = elapsed * kept + interval
    starts = starts * kept + 1
    last = now
  }

  return {
    onStart(now, areMore) {
      if (didWait) measure(now)
      else fade(now)
      didWait = areMore
    },
    onEmptied() {
      didWait = false
    },
    ms(now) {
      if (!didWait) fade(now)
      return elapsed / starts
    },
  }
}
