import type { ReportsResult } from '../abuse/operator.ts'
import { singleArgument } from './arguments.ts'
import type { Command, CommandContext } from './command.ts'
import { formatTable, formatTime, toSingleLine } from './table.ts'

type LinkReports = ReportsResult['reports'][number]

const hint = `NETWORKS: from how many the code was reported in 30 days; with ! its owner was told.
"/<code>+" shows where a code leads; then "quirl block <code>", "quirl warn <code>" or "quirl reports dismiss <code>"`

export const reports: Command = {
  name: 'reports',
  usage: '[dismiss <code>]',
  summary: 'list the reported codes, those that most people have reported first; or dismiss the reports of one',
  options: { json: { type: 'boolean', doc: 'print all details as JSON' } },
  async run(context) {
    const [verb, ...rest] = context.args
    if (verb !== undefined) return dismiss(context, verb === 'dismiss' ? rest : [])
    const { reports: found, hasMore } = (await context.call('reports')) as ReportsResult
    const more = hasMore ? { warning: `more links are reported than these ${found.length}, which come first` } : {}
    if (context.flags['json'] === true) return { text: JSON.stringify(found, undefined, 2), status: 0, ...more }
    if (found.length === 0) return 'there are no reports'
    const rows = found.map((each) => [
      each.code,
      `${each.networks}${each.told_at === null ? '' : ' !'}`,
      String(each.count),
      formatTime(each.last_at),
      each.warned_at === null ? '-' : 'yes',
      reasonsOf(each),
      newest(each),
    ])
    const header = ['CODE', 'NETWORKS', 'REPORTS', 'LAST (UTC)', 'WARNED', 'REASONS', 'NEWEST NOTE']
    return { text: `${formatTable([header, ...rows])}\n\n${hint}`, status: 0, ...more }
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
