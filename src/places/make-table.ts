import { withThread, type Thread } from '../lib/thread-calls.ts'
import type { TableCalls, TableTask } from './table-thread.ts'

/** In MiB; names are stored outside of the heap. */
const HEAP = { maxYoungGenerationSizeMb: 6, maxOldGenerationSizeMb: 64 }

/**
 * Converts a file into a table on a thread, which ends afterwards, or when the signal aborts.
 * @throws when the file is damaged anywhere, or has no places
 */
export function makeTable(task: TableTask, signal: AbortSignal): Promise<void> {
  const options = { name: 'the thread that makes tables', heap: HEAP, signal }
  return withThread(new URL('./table-thread.ts', import.meta.url), options, (thread: Thread<TableCalls>) =>
    thread.call('make', task),
  )
}
