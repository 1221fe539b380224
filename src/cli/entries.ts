import type { Command } from './command.ts'
import { minuteOf, oneLine, table } from './table.ts'

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
  summary: 'list the hosts and URLs that you have blocked or allowed',
  options: { forget: { type: 'string', doc: 'take back what you have said of this host or URL' } },
  async run({ ask, flags }) {
    const { entries: found } = (await ask('entries', { forget: flags['forget'] })) as { entries: Entry[] }
    if (found.length === 0) return 'you have blocked and allowed nothing'
    const rows = found.map(({ entry, verdict, legal, reason, created_at: at }) => [
      minuteOf(at),
      legal === 1 ? 'legal' : verdict,
      entry,
      oneLine(reason),
    ])
    return table([['SINCE (UTC)', 'WORD', 'HOST OR URL', 'REASON'], ...rows])
  },
}
