import { Worker } from 'node:worker_threads'
import type { TableTask } from './table-thread.ts'

/** For the numbers of the records and the names of the places (MiB). */
const HEAP = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 128 }

/**
 * Makes the table of a file on a thread of its own, which ends with it.
 * @throws when the file is damaged, wherever it is, or is about something else
 */
export function makeTable(task: TableTask): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  // Compiled, this file and the thread's are JavaScript.
  const thread = import.meta.url.endsWith('.ts') ? './table-thread.ts' : './table-thread.js'
  const worker = new Worker(new URL(thread, import.meta.url), { workerData: task, resourceLimits: HEAP })
  worker.once('message', () => resolve())
  worker.once('error', reject)
  worker.once('exit', () => reject(new Error('the thread that makes tables has ended')))
  return promise
}
