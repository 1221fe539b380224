/** Wakes work that waits for something to do. */
export interface Bell {
  /** Ends the present wait; without one, the next one ends at once. */
  ring: () => void
  /** Resolves when it is rung, and after a time. One at a time waits. */
  wait: (ms: number) => Promise<void>
}

export function createBell(): Bell {
  let isRung = false
  let end = () => {}
  return {
    ring() {
      isRung = true
      end()
    },
    async wait(ms) {
      if (!isRung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms)
          end = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      end = () => {}
      isRung = false
    },
  }
}
