import { createFairPool } from './fair-pool.ts'
import type { Holder } from './holder.ts'

/** Turns at the time of the event loop. */
export interface RenderTurns {
  /** Whether whoever asks now renders at once. */
  isFree: () => boolean
  /**
   * Calls `render` when its turn has come: at once, unless something was rendered in this iteration of the event loop.
   * @returns to be called when it is no longer wanted
   */
  wait: (holder: Holder, render: () => void) => () => void
}

/**
 * Renders one page in each iteration of the event loop, of each network in turn. A page takes milliseconds, a redirect
 * microseconds: without turns, those for which requests have waited together would be rendered one after the other while
 * everybody else waits. Nobody is refused: each that waits has a connection, and those are bounded.
 */
export function createRenderTurns(): RenderTurns {
  const waiting = createFairPool<() => void>({ capacity: Infinity })
  let isBusy = false

  function renderNext(): void {
    const render = waiting.take()
    isBusy = render !== undefined
    if (render === undefined) return
    setImmediate(renderNext)
    render()
  }

  return {
    isFree: () => !isBusy,
    wait(holder, render) {
      if (isBusy) {
        waiting.put(render, holder)
        return () => void waiting.remove(render)
      }
      isBusy = true
      setImmediate(renderNext)
      render()
      return () => {}
    },
  }
}
