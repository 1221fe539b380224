import type { Command } from './command.ts'
import { minuteOf, oneLine, table } from './table.ts'

interface AuditRow {
  at: number
  action: string
  subject: string
  source: string
  reason: string
}

export const audit: Command = {
  name: 'audit',
  usage: '',
  summary: 'list the newest removals, blocks and dismissals, and who made them',
  async run({ ask }) {
    const { audit: found } = (await ask('audit')) as { audit: AuditRow[] }
    if (found.length === 0) return 'nothing was blocked or removed yet'
    const rows = found.map(({ at, action, subject, source, reason }) => [
      minuteOf(at),
      action,
      subject,
      source,
      oneLine(reason),
    ])
    return table([['AT (UTC)', 'WHAT', 'OF', 'BY', 'REASON'], ...rows])
  },
}
