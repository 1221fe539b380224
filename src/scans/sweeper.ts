/** Removes texts that no scan and no count has any more, after rows were removed. */
export interface Sweeper {
  /** To be called after rows were removed; calls during a sweep share the next one. */
  request: () => void
  /** Resolves when no sweep runs; none begins until the returned function is called. */
  hold: () => Promise<() => void>
}

export function createSweeper(sweep: () => Promise<void>, onError: (error: unknown) => void): Sweeper {
  let isWanted = false
  let isHeld = false
  let running: Promise<void> | undefined

  async function run(): Promise<void> {
    isWanted = false
    await sweep().catch(onError)
    running = undefined
    if (isWanted) request()
  }

  function request(): void {
    isWanted = true
    if (!isHeld) running ??= run()
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
