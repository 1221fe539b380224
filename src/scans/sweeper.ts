/** Removes texts that no scan and no count has any more, after rows were removed. */
export interface Sweeper {
  /** To be called after rows were removed; calls during a sweep, or the pause after it, share the next one. */
  request: () => void
  /** Resolves when no sweep runs; none begins until the returned function is called. */
  hold: () => Promise<() => void>
}

/** How many times as long as a sweep the pause after it is: who deletes link after link gets a tenth of the thread. */
const PAUSE = 9

/** @param monotonic milliseconds that only grow */
export function createSweeper(
  sweep: () => Promise<void>,
  onError: (error: unknown) => void,
  monotonic = () => performance.now(),
): Sweeper {
  let isWanted = false
  let isHeld = false
  let isPausing = false
  let running: Promise<void> | undefined

  async function run(): Promise<void> {
    isWanted = false
    isPausing = true
    const begin = monotonic()
    await sweep().catch(onError)
    running = undefined
    setTimeout(goOn, PAUSE * (monotonic() - begin)).unref()
  }

  function goOn(): void {
    isPausing = false
    if (isWanted) request()
  }

  function request(): void {
    isWanted = true
    if (!isHeld && !isPausing) running ??= run()
  }

  return {
    request,
    async hold() {
      isHeld = true
      await running
      return () => {
        isHeld = false
        if (isWanted) request()
      }
    },
  }
}
