/** Upper bounds of the buckets, in milliseconds: from a visit that is served from memory to a request that nobody waits for. */
const BOUNDS = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000]

/** A distribution, in the form that Prometheus reads. */
export interface HistogramReading {
  /** Upper bounds in seconds, ascending, each with the number of values up to it; the last bound is infinite. */
  buckets: { bound: number; count: number }[]
  /** In seconds. */
  sum: number
}

/** Counts durations in buckets. */
export interface Histogram {
  /** Allocates nothing: visits call it. */
  observe: (milliseconds: number) => void
  read: () => HistogramReading
}

export function createHistogram(): Histogram {
  // Typed arrays hold their numbers themselves; a property of an object would be a new one for each fraction.
  const counts = new Float64Array(BOUNDS.length + 1)
  const sum = new Float64Array(1)
  return {
    observe(milliseconds) {
      let at = 0
      while (at < BOUNDS.length && milliseconds > (BOUNDS[at] as number)) at++
      counts[at] = (counts[at] as number) + 1
      sum[0] = (sum[0] as number) + milliseconds
    },
    read() {
      let count = 0
      const buckets = [...BOUNDS, Number.POSITIVE_INFINITY].map((bound, at) => {
        count += counts[at] as number
        return { bound: bound / 1000, count }
      })
      return { buckets, sum: (sum[0] as number) / 1000 }
    },
  }
}
