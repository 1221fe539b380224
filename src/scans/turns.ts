/** Lets one piece of work run at a time. Clients take turns, however much each of them wants. */
export interface Turns {
  /** Work never begins before the call has returned. */
  run: <T>(client: string, work: () => Promise<T>) => Promise<T>
}

/** How much may wait is bounded before it comes here. */
export function createTurns(): Turns {
  // A map keeps its order: the client whose turn it is stands first, and goes to the end when it has had it.
  const waiting = new Map<string, (() => Promise<void>)[]>()
  let isRunning = false

  async function runAll(): Promise<void> {
    for (let [first] = waiting; first !== undefined; [first] = waiting) {
      const [client, queue] = first
      const work = queue.shift()
      waiting.delete(client)
      if (queue.length > 0) waiting.set(client, queue)
      await work?.()
    }
    isRunning = false
  }

  return {
    run: (client, work) =>
      new Promise((resolve, reject) => {
        const queue = waiting.get(client) ?? []
        // What it throws is for whoever waits for it.
        queue.push(async () => work().then(resolve, reject))
        waiting.set(client, queue)
        if (isRunning) return
        isRunning = true
        queueMicrotask(() => void runAll())
      }),
  }
}
