/** What was opened, and how each of it is closed. */
export interface Closing {
  /** Adds what is to be closed before everything that was added earlier. */
  add: (name: string, close: () => Promise<void> | void) => void
  /**
   * Closes everything in reverse, each also when another has failed; what fails is told to `onFault`.
   * @throws what failed, when anything did
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
