import type { Ask } from '../admin/client.ts'
import type { CommandShape, Flags } from '../config/config.ts'

/** One word of the command line that asks the running service to do something. */
export interface Command extends CommandShape {
  /** What follows the name, as the help shows it. */
  usage: string
  /** What it does, in one line. */
  summary: string
  /**
   * Does it, and answers what is printed; with a status other than 0 when what was looked at is not as it should be.
   * @throws {StartError} when it cannot be done; its message is what the operator reads
   */
  run: (call: Call) => Promise<string | Verdict>
}

/** What is printed, and the exit status. */
export interface Verdict {
  text: string
  status: number
}

/** A command as it was typed. */
export interface Call {
  words: string[]
  flags: Flags
  /** The folder of the service, for what is done while none runs. */
  dataDir: string
  ask: Ask
  /** Of this program. */
  version: string
}
