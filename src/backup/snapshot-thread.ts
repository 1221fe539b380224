// The thread that copies the databases: SQLite copies synchronously.
import { isDiskFull } from '../db/sqlite/errors.ts'
import { lowerPriority } from '../lib/background-thread.ts'
import { answerCalls, notify } from '../lib/thread-calls.ts'
import { takeSnapshot, type Snapshot, type SnapshotOptions } from './snapshot.ts'

lowerPriority()
const calls = {
  /** Notifies of each step; a fault is a text for the operator. */
  async take(options: SnapshotOptions): Promise<Snapshot | { fault: string }> {
    let step = 'the journal'
    try {
      return await takeSnapshot(options, (next) => {
        step = next
        notify(step)
      })
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      return { fault: isDiskFull(error) ? `the disk of ${options.folder} is full` : `${step}: ${reason}` }
    }
  },
}

/** The calls that the thread takes. */
export type SnapshotCalls = typeof calls

answerCalls(calls)
