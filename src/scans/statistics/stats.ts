import { asOf } from './as-of.ts'
import { listBreakdowns, type Breakdowns, type ValueCount } from './breakdowns.ts'
import { startOfSlot, slotOf } from '../calendar.ts'
import { bySource, byAudience, ofAudience, type AudienceSums, type ByAudience } from './quarter-hours.ts'
import type { LinkRows, RowQueries, Sources, SlotRange } from './row-queries.ts'
import type { Audience, Counts, StatsQuery, WindowTotals } from './stats-query.ts'
import { localDays, rowRangesOf, type LocalDay, startOfDate, type RowRanges } from './window.ts'

type HourCounts = Counts & {
  /** When the hour begins, with the offset of the time zone: a day on which clocks change has 23 hours, or 25. */
  at: string
}
const SLOTS = 4

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
export async function readStats(rows: RowQueries, linkId: number, windows: Windows): Promise<Stats> {
  const { query, now, window, rowRanges, from, to, before } = windows
  const { days, timeZone, audience } = query
  const hours = days === 1 ? window.flatMap(hoursOf) : []
  const slots = [...window, ...hours, ...(before === undefined ? [] : [before])]
  const whole = { fromSlot: window[0]?.fromSlot ?? 0, toSlot: window.at(-1)?.toSlot ?? 0 }
  const read = await rows.ofLink(linkId, { audience, slots, rowRanges, previous: before?.rowRanges, window: whole })
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

function previousOf(before: WindowBefore, { slots, previous }: LinkRows, query: StatsQuery): Previous {
  const sums = slots.at(-1)
  if (sums === undefined || previous === undefined) throw new RangeError('the window before was not read')
  return countBefore(before, sums, previous, query)
}

/** The days of a query, the rows that hold their counts by value, and the window before, if the query asks for it. */
export interface Windows {
  query: StatsQuery
  now: number
  window: LocalDay[]
  rowRanges: RowRanges
  from: string
  to: string
  before: WindowBefore | undefined
}

export function windowsOf(query: StatsQuery, now: number): Windows {
  const { days, timeZone, previous = false } = query
  const window = localDays(now, days, timeZone)
  const [first, last] = [window[0], window.at(-1)]
  if (first === undefined || last === undefined) throw new RangeError(`a window of ${days} days`)
  const rowRanges = rowRangesOf(startOfSlot(first.fromSlot), startOfSlot(last.toSlot), now)
  const before = previous ? windowBefore(query, now) : undefined
  return { query, now, window, rowRanges, from: first.date, to: last.date, before }
}

/** The ranges whose scans are counted one by one; none in UTC, where each day is in the rollups. */
export function rawRanges({ rowRanges, before }: Windows): SlotRange[] {
  return [rowRanges, ...(before === undefined ? [] : [before.rowRanges])].flatMap(({ raw, excess }) =>
    [...raw, ...excess.map(({ from, to }) => [from, to] as const)].map(([from, to]) => ({
      fromSlot: slotOf(from),
      toSlot: slotOf(to),
    })),
  )
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

/** The hours of a day; the last one is shorter where clocks change by half an hour. */
function hoursOf({ fromSlot: first, toSlot: end }: SlotRange): SlotRange[] {
  return Array.from({ length: Math.ceil((end - first) / SLOTS) }, (_, hour) => {
    const fromSlot = first + hour * SLOTS
    return { fromSlot, toSlot: Math.min(fromSlot + SLOTS, end) }
  })
}

/** The counts of each hour. */
function countHours(
  hours: SlotRange[],
  sums: AudienceSums[],
  { timeZone, audience }: Pick<StatsQuery, 'timeZone' | 'audience'>,
): HourCounts[] {
  return sums.map((each, at) => {
    const { scans, unique_visitors } = ofAudience(each, audience)
    const start = startOfSlot(hours[at]?.fromSlot ?? 0)
    const time = Temporal.Instant.fromEpochMilliseconds(start).toZonedDateTimeISO(timeZone)
    return { at: time.toString({ timeZoneName: 'never', smallestUnit: 'second' }), scans, unique_visitors }
  })
}

/** The counts of the window before, for a comparison with a window whose last day is not over. */
interface Previous {
  from: string
  /** Where it ends: at the time of day that it is now. */
  until: string
  totals: WindowTotals
  unique_visitors: number
  by_audience: ByAudience
}

/** The window before, and the rows that hold its counts. */
interface WindowBefore extends Pick<Previous, 'from' | 'until'>, SlotRange {
  rowRanges: RowRanges
}

/** As many days as the window has, before it, until the same time of day. */
function windowBefore({ days, timeZone }: StatsQuery, now: number): WindowBefore {
  const time = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone)
  const end = time.subtract({ days })
  const first = end.toPlainDate().subtract({ days: days - 1 })
  const [fromSlot, toSlot] = [slotOf(startOfDate(first, timeZone)), slotOf(end.epochMilliseconds)]
  const until = Temporal.Instant.fromEpochMilliseconds(startOfSlot(toSlot)).toZonedDateTimeISO(timeZone)
  return {
    from: first.toString(),
    until: until.toString({ timeZoneName: 'never', smallestUnit: 'second' }),
    fromSlot,
    toSlot,
    rowRanges: rowRangesOf(startOfSlot(fromSlot), startOfSlot(toSlot), now),
  }
}

/** The counts of the window before. */
function countBefore(
  { from, until }: WindowBefore,
  sums: AudienceSums,
  sources: Sources,
  { audience }: StatsQuery,
): Previous {
  const { unique_visitors, ...counts } = ofAudience(sums, audience)
  return {
    from,
    until,
    totals: { ...counts, unique_visitors, ...bySource(counts.scans, sources.qr) },
    unique_visitors,
    by_audience: byAudience([sums]),
  }
}
