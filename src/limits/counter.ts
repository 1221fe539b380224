/** What one client has used of one limit. */
export interface Window {
  used: number
  /** When the count starts anew, in milliseconds since 1970. */
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

/** @param maxKeys what is kept at most; beyond it the windows that end first are forgotten */
export function createCounter(options: { windowMs: number; maxKeys: number; now: () => number }): Counter {
  const { windowMs, maxKeys, now } = options
  // All windows are equally long and are added when they begin, so that the first to end comes first.
  const windows = new Map<number, Window>()

  function makeRoom(): void {
    for (const [key, { until }] of windows) {
      if (until > now() && windows.size < maxKeys) return
      windows.delete(key)
    }
  }

  function present(key: number): Window | undefined {
    const window = windows.get(key)
    return window !== undefined && window.until > now() ? window : undefined
  }

  const fresh = (): Window => ({ used: 0, until: now() + windowMs })

  return {
    charge(key) {
      let window = present(key)
      if (window === undefined) {
        windows.delete(key)
        makeRoom()
        windows.set(key, (window = fresh()))
      }
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
