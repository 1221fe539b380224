/**
 * Does work at most once in `ms` milliseconds: whoever asks again sooner, or meanwhile, is given the same answer.
 * @param monotonic a clock that never goes back
 */
export function kept<T>(ms: number, monotonic: () => number, work: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined
  let askedAt = Number.NEGATIVE_INFINITY
  return () => {
    if (answer !== undefined && monotonic() - askedAt < ms) return answer
    askedAt = monotonic()
    return (answer = work())
  }
}
