import { asOf } from './as-of.ts'
import { listBreakdowns, type Breakdowns, type ValueCount } from './breakdowns.ts'
import { startOfSlot } from '../calendar.ts'
import { countHours, hoursOf, type HourCounts } from './hours.ts'
import { countBefore, windowBefore, type Previous } from './previous.ts'
import { bySource, byAudience, ofAudience, type AudienceSums, type ByAudience } from './quarter-hours.ts'
import type { LinkRows, RowQueries, Sources } from './row-queries.ts'
import type { Audience, Counts, StatsQuery, WindowTotals } from './stats-query.ts'
import { localDays, partsOf, type LocalDay } from './window.ts'

/** The statistics of a link, as `GET …/stats` returns them. */
export interface Stats {
  days: number
  from: string
  to: string
  timezone: string
  audience: Audience
  totals: WindowTotals
  unique_visitors: number
  by_audience: ByAudience
  series: ({ date: string } & Counts)[]
  /** Of a window of one day. */
  hours?: HourCounts[]
  previous?: Previous
  breakdowns: Breakdowns
  /** Scans of the window that are counted and not stored one by one, by people and bots together. */
  raw_missing: number
  /** Until when scans are included, if other nodes have not folded later ones. */
  as_of?: string
}

/** Reads a window of whole local days; the last one is today. */
export async function readStats(rows: RowQueries, linkId: number, query: StatsQuery, now: number): Promise<Stats> {
  const { days, timeZone, audience, previous: withPrevious = false } = query
  const { window, parts, from, to } = windowOf(query, now)
  const hours = days === 1 ? window.flatMap(hoursOf) : []
  const before = withPrevious ? windowBefore(query, now) : undefined
  const slots = [...window, ...hours, ...(before === undefined ? [] : [before])]
  const whole = { fromSlot: window[0]?.fromSlot ?? 0, toSlot: window.at(-1)?.toSlot ?? 0 }
  const read = await rows.ofLink(linkId, { audience, slots, parts, previous: before?.parts, window: whole })
  const sums = read.slots.slice(0, days)
  const breakdowns = await listBreakdowns(read.values, rows.texts)
  const [qr, link] = sourceRows(breakdowns.source)
  return {
    days,
    from,
    to,
    timezone: timeZone,
    audience,
    ...countDays(window, sums, audience, { qr: qr.scans }),
    by_audience: byAudience(sums),
    ...(days === 1 && { hours: countHours(hours, read.slots.slice(days, days + hours.length), query) }),
    ...(before && { previous: previousOf(before, read, query) }),
    breakdowns: { ...breakdowns, source: [qr, link] },
    raw_missing: read.missing,
    ...asOf(now, read),
  }
}

function previousOf(
  before: ReturnType<typeof windowBefore>,
  { slots, previous }: LinkRows,
  query: StatsQuery,
): Previous {
  const sums = slots.at(-1)
  if (sums === undefined || previous === undefined) throw new RangeError('the window before was not read')
  return countBefore(before, sums, previous, query)
}

/** The days of a query, and the rows that hold their counts by value. */
export function windowOf({ days, timeZone }: StatsQuery, now: number) {
  const window = localDays(now, days, timeZone)
  const [first, last] = [window[0], window.at(-1)]
  if (first === undefined || last === undefined) throw new RangeError(`a window of ${days} days`)
  const parts = partsOf(startOfSlot(first.fromSlot), startOfSlot(last.toSlot), now)
  return { window, parts, from: first.date, to: last.date }
}

/** The statistics of a link without their breakdowns. */
export type LinkCounts = Pick<Stats, 'totals' | 'unique_visitors' | 'series'>

/** The counts of a link by day. */
export function countDays(
  window: LocalDay[],
  sums: AudienceSums[],
  audience: Audience,
  sources: Pick<Sources, 'qr'>,
): LinkCounts {
  const counts = sums.map((each) => ofAudience(each, audience))
  const sum = (name: keyof ReturnType<typeof ofAudience>) => counts.reduce((total, day) => total + day[name], 0)
  const [scans, visitors] = [sum('scans'), sum('unique_visitors')]
  return {
    totals: {
      scans,
      unique_visitors: visitors,
      humans: sum('humans'),
      bots: sum('bots'),
      ...bySource(scans, sources.qr),
    },
    unique_visitors: visitors,
    series: window.map(({ date }, at) => {
      const { scans = 0, unique_visitors = 0 } = counts[at] ?? {}
      return { date, scans, unique_visitors }
    }),
  }
}

/** Both sources, also one without scans. */
function sourceRows(rows: ValueCount[]): [qr: ValueCount, link: ValueCount] {
  const row = (value: string) => rows.find((each) => each.value === value) ?? { value, scans: 0, unique_visitors: 0 }
  return [row('qr'), row('link')]
}
