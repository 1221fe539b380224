import { oneWord, reason } from './block.ts'
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
  summary: 'take a removal or a block back, or allow what is on a list',
  options: { reason },
  async run(call) {
    const input = { subject: oneWord(call), reason: call.flags['reason'] }
    const { code, entry, allowed, restored, still } = (await call.ask('unblock', input)) as Unblocked
    if (code !== undefined) return `${code} is back`
    const by = still?.list === undefined ? `your block of ${still?.entry}` : `the list ${still.list}`
    return [
      allowed ? `${entry} is allowed in spite of the lists` : `${entry} is no longer blocked by you`,
      `${restored} ${restored === 1 ? 'link is' : 'links are'} back`,
      ...(still === null ? [] : [`${by} still stops it: "quirl unblock ${entry}" once more allows it`]),
    ].join('\n')
  },
}
