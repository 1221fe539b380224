import type { Command } from './command.ts'
import { oneWord } from './block.ts'
import { minuteOf, oneLine, table } from './table.ts'

interface Report {
  code: string
  count: number
  reasons: Record<string, number>
  notes: { reason: string; details: string; at: number }[]
  last_at: number
}

export const reports: Command = {
  name: 'reports',
  usage: '[dismiss <code>]',
  summary: 'list the reported codes, the most often reported first; or dismiss the reports of one',
  options: { json: { type: 'boolean', doc: 'everything that is known, as JSON' } },
  async run(call) {
    const [verb, ...rest] = call.words
    if (verb !== undefined) return dismiss({ ...call, words: verb === 'dismiss' ? rest : [] })
    const { reports: found } = (await call.ask('reports')) as { reports: Report[] }
    if (call.flags['json'] === true) return JSON.stringify(found, undefined, 2)
    if (found.length === 0) return 'nothing is reported'
    const rows = found.map((each) => [
      each.code,
      String(each.count),
      minuteOf(each.last_at),
      reasonsOf(each),
      newest(each),
    ])
    const hint = 'see where a code leads: "/<code>+"; then "quirl block <code>" or "quirl reports dismiss <code>"'
    return `${table([['CODE', 'REPORTS', 'LAST (UTC)', 'REASONS', 'NEWEST NOTE'], ...rows])}\n\n${hint}`
  },
}

const dismiss: Command['run'] = async (call) => {
  const { code } = (await call.ask('dismiss', { subject: oneWord(call) })) as { code: string }
  return `the reports of ${code} are dismissed`
}

function reasonsOf({ reasons }: Report): string {
  const counted = Object.entries(reasons).toSorted(([, a], [, b]) => b - a)
  return counted.map(([reason, count]) => `${reason} ${count}`).join(', ')
}

function newest({ notes }: Report): string {
  return oneLine(notes[0]?.details ?? '').slice(0, 100)
}
