/**
 * Passes on at most one call in `ms` milliseconds, and drops the others.
 * @param monotonic a clock that never goes back
 */
export function throttle<A extends unknown[]>(
  ms: number,
  monotonic: () => number,
  call: (...args: A) => void,
): (...args: A) => void {
  let calledAt = Number.NEGATIVE_INFINITY
  return (...args) => {
    if (monotonic() - calledAt < ms) return
    calledAt = monotonic()
    call(...args)
  }
}
