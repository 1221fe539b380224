import type { Command } from './command.ts'
import { status } from './status.ts'

/** Every command but "serve", in the order of the help. */
export const commands: readonly Command[] = [status]
