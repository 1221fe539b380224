import { singleArgument } from './arguments.ts'
import { reason } from './block.ts'
import type { Command, CommandContext } from './command.ts'

export const warn: Command = {
  name: 'warn',
  usage: '<code>',
  summary: 'show browsers a page that names the destination of a code before they go on',
  options: { reason },
  async run(context) {
    return `${await set(context, 'warn')} has a warning: browsers see it first, programs are redirected as before`
  },
}

export const unwarn: Command = {
  name: 'unwarn',
  usage: '<code>',
  summary: 'take the warning of a code away',
  options: { reason },
  async run(context) {
    return `${await set(context, 'unwarn')} has no warning any more`
  },
}

/** @returns the code in its owner's spelling */
async function set({ args, flags, call }: CommandContext, operation: 'warn' | 'unwarn'): Promise<string> {
  const input = { subject: singleArgument(args, 'code'), reason: flags['reason'] }
  return ((await call(operation, input)) as { code: string }).code
}
