/** Collects values, and passes them on at intervals. */
export interface ThrottledSet<T> {
  add: (value: T) => void
  /** Passes on what was added since the last time, at once or when the interval since then is over. */
  flush: () => void
}

/** @param pass called with each value once, not for an empty set */
export function createThrottledSet<T>(pass: (values: Set<T>) => void, intervalMs: number): ThrottledSet<T> {
  let values = new Set<T>()
  let timer: NodeJS.Timeout | undefined

  function flush(): void {
    if (timer !== undefined || values.size === 0) return
    const passed = values
    values = new Set()
    pass(passed)
    timer = setTimeout(() => {
      timer = undefined
      flush()
    }, intervalMs).unref()
  }

  return { add: (value) => void values.add(value), flush }
}
