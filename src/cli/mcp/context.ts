import type { CommandContext } from '../command.ts'

/** What tools run with: they call the service that the person has named, and none that a text names. */
export type ToolContext = CommandContext & { isOnlyService: true }
