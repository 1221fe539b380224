import type { CallOperation } from '../operator/client.ts'
import type { CommandShape } from '../config/config.ts'
import type { Flags, SetSettings } from '../config/sources.ts'

/** A command of `quirl`. */
export interface Command extends CommandShape {
  /** What follows the name, as the help shows it. */
  usage: string
  /** One line for the help. */
  summary: string
  /** The words of which one may follow the name, for the help and completions. */
  verbs?: readonly Pick<Command, 'name' | 'usage' | 'summary'>[]
  /**
   * Runs the command and returns the text to print.
   * @throws {StartError} when it fails; the operator reads its message
   */
  run: (context: CommandContext) => Promise<string | CommandResult>
}

/** The text to print, and the exit status: not 0 when a check found a fault. */
export interface CommandResult {
  text: string
  /** A line for standard error. */
  warning?: string
  status: number
  /** Called when a text with the only copy of a secret could not be printed. Returns what became of it, for standard error. */
  onUnprinted?: () => Promise<string | undefined>
}

/** What a command runs with. */
export interface CommandContext {
  /** The positional arguments after the command's name. */
  args: string[]
  flags: Flags
  /** Every setting, and where its value comes from. */
  set: SetSettings
  env: NodeJS.ProcessEnv
  /** The folder of the service, for commands that work without a running one. */
  dataDir: string
  databaseUrl: string | undefined
  /** Calls an operation of the running service. */
  call: CallOperation
  /** The version of this program. */
  version: string
}
