import { createFairPool } from './fair-pool.ts'
import type { Holder } from './holder.ts'

/** Calls `render` when its turn has come: at once, unless something was rendered in this iteration of the event loop. */
export type RenderInTurn = (holder: Holder, render: () => void) => void

/**
 * Renders one page in each iteration of the event loop, of each network in turn. A page takes milliseconds, a redirect
 * microseconds: without turns, those for which requests have waited together would be rendered one after the other while
 * everybody else waits. Nobody is refused: each that waits has a connection, and those are bounded.
 */
export function createRenderTurns(): RenderInTurn {
  const waiting = createFairPool<() => void>({ capacity: Infinity })
  let isBusy = false

  function renderNext(): void {
    const render = waiting.take()
    isBusy = render !== undefined
    if (render === undefined) return
    setImmediate(renderNext)
    render()
  }

  return (holder, render) => {
    if (isBusy) return void waiting.put(render, holder)
    isBusy = true
    setImmediate(renderNext)
    render()
  }
}
