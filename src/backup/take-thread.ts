// The thread that copies the databases: SQLite lets nothing else happen on a thread while it does.
import { isDiskFull } from '../db/sqlite-errors.ts'
import { lowerPriority } from '../lib/background-thread.ts'
import { answerCalls, notify } from '../lib/thread-calls.ts'
import { takeCopies, type Taken, type TakeOptions } from './take.ts'

lowerPriority()
const calls = {
  /** Tells each step; what went wrong is for the operator. */
  async take(options: TakeOptions): Promise<Taken | { fault: string }> {
    let step = 'the journal'
    try {
      return await takeCopies(options, (next) => {
        step = next
        notify(step)
      })
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      return { fault: isDiskFull(error) ? `the disk of ${options.folder} is full` : `${step}: ${reason}` }
    }
  },
}

/** What can be asked of the thread. */
export type TakeCalls = typeof calls

answerCalls(calls)
