import type { Rekeyed } from '../abuse/rekey.ts'
import { singleArgument } from './arguments.ts'
import { reason } from './block.ts'
import type { Command } from './command.ts'

export const rekey: Command = {
  name: 'rekey',
  usage: '<code>',
  summary: 'give out a new private address of a link whose owner has lost it; the page of the link says so',
  options: { reason: { ...reason, doc: 'the reason, for the audit log' } },
  async run({ args, flags, call }) {
    const input = { subject: singleArgument(args, 'code'), reason: flags['reason'] }
    const { code, manage_url: url } = (await call('rekey', input)) as Rekeyed
    const overlap = 'The old private address works until the new one is opened, but no longer than an hour.'
    return `${code} has a new private address, which is shown only here:\n${url}\n${overlap}`
  },
}
