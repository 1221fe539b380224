import type { AddedKey, KeysResult } from '../keys/operator.ts'
import { StartError } from '../lib/start-error.ts'
import { singleArgument } from './arguments.ts'
import type { Command, CommandContext, CommandResult } from './command.ts'
import { formatTable, formatTime } from './table.ts'

export const keys: Command = {
  name: 'keys',
  usage: '[list|add <name>|remove <name>]',
  summary: 'list, add or remove the access codes with which links are created where CREATE=token',
  async run({ args, call }) {
    const [verb = 'list', ...names] = args
    if (verb === 'list' && names.length === 0) return list((await call('keys')) as KeysResult)
    if (verb !== 'add' && verb !== 'remove')
      throw new StartError('give "list", "add" and a name, or "remove" and a name')
    const name = singleArgument(names, 'name')
    if (verb === 'add') {
      const added = describe((await call('add-key', { name })) as AddedKey)
      return { ...added, onUnprinted: () => removeUnprinted(call, name) }
    }
    await call('remove-key', { name })
    return `the access code of ${name} is removed: nothing can be created with it any more`
  },
}

function list({ keys: found, mode }: KeysResult): CommandResult {
  const rows = found.map(({ name, createdAt, usedOn }) => [name, formatTime(createdAt), usedOn ?? 'never'])
  const text =
    rows.length === 0 ? 'there are no access codes' : formatTable([['NAME', 'SINCE (UTC)', 'LAST USED'], ...rows])
  return { text, ...warningOf(mode), status: 0 }
}

/** The key alone on standard output: a script can store it. */
function describe({ name, key, mode }: AddedKey): CommandResult {
  const { warning } = warningOf(mode)
  const note = `this is the access code of ${name}; it is not shown again`
  return { text: key, warning: warning === undefined ? note : `${note}; ${warning}`, status: 0 }
}

/** Nobody has read the key: another one can be added under the name. */
async function removeUnprinted(call: CommandContext['call'], name: string): Promise<string> {
  await call('remove-key', { name })
  return `the access code of ${name} is removed`
}

function warningOf(mode: string): { warning?: string } {
  return mode === 'token'
    ? {}
    : { warning: `no access code is asked for, because CREATE=${mode}; it would be with CREATE=token` }
}
