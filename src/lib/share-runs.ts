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

export function createSharedRuns<T>(): SharedRuns<T> {
  const running = new Map<string, Promise<T>>()
  return {
    share(name, run) {
      const present = running.get(name)
      if (present !== undefined) return present
      const mine = run().finally(() => running.delete(name))
      running.set(name, mine)
      return mine
    },
    has: (name) => running.has(name),
    count: () => running.size,
  }
}
