/** Lets a call through at most once in `ms` milliseconds and drops the others: for what would be said again and again. */
export function seldom<A extends unknown[]>(
  ms: number,
  now: () => number,
  call: (...args: A) => void,
): (...args: A) => void {
  let calledAt = Number.NEGATIVE_INFINITY
  return (...args) => {
    if (now() - calledAt < ms) return
    calledAt = now()
    call(...args)
  }
}
