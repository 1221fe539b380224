/** What one client has used of one limit. */
export interface Window {
  used: number
  /** When the count starts anew, on the clock that the counter was given. */
  until: number
}

/** Counts by key in windows of one length, each of which begins with the first charge. */
export interface Counter {
  charge: (key: number) => Window
  /** Takes a charge back. */
  refund: (key: number) => void
  /** The present window, also of a key that has used nothing. */
  read: (key: number) => Window
}

/**
 * @param maxKeys what is kept at most; of more, at least the half whose windows began last
 * @param monotonic a clock that never goes back
 */
export function createCounter(options: { windowMs: number; maxKeys: number; monotonic: () => number }): Counter {
  const { windowMs, maxKeys, monotonic } = options
  // Two generations: to forget one of them costs nothing, where to find the oldest of many entries would.
  let young = new Map<number, Window>()
  let old = new Map<number, Window>()

  function present(key: number): Window | undefined {
    const window = young.get(key) ?? old.get(key)
    return window !== undefined && window.until > monotonic() ? window : undefined
  }

  function begin(key: number): Window {
    if (young.size >= maxKeys / 2) {
      old = young
      young = new Map()
    }
    const window = fresh()
    young.set(key, window)
    return window
  }

  const fresh = (): Window => ({ used: 0, until: monotonic() + windowMs })

  return {
    charge(key) {
      const window = present(key) ?? begin(key)
      window.used++
      return window
    },
    refund(key) {
      const window = present(key)
      if (window !== undefined && window.used > 0) window.used--
    },
    read: (key) => present(key) ?? fresh(),
  }
}
