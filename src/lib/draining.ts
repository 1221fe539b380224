/** Whether the process is shutting down. */
export interface Draining {
  begun: () => boolean
  begin: () => void
  /** @returns removes the listener */
  onBegin: (listener: () => void) => () => void
}

export function createDraining(): Draining {
  const listeners = new Set<() => void>()
  let begun = false
  return {
    begun: () => begun,
    begin: () => {
      begun = true
      for (const listener of listeners) listener()
    },
    onBegin: (listener: () => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
