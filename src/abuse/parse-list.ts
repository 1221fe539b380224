import { withThread, type Thread } from '../lib/thread-calls.ts'
import type { ParseCalls, ParsedList, ParseTask } from './parse-thread.ts'

/** A list is read line by line; this is for what a line leaves behind (MiB). */
const HEAP = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 128 }

/** Reads the file of a list on a thread of its own, which ends with it. */
export function parseList(task: ParseTask): Promise<ParsedList> {
  const options = { name: 'the thread that reads lists', heap: HEAP }
  return withThread(new URL('./parse-thread.ts', import.meta.url), options, (thread: Thread<ParseCalls>) =>
    thread.call('parse', task),
  )
}
