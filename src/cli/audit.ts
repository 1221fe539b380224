import type { AuditResult } from '../abuse/operator.ts'
import type { Command } from './command.ts'
import { formatTable, formatTime, toSingleLine } from './table.ts'

export const audit: Command = {
  name: 'audit',
  usage: '',
  summary: 'list the newest entries of the audit log: removals, blocks, dismissed reports',
  async run({ call }) {
    const { audit: found } = (await call('audit')) as AuditResult
    if (found.length === 0) return 'the audit log is empty'
    const rows = found.map(({ at, action, subject, source, reason }) => [
      formatTime(at),
      action,
      subject,
      source,
      toSingleLine(reason),
    ])
    return formatTable([['TIME (UTC)', 'ACTION', 'SUBJECT', 'SOURCE', 'REASON'], ...rows])
  },
}
