const [FIRST_MS, LAST_MS] = [100, 1000]

/** How long to wait before each attempt to connect again, in milliseconds. */
export interface BackOff {
  /** The next pause: each is twice as long as the one before, up to a second, and at random, so that not all nodes come back at once. */
  next: () => number
  /** Begins with short pauses again. */
  reset: () => void
}

export function createBackOff(random: () => number = Math.random): BackOff {
  let ms = FIRST_MS
  return {
    next() {
      const pause = ms * (0.5 + random() / 2)
      ms = Math.min(2 * ms, LAST_MS)
      return pause
    },
    reset: () => void (ms = FIRST_MS),
  }
}
