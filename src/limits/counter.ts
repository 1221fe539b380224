/** The usage of one key in its current window. */
export interface Window {
  used: number
  /** The end of the window, on the counter's clock. */
  until: number
}

/** Counts by key in windows of a fixed length, each of which begins with its first charge. */
export interface Counter {
  charge: (key: number) => Window
  refund: (key: number) => void
  /** The current window; an unused one for an unknown key. */
  read: (key: number) => Window
}

/**
 * @param maxKeys keys in memory at most; past that, at least the half whose windows began last remain
 * @param monotonic a clock that never goes back
 */
export function createCounter(options: { windowMs: number; maxKeys: number; monotonic: () => number }): Counter {
  const { windowMs, maxKeys, monotonic } = options
  // Two generations: dropping the old one is cheap, while finding the oldest of many windows is not.
  let young = new Map<number, Window>()
  let old = new Map<number, Window>()

  function current(key: number): Window | undefined {
    const window = young.get(key) ?? old.get(key)
    return window !== undefined && window.until > monotonic() ? window : undefined
  }

  function begin(key: number): Window {
    if (young.size >= maxKeys / 2) {
      old = young
      young = new Map()
    }
    const window = unused()
    young.set(key, window)
    return window
  }

  const unused = (): Window => ({ used: 0, until: monotonic() + windowMs })

  return {
    charge(key) {
      const window = current(key) ?? begin(key)
      window.used++
      return window
    },
    refund(key) {
      const window = current(key)
      if (window !== undefined && window.used > 0) window.used--
    },
    read: (key) => current(key) ?? unused(),
  }
}
