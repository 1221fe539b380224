/** What ends work that takes too long. */
export interface Deadline {
  /** Milliseconds. */
  ms: number
  /** Aborts when the result is no longer wanted. */
  signal?: AbortSignal | undefined
  /** Creates the error after that time. */
  tooLate: () => Error
}

/**
 * Runs work until a deadline. The work is told by its signal, and has to end soon; its result is not waited for.
 * @returns what the work returns
 * @throws what the work throws, or `tooLate` after the time
 */
export async function within<T>(
  { ms, signal, tooLate }: Deadline,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController()
  const ended = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    const error = tooLate()
    late.abort(error)
    ended.reject(error)
  }, ms)
  try {
    return await Promise.race([
      work(signal === undefined ? late.signal : AbortSignal.any([signal, late.signal])),
      ended.promise,
    ])
  } finally {
    clearTimeout(timer)
  }
}
