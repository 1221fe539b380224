import { StoreUnavailable } from '../db/unavailable.ts'
import { startThread, type Thread } from '../lib/thread-calls.ts'
import type { WarehouseCalls } from './warehouse-calls.ts'

/** The calls as a thread offers them. */
type ThreadCalls = { [Name in keyof WarehouseCalls]: WarehouseCalls[Name] }

/** The main thread's side of the warehouse's thread. */
export interface WarehouseClient {
  call: Thread<ThreadCalls>['call']
  close: () => Promise<void>
}

/** The thread of a store, and the data that it starts with. */
export interface WarehouseThread {
  module: URL
  data: object
}

/** Enough for a fold (MiB). */
const HEAP = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 192 }

/** How long the thread may take to close its files; SQLite rolls back what is interrupted then. */
const CLOSE_MS = 1000

/**
 * Starts the thread at the first call. When it ends by itself, its calls reject, `onFailure` is called, and the next call
 * restarts it: the journal still has the scans that it had not committed.
 */
export function startWarehouse(
  { module, data }: WarehouseThread,
  onFailure: (error: unknown) => void,
): WarehouseClient {
  /** The thread that takes calls. */
  let thread: Thread<ThreadCalls> | undefined
  /** The latest thread, which may have failed without having closed its files yet. */
  let last: Thread<ThreadCalls> | undefined
  let isClosed = false

  function start(): Thread<ThreadCalls> {
    const onEnd = (reason: unknown) => {
      if (thread !== started) return
      thread = undefined
      onFailure(reason)
    }
    const options = { name: "the warehouse's thread", data, heap: HEAP, onEnd }
    const started = startThread<ThreadCalls>(module, options)
    return (last = started)
  }

  const call: WarehouseClient['call'] = (name, ...args) => {
    if (isClosed) return Promise.reject(new StoreUnavailable('the warehouse is closed'))
    thread ??= start()
    return thread.call(name, ...args)
  }

  return {
    call,
    async close() {
      // A thread that has ended by itself is not restarted for this.
      const closed = thread === undefined ? undefined : call('close')
      isClosed = true
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, CLOSE_MS)))
      try {
        await Promise.race([closed, late])
      } finally {
        thread = undefined
        await Promise.race([last?.terminate(), late])
        clearTimeout(timer)
      }
    },
  }
}
