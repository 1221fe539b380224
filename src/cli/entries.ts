import type { RulingsResult } from '../abuse/operator.ts'
import type { Command } from './command.ts'
import { formatTable, formatTime, toSingleLine } from './table.ts'

export const entries: Command = {
  name: 'entries',
  usage: '',
  summary: 'list the block and allow rules for hosts and URLs',
  options: { forget: { type: 'string', doc: 'delete the rule for this host or URL' } },
  async run({ call, flags }) {
    const { rulings } = (await call('entries', { forget: flags['forget'] })) as RulingsResult
    if (rulings.length === 0) return 'there are no block or allow rules'
    const rows = rulings.map(({ expression, verdict, isLegal, reason, createdAt }) => [
      formatTime(createdAt),
      isLegal ? 'legal' : verdict,
      expression,
      toSingleLine(reason),
    ])
    return formatTable([['SINCE (UTC)', 'RULE', 'HOST OR URL', 'REASON'], ...rows])
  },
}
