import { StartError } from '../../../lib/start-error.ts'
import type { Command, CommandContext } from '../../command.ts'
import { toSingleLine } from '../../table.ts'
import { openService } from '../service.ts'
import { end, look, rename } from './change.ts'
import { create, keep, rotate } from './create.ts'
import { add, remove } from './members.ts'
import { codes, labels } from './print.ts'
import { exportScans, list, show, stats } from './read.ts'
import type { Verb } from './verb.ts'

const verbs: readonly Verb[] = [
  create,
  add,
  remove,
  list,
  show,
  stats,
  exportScans,
  labels,
  codes,
  look,
  rename,
  rotate,
  keep,
  end,
]

/** Of each flag, what the first of these says of it. */
const options: Verb['options'] = Object.assign({}, ...verbs.toReversed().map((verb) => verb.options))

export const collection: Command = {
  name: 'collection',
  usage: '[<verb> …]',
  summary: 'create a collection of links and use it: one key for all of them; without a verb, list those that are kept',
  verbs,
  options,
  async run(context) {
    const [word, ...args] = context.args
    const { flags } = context
    const verb = verbs.find(({ name }) => name === word)
    if (word !== undefined && verb === undefined)
      throw new StartError(
        `"quirl collection" has no "${word}": give ${verbs.map(({ name }) => name).join(', ')}, or nothing to list those that are kept`,
      )
    const own: Verb['options'] = verb?.options ?? { server: options['server'] as Verb['options'][string] }
    const foreign = Object.keys(options).find((flag) => flags[flag] !== undefined && own[flag] === undefined)
    if (foreign !== undefined)
      throw new StartError(
        `--${foreign} does not go with "quirl ${['collection', ...(verb ? [verb.name] : [])].join(' ')}"`,
      )
    return verb === undefined ? listKept(context) : verb.run({ ...context, args })
  },
}

function listKept(context: CommandContext): string {
  const { server, collections } = openService(context)
  const names = collections.all(server).map(([name]) => toSingleLine(name))
  return names.length === 0 ? `no collection was kept for ${server}` : names.join('\n')
}
