/** Does work at most once in `ms` milliseconds: whoever asks again sooner, or meanwhile, is given the same answer. */
export function kept<T>(ms: number, now: () => number, work: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined
  let askedAt = Number.NEGATIVE_INFINITY
  return () => {
    if (answer !== undefined && now() - askedAt < ms) return answer
    askedAt = now()
    return (answer = work())
  }
}
