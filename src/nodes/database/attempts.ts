import { createBackOff } from './back-off.ts'

/** The attempts of a pool to open connections. */
export interface Attempts {
  /**
   * Begins one, and returns what is to be called with its error, or null.
   * @throws the error of the last one, while the next has to wait
   */
  begin: () => (error: Error | null) => void
}

/**
 * Bounds how often a pool knocks at a server that lets nobody in: requests come in thousands a second, and each would open a
 * connection that is refused at once. After a failure there is one attempt at a time, with a pause before each.
 */
export function createAttempts(monotonic: () => number): Attempts {
  const backOff = createBackOff()
  let failure: Error | undefined
  let nextAt = 0
  let isTrying = false

  function end(error: Error | null, isAgain: boolean): void {
    if (isAgain) isTrying = false
    if (error === null) {
      failure = undefined
      backOff.reset()
    } else if (isAgain || failure === undefined) {
      // Those that began before the first failure are one with it.
      failure = error
      nextAt = monotonic() + backOff.next()
    }
  }

  return {
    begin() {
      const isAgain = failure !== undefined
      if (failure !== undefined && (isTrying || monotonic() < nextAt)) throw failure
      if (isAgain) isTrying = true
      let isOver = false
      return (error) => {
        if (isOver) return
        isOver = true
        end(error, isAgain)
      }
    },
  }
}
