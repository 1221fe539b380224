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
  options: { before: { type: 'string', doc: 'list those before the entry with this number' } },
  async run({ call, flags }) {
    const { audit: found, before } = (await call('audit', { before: flags['before'] })) as AuditResult
    if (found.length === 0) return flags['before'] === undefined ? 'the audit log is empty' : 'there are none before it'
    const rows = found.map(({ at, action, subject, source, reason }) => [
      formatTime(at),
      actions[action] ?? action,
      subject,
      source,
      toSingleLine(reason),
    ])
    const text = formatTable([['TIME (UTC)', 'ACTION', 'SUBJECT', 'SOURCE', 'REASON'], ...rows])
    const more = before === null ? {} : { warning: `there are older entries: quirl audit --before=${before}` }
    return { text, status: 0, ...more }
  },
}
