import { startThread, type Thread } from '../lib/thread-calls.ts'
import type { ThreadCalls, ThreadOptions } from './warehouse-thread.ts'

/** The warehouse's thread, seen from the thread of the visits. */
export interface WarehouseClient {
  call: Thread<ThreadCalls>['call']
  close: () => Promise<void>
}

/** A fold needs no more than this (MiB). */
const HEAP = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 192 }

/** How long the thread may take to close its files. What it is at then is undone by the next start. */
const CLOSE_MS = 1000

/**
 * Starts the thread with the first call. Should it end by itself, the calls that wait fail, `onFailure` is told, and the next call
 * starts it anew: what it had not kept is still in the journal.
 */
export function startWarehouse(data: ThreadOptions, onFailure: (error: unknown) => void): WarehouseClient {
  /** The one that takes calls. */
  let thread: Thread<ThreadCalls> | undefined
  /** It may have failed, and not have let go of its files yet. */
  let last: Thread<ThreadCalls> | undefined
  let isClosed = false

  function start(): Thread<ThreadCalls> {
    const onEnd = (reason: unknown) => {
      if (thread !== started) return
      thread = undefined
      onFailure(reason)
    }
    const options = { name: "the warehouse's thread", data, heap: HEAP, onEnd }
    const started = startThread<ThreadCalls>(new URL('./warehouse-thread.ts', import.meta.url), options)
    return (last = started)
  }

  const call: WarehouseClient['call'] = (name, ...args) => {
    if (isClosed) return Promise.reject(new Error('the warehouse is closed'))
    thread ??= start()
    return thread.call(name, ...args)
  }

  return {
    call,
    async close() {
      // A thread that has ended by itself is not started again to be told to.
      const told = thread === undefined ? undefined : call('close')
      isClosed = true
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, CLOSE_MS)))
      try {
        await Promise.race([told, late])
      } finally {
        thread = undefined
        await Promise.race([last?.terminate(), late])
        clearTimeout(timer)
      }
    },
  }
}
