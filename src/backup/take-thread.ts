// The thread that copies the databases: SQLite lets nothing else happen on a thread while it does.
import { parentPort, workerData } from 'node:worker_threads'
import { isDiskFull } from '../db/sqlite-errors.ts'
import { giveWay } from '../lib/background-thread.ts'
import { takeCopies, type Taken, type TakeOptions } from './take.ts'

/** What the thread says: what it does next, and at last what it has done, or why it cannot. */
export type TakeMessage = { step: string } | { taken: Taken } | { fault: string }

const port = parentPort
if (port === null) throw new Error('this module runs on a thread of its own')
const say = (message: TakeMessage) => port.postMessage(message)
const options = workerData as TakeOptions
let step = 'the journal'

giveWay()
try {
  const taken = await takeCopies(options, (next) => {
    step = next
    say({ step })
  })
  say({ taken })
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error)
  say({ fault: isDiskFull(error) ? `the disk of ${options.folder} is full` : `${step}: ${reason}` })
}
