/** Lets one after the other in, in the order in which they came. */
export interface Queue {
  /** Each calls what it got to let the next one in. */
  enter: () => Promise<() => void>
  /** Whether nobody is in, and nobody waits. */
  isFree: () => boolean
}

export function createQueue(): Queue {
  let last = Promise.resolve()
  let present = 0
  return {
    isFree: () => present === 0,
    async enter() {
      const { promise, resolve } = Promise.withResolvers<void>()
      const before = last
      last = promise
      present++
      await before
      return () => {
        present--
        resolve()
      }
    },
  }
}
