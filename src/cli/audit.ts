import type { AuditResult } from '../abuse/operator.ts'
import type { Command } from './command.ts'
import { formatTable, formatTime, toSingleLine } from './table.ts'

/** How the log calls what happens to a code. */
const actions: Record<string, string> = { remove: 'block', restore: 'unblock' }

export const audit: Command = {
  name: 'audit',
  usage: '',
  summary:
    'list the newest entries of the audit log: what was blocked, unblocked and warned of, dismissed reports, new keys',
  async run({ call }) {
    const { audit: found } = (await call('audit')) as AuditResult
    if (found.length === 0) return 'the audit log is empty'
    const rows = found.map(({ at, action, subject, source, reason }) => [
      formatTime(at),
      actions[action] ?? action,
      subject,
      source,
      toSingleLine(reason),
    ])
    return formatTable([['TIME (UTC)', 'ACTION', 'SUBJECT', 'SOURCE', 'REASON'], ...rows])
  },
}
