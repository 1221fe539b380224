/**
 * Memoizes the result of `work` for `ms` milliseconds; callers in that time share it, also while it is pending.
 * @param monotonic a clock that never goes back
 */
export function memoizeFor<T>(ms: number, monotonic: () => number, work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  let startedAt = Number.NEGATIVE_INFINITY
  return () => {
    if (result !== undefined && monotonic() - startedAt < ms) return result
    startedAt = monotonic()
    return (result = work())
  }
}
