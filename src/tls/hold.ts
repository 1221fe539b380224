/** Bounds how many connections wait for something. */
export interface Hold {
  /**
   * Does the work on behalf of a connection, which waits for it until the signal is aborted. Undefined, and the work does not
   * begin, when too many wait.
   */
  wait: <T>(ended: AbortSignal, work: () => Promise<T>) => Promise<T | undefined>
  isFull: () => boolean
}

/** @param max connections that may wait at the same time */
export function createHold(max: number): Hold {
  let held = 0
  return {
    isFull: () => held >= max,
    async wait(ended, work) {
      if (held >= max || ended.aborted) return undefined
      held++
      let isHeld = true
      const release = () => {
        if (isHeld) held--
        isHeld = false
      }
      ended.addEventListener('abort', release, { once: true })
      try {
        return await work()
      } finally {
        ended.removeEventListener('abort', release)
        release()
      }
    },
  }
}
