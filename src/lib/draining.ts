/** Whether the process is shutting down. */
export interface Draining {
  begun: () => boolean
  /**
   * @param withinMs how long the listeners may take
   * @returns resolves when all that listeners have to finish is finished
   */
  begin: (withinMs?: number) => Promise<void>
  /**
   * Calls back when it begins, at once if it has.
   * @param listener its promise is waited for
   * @returns removes the listener
   */
  onBegin: (listener: DrainListener) => () => void
}

type DrainListener = (withinMs?: number) => Promise<void> | void

export function createDraining(): Draining {
  const listeners = new Set<DrainListener>()
  let begun = false
  return {
    begun: () => begun,
    async begin(withinMs) {
      begun = true
      await Promise.all([...listeners].map(async (listener) => listener(withinMs)))
    },
    onBegin: (listener) => {
      if (begun) void listener()
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
