/** Bounds how many connections wait for something. */
export interface Hold {
  /**
   * Does the work on behalf of a connection, which waits for it until the signal is aborted. Undefined, and the work does not
   * begin, when too many wait.
   */
  wait: <T>(ended: AbortSignal, holders: readonly Share[], work: () => Promise<T>) => Promise<T | undefined>
  /** Whether no further connection of these may wait. */
  isFull: (holders: readonly Share[]) => boolean
}

/** On whose behalf a connection waits, and how many of it may at the same time. */
export interface Share {
  holder: string
  most: number
}

/** @param max connections that may wait at the same time */
export function createHold(max: number): Hold {
  let held = 0
  const byHolder = new Map<string, number>()
  const isFull = (holders: readonly Share[]) =>
    held >= max || holders.some(({ holder, most }) => (byHolder.get(holder) ?? 0) >= most)
  const change = (holders: readonly Share[], by: number) => {
    held += by
    for (const { holder } of holders) {
      const count = (byHolder.get(holder) ?? 0) + by
      if (count === 0) byHolder.delete(holder)
      else byHolder.set(holder, count)
    }
  }
  return {
    isFull,
    async wait(ended, holders, work) {
      if (isFull(holders) || ended.aborted) return undefined
      change(holders, 1)
      let isHeld = true
      const release = () => {
        if (isHeld) change(holders, -1)
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
