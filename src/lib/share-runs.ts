/** Calls during a run share that run. */
export function shareRun<T>(run: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  return () => (running ??= run().finally(() => (running = undefined)))
}

/** Runs by name. */
export interface SharedRuns<T> {
  /** Calls for a name that already runs share that run. */
  share: (name: string, run: () => Promise<T>) => Promise<T>
  has: (name: string) => boolean
  count: () => number
}

/** @param max runs at the same time; others wait until one ends, in the order in which they came */
export function createSharedRuns<T>(max = Number.POSITIVE_INFINITY): SharedRuns<T> {
  const running = new Map<string, Promise<T>>()
  const waiting: (() => void)[] = []
  let free = max

  async function runInTurn(run: () => Promise<T>): Promise<T> {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve))
    else free--
    try {
      return await run()
    } finally {
      const next = waiting.shift()
      if (next === undefined) free++
      else next()
    }
  }

  return {
    share(name, run) {
      const present = running.get(name)
      if (present !== undefined) return present
      const mine = runInTurn(run).finally(() => running.delete(name))
      running.set(name, mine)
      return mine
    },
    has: (name) => running.has(name),
    count: () => running.size,
  }
}
