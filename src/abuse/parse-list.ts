import { withThread, type Thread } from '../lib/thread-calls.ts'
import type { ParseCalls, ParsedList, ParseTask } from './parse-thread.ts'

/** Heap limits in MiB: a list is parsed in batches of lines. */
const HEAP = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 128 }

/** Parses the file of a list on a new thread. */
export function parseList(task: ParseTask): Promise<ParsedList> {
  const options = { name: 'the thread that parses lists', heap: HEAP }
  return withThread(new URL('./parse-thread.ts', import.meta.url), options, (thread: Thread<ParseCalls>) =>
    thread.call('parse', task),
  )
}
