/** Closes opened resources in reverse order. */
export interface Closing {
  /** Adds a resource, which is closed before all that were added earlier. */
  add: (name: string, close: () => Promise<void> | void) => void
  /**
   * Closes all resources, also when some fail; calls `onFault` for each that fails.
   * @throws the error, or a `SuppressedError` of several
   */
  close: () => Promise<void>
}

export function createClosing(onFault: (error: unknown, name: string) => void): Closing {
  const stack = new AsyncDisposableStack()
  return {
    add(name, close) {
      stack.defer(async () => {
        try {
          await close()
        } catch (error) {
          onFault(error, name)
          throw error
        }
      })
    },
    close: () => stack.disposeAsync(),
  }
}
