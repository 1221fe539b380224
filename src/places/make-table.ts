import { Worker } from 'node:worker_threads'
import type { TableTask } from './table-thread.ts'

/** Names are kept outside of it (MiB). */
const HEAP = { maxYoungGenerationSizeMb: 6, maxOldGenerationSizeMb: 64 }

/**
 * Makes the table of a file on a thread of its own, which ends with it, or when that is no longer wanted.
 * @throws when the file is damaged, wherever it is, or is about something else
 */
export function makeTable(task: TableTask, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  // Compiled, this file and the thread's are JavaScript.
  const thread = import.meta.url.endsWith('.ts') ? './table-thread.ts' : './table-thread.js'
  const worker = new Worker(new URL(thread, import.meta.url), { workerData: task, resourceLimits: HEAP })
  const stop = () => void worker.terminate()
  signal.addEventListener('abort', stop)
  worker.once('message', () => resolve())
  worker.once('error', reject)
  worker.once('exit', () => {
    signal.removeEventListener('abort', stop)
    reject(new Error('the thread that makes tables has ended'))
  })
  if (signal.aborted) stop()
  return promise
}
