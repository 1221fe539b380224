import type { Command } from './command.ts'
import { formatTime, toSingleLine, formatTable } from './table.ts'

interface Entry {
  entry: string
  verdict: string
  legal: number
  reason: string
  created_at: number
}

export const entries: Command = {
  name: 'entries',
  usage: '',
  summary: 'list the block and allow rules for hosts and URLs',
  options: { forget: { type: 'string', doc: 'delete the rule for this host or URL' } },
  async run({ call, flags }) {
    const { entries: found } = (await call('entries', { forget: flags['forget'] })) as { entries: Entry[] }
    if (found.length === 0) return 'there are no block or allow rules'
    const rows = found.map(({ entry, verdict, legal, reason, created_at: at }) => [
      formatTime(at),
      legal === 1 ? 'legal' : verdict,
      entry,
      toSingleLine(reason),
    ])
    return formatTable([['SINCE (UTC)', 'RULE', 'HOST OR URL', 'REASON'], ...rows])
  },
}
