import { singleArgument } from './arguments.ts'
import { reason, SUBJECT } from './block.ts'
import type { Command } from './command.ts'

interface Unblocked {
  code?: string
  entry: string
  allowed: boolean
  restored: number
  still: { entry: string; list?: string } | null
}

export const unblock: Command = {
  name: 'unblock',
  usage: '<code|host|url>',
  summary: 'undo a removal or a block, or allow a host or URL that is on a list',
  options: { reason },
  async run({ args, flags, call }) {
    const input = { subject: singleArgument(args, SUBJECT), reason: flags['reason'] }
    const { code, entry, allowed, restored, still } = (await call('unblock', input)) as Unblocked
    if (code !== undefined) return `${code} is back`
    const by = still?.list === undefined ? `your block of ${still?.entry}` : `the list ${still.list}`
    return [
      allowed ? `${entry} is allowed although it is on a list` : `${entry} is no longer blocked by you`,
      `${restored} ${restored === 1 ? 'link is' : 'links are'} back`,
      ...(still === null ? [] : [`${by} still blocks it: run "quirl unblock ${entry}" once more to allow it`]),
    ].join('\n')
  },
}
