import { StartError } from '../lib/start-error.ts'

/** The exit statuses of the commands for owners, which docs/cli.md lists. */
export const exits = { refused: 1, partly: 2, unreachable: 3 } as const

/** An expected error of a command that ends with a status of its own. */
export class CommandError extends StartError {
  readonly status: number

  constructor(message: string, status: number, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }
}
