/** Mutual exclusion, first come, first served. */
export interface Mutex {
  /** Resolves with the function that releases it. */
  acquire: () => Promise<() => void>
  /** Whether nobody holds it or waits for it. */
  isFree: () => boolean
}

export function createMutex(): Mutex {
  let last = Promise.resolve()
  let users = 0
  return {
    isFree: () => users === 0,
    async acquire() {
      const { promise, resolve } = Promise.withResolvers<void>()
      const previous = last
      last = promise
      users++
      await previous
      return () => {
        users--
        resolve()
      }
    },
  }
}
