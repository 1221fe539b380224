import { Worker } from 'node:worker_threads'
import type { ParsedList, ParseTask } from './parse-thread.ts'

/** A list is read line by line; this is for what a line leaves behind (MiB). */
const HEAP = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 128 }

/** Reads the file of a list on a thread of its own, which ends with it. */
export function parseList(task: ParseTask): Promise<ParsedList> {
  const { promise, resolve, reject } = Promise.withResolvers<ParsedList>()
  // Compiled, this file and the thread's are JavaScript.
  const thread = import.meta.url.endsWith('.ts') ? './parse-thread.ts' : './parse-thread.js'
  const worker = new Worker(new URL(thread, import.meta.url), { workerData: task, resourceLimits: HEAP })
  worker.once('message', resolve)
  worker.once('error', reject)
  worker.once('exit', () => reject(new Error('the thread that reads lists has ended')))
  return promise
}
