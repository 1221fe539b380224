import type { Schemas, QuirlClient } from '../../client/client.ts'
import { dimensionNames, dimensions, type DimensionName } from '../../dimensions/dimensions.ts'
import { StartError } from '../../lib/start-error.ts'
import type { Command, CommandContext } from '../command.ts'
import { openStandardOutput } from '../output.ts'
import { formatTable, toSingleLine } from '../table.ts'
import { ofLinkOptions, printed } from './options.ts'
import { openLink } from './open-link.ts'
import { dataOf } from './service.ts'

type Statistics = Schemas['Statistics']

/** Values of a breakdown that the table shows. */
const TOP = 5
/** The longest event that is read, in characters. */
const MAX_EVENT = 65_536

/** Above are the sources; the answers are numbers of rules, which this command does not show. */
const shown = dimensions.filter(({ name }) => name !== 'source' && name !== 'answer')

/** The flags that choose visits. */
export const statsOptions = {
  days: { type: 'string', doc: 'the length of the window, today included [30]' },
  from: { type: 'string', doc: 'the first day of the window, as 2026-10-25, in place of --days' },
  to: { type: 'string', doc: 'its last day [today]' },
  interval: { type: 'string', doc: 'what each bar counts: hour, day, week or month [day]' },
  tz: { type: 'string', doc: "the time zone in which days begin [this machine's]" },
  audience: { type: 'string', doc: 'all, human or bot [all]' },
  ...Object.fromEntries(
    dimensions.map(({ name, filter: { example } }) => [
      name,
      {
        type: 'string' as const,
        multiple: true as const,
        doc: `count visits with this value only, such as ${example}; ~ is unknown; repeat it for several`,
      },
    ]),
  ),
} as const

export const stats: Command = {
  name: 'stats',
  usage: '<link>',
  summary: 'show the visits of a link',
  options: {
    ...ofLinkOptions,
    ...statsOptions,
    watch: { type: 'boolean', doc: 'then print the totals whenever they change' },
  },
  async run(context) {
    const { link } = await openLink(context)
    const query = queryOf(context)
    const statistics = dataOf(await link.GET('/api/manage/stats', { params: { query } }))
    const text = printed(context.flags, statistics, (data) => describeStatistics(data.code, data, query.interval))
    if (context.flags['watch'] !== true) return text
    const { write } = openStandardOutput()
    await write(`${text}\n`)
    await watchTotals(link, (totals) => write(`${describeTotals(context, totals)}\n`))
    return ''
  },
}

/** The parameters that the flags set. @throws {StartError} */
export function queryOf({ flags }: Pick<CommandContext, 'flags'>) {
  const { days, tz = Intl.DateTimeFormat().resolvedOptions().timeZone } = flags
  if (days !== undefined && !/^\d{1,3}$/.test(String(days)))
    throw new StartError('--days must be a whole number from 1 to 365')
  // The service says what is wrong with these.
  const given = (['from', 'to', 'interval', 'audience'] as const).filter((name) => flags[name] !== undefined)
  const texts: { [Name in (typeof given)[number]]?: string } = Object.fromEntries(
    given.map((name) => [name, String(flags[name])]),
  )
  const filters: Partial<Record<DimensionName, string[]>> = Object.fromEntries(
    dimensionNames.flatMap((name) => (flags[name] === undefined ? [] : [[name, [flags[name]].flat().map(String)]])),
  )
  return { tz: String(tz), ...(days !== undefined && { days: Number(days) }), ...texts, ...filters }
}

type Described = Pick<
  Statistics,
  'from' | 'to' | 'timezone' | 'totals' | 'series' | 'hours' | 'breakdowns' | 'raw_missing'
>

/** @param name of what the statistics are of */
export function describeStatistics(
  name: string,
  { from, to, timezone, totals, series, hours, breakdowns, raw_missing: missing }: Described,
  interval = 'day',
): string {
  const { scans, unique_visitors: visitors, humans, bots, qr, link } = totals
  const periods = interval === 'day' ? (hours ?? series) : series
  const counts = periods.map((each) => each.scans)
  const unit = periods === hours ? 'hour' : interval
  return [
    `${name}  ${from === to ? to : `${from} to ${to}`} (${timezone})`,
    '',
    `${sparkline(counts)}  ${counts.length} ${unit}${counts.length === 1 ? '' : 's'}, ${highest(counts)}`,
    '',
    formatTable([
      ['visits', String(scans), `${humans} by people, ${bots} by bots`],
      ['visitors', String(visitors), 'each counted once a day'],
      ['from the QR code', String(qr), `${link} from the link`],
      ...(missing === 0 ? [] : [['only counted', String(missing), 'the exports do not have them']]),
    ]),
    ...shown.flatMap(({ name: dimension }) => describeBreakdown(dimension, breakdowns[dimension])),
  ].join('\n')
}

function highest(counts: number[]): string {
  const most = Math.max(0, ...counts)
  return most === 0 ? 'no visits' : `highest: ${most} ${most === 1 ? 'visit' : 'visits'}`
}

/** The most frequent values, under a title; nothing when there are none. */
export function describeBreakdown(name: string, values: { value: string | null; scans: number }[]): string[] {
  const known = values.filter(({ value }) => value !== null).slice(0, TOP)
  if (known.length === 0) return []
  // Values such as referrers are what strangers have sent.
  const rows = known.map(({ value, scans }) => [`  ${toSingleLine(value ?? '')}`, String(scans)])
  return ['', name, formatTable(rows)]
}

function describeTotals({ flags }: CommandContext, totals: Schemas['Totals']): string {
  if (flags['json'] === true) return JSON.stringify(totals)
  const { scans, unique_visitors: visitors, last_scan_at: last } = totals
  return `${scans} visits, ${visitors} visitors${last === null ? '' : `, the last at ${last}`}`
}

/** Calls back with the totals of a link whenever they change, until the service ends the stream. */
async function watchTotals(link: QuirlClient, onTotals: (totals: Schemas['Totals']) => Promise<void>): Promise<void> {
  const response = await link.GET('/api/manage/stream', { parseAs: 'stream' })
  const stream = dataOf<unknown>(response) as ReadableStream<Uint8Array<ArrayBuffer>>
  let text = ''
  for await (const piece of stream.pipeThrough(new TextDecoderStream())) {
    text += piece
    const events = text.split('\n\n')
    text = (events.pop() ?? '').slice(-MAX_EVENT)
    for (const event of events) {
      const [, data] = /^data: ?(.*)$/m.exec(event) ?? []
      if (data !== undefined) await onTotals(JSON.parse(data) as Schemas['Totals'])
    }
  }
}

const bars = '▁▂▃▄▅▆▇█'
/** The widest line: longer series are summed into as many columns. */
const MAX_COLUMNS = 60

/** Draws counts as a line of bars; a space for none, so that one scan differs from no scan. */
export function sparkline(counts: readonly number[]): string {
  const columns = sumInto(counts, MAX_COLUMNS)
  const highest = Math.max(1, ...columns)
  return columns
    .map((count) => (count === 0 ? ' ' : (bars[Math.ceil((count / highest) * bars.length) - 1] ?? '')))
    .join('')
}

function sumInto(counts: readonly number[], most: number): number[] {
  const each = Math.ceil(counts.length / most)
  const columns: number[] = []
  for (let at = 0; at < counts.length; at += each) {
    columns.push(counts.slice(at, at + each).reduce((sum, count) => sum + count, 0))
  }
  return columns
}
