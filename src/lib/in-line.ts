/** Runs work on the same thing one after the other, first come, first served; work on other things goes on meanwhile. */
export interface InLine<K> {
  /**
   * @param work is told whether it had to wait: what was read before may have been changed since
   * @throws what `refusal` creates when it has waited for too long
   */
  run: <T>(key: K, work: (hasWaited: boolean) => Promise<T>) => Promise<T>
}

/**
 * @param waitMs how long work waits at most, in milliseconds
 * @param refusal creates what those are refused with who have waited for as long
 */
export function createInLine<K>(waitMs: number, refusal: () => Error): InLine<K> {
  /** Of each thing that is worked on, those who wait. */
  const lines = new Map<K, (() => void)[]>()

  function join(line: (() => void)[]): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const timer = setTimeout(() => {
      line.splice(line.indexOf(start), 1)
      reject(refusal())
    }, waitMs)
    function start(): void {
      clearTimeout(timer)
      resolve()
    }
    line.push(start)
    return promise
  }

  function leave(key: K): void {
    const next = lines.get(key)?.shift()
    if (next === undefined) lines.delete(key)
    else next()
  }

  return {
    async run(key, work) {
      const line = lines.get(key)
      if (line === undefined) lines.set(key, [])
      else await join(line)
      try {
        return await work(line !== undefined)
      } finally {
        leave(key)
      }
    },
  }
}
