/** Runs one task at a time, round-robin over clients, however many tasks each of them queues. */
export interface FairQueue {
  /** A task never starts before this call has returned. */
  run: <T>(client: string, task: () => Promise<T>) => Promise<T>
  /** Tasks that wait. */
  length: () => number
}

/** The caller bounds how many tasks wait. */
export function createFairQueue(): FairQueue {
  // A map keeps insertion order: the first client is served next, and then moves to the end.
  const waiting = new Map<string, (() => Promise<void>)[]>()
  let isRunning = false
  let length = 0

  async function runAll(): Promise<void> {
    for (let [first] = waiting; first !== undefined; [first] = waiting) {
      const [client, tasks] = first
      const task = tasks.shift()
      waiting.delete(client)
      if (tasks.length > 0) waiting.set(client, tasks)
      length--
      await task?.()
    }
    isRunning = false
  }

  return {
    run: (client, task) =>
      new Promise((resolve, reject) => {
        const tasks = waiting.get(client) ?? []
        // Its caller handles what the task throws.
        tasks.push(async () => task().then(resolve, reject))
        waiting.set(client, tasks)
        length++
        if (isRunning) return
        isRunning = true
        queueMicrotask(() => void runAll())
      }),
    length: () => length,
  }
}
