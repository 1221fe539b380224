/**
 * Lets a call through at most once in `ms` milliseconds and drops the others: for what would be said again and again.
 * @param monotonic a clock that never goes back
 */
export function seldom<A extends unknown[]>(
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
