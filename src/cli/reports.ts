import type { ReportsResult } from '../abuse/operator.ts'
import { singleArgument } from './arguments.ts'
import type { Command, CommandContext } from './command.ts'
import { formatTable, formatTime, toSingleLine } from './table.ts'

type LinkReports = ReportsResult['reports'][number]

export const reports: Command = {
  name: 'reports',
  usage: '[dismiss <code>]',
  summary: 'list the reported codes, the most reported first; or dismiss the reports of one',
  options: { json: { type: 'boolean', doc: 'print all details as JSON' } },
  async run(context) {
    const [verb, ...rest] = context.args
    if (verb !== undefined) return dismiss(context, verb === 'dismiss' ? rest : [])
    const { reports: found } = (await context.call('reports')) as ReportsResult
    if (context.flags['json'] === true) return JSON.stringify(found, undefined, 2)
    if (found.length === 0) return 'there are no reports'
    const rows = found.map((each) => [
      each.code,
      String(each.count),
      formatTime(each.last_at),
      reasonsOf(each),
      newest(each),
    ])
    const hint = '"/<code>+" shows where a code leads; then "quirl block <code>" or "quirl reports dismiss <code>"'
    return `${formatTable([['CODE', 'REPORTS', 'LAST (UTC)', 'REASONS', 'NEWEST NOTE'], ...rows])}\n\n${hint}`
  },
}

async function dismiss({ call }: CommandContext, args: string[]): Promise<string> {
  const { code } = (await call('dismiss', { subject: singleArgument(args, 'code') })) as { code: string }
  return `the reports of ${code} are dismissed`
}

function reasonsOf({ reasons }: LinkReports): string {
  const counted = Object.entries(reasons).toSorted(([, a], [, b]) => b - a)
  return counted.map(([reason, count]) => `${reason} ${count}`).join(', ')
}

function newest({ notes }: LinkReports): string {
  return toSingleLine(notes[0]?.details ?? '').slice(0, 100)
}
