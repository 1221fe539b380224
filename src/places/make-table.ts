import { withThread, type Thread } from '../lib/thread-calls.ts'
import type { TableCalls, TableTask } from './table-thread.ts'

/** Names are kept outside of it (MiB). */
const HEAP = { maxYoungGenerationSizeMb: 6, maxOldGenerationSizeMb: 64 }

/**
 * Makes the table of a file on a thread of its own, which ends with it, or when that is no longer wanted.
 * @throws when the file is damaged, wherever it is, or is about something else
 */
export function makeTable(task: TableTask, signal: AbortSignal): Promise<void> {
  const options = { name: 'the thread that makes tables', heap: HEAP, signal }
  return withThread(new URL('./table-thread.ts', import.meta.url), options, (thread: Thread<TableCalls>) =>
    thread.call('make', task),
  )
}
