import { asOf } from './as-of.ts'
import { listBreakdowns, type Breakdowns, type ValueCount } from './breakdowns.ts'
import type { EarlierWindow } from './earlier-window.ts'
import { heatOf } from './heat.ts'
import { localTimeOf, type Period } from './periods.ts'
import { bySource, byAudience, ofAudience, type AudienceSums, type ByAudience } from './quarter-hours.ts'
import type { CountedRows, Sources, SlotRange } from './row-queries.ts'
import type { Audience, Counts, StatsQuery, WindowTotals } from './stats-query.ts'
import { earlierWindows, type Windows } from './windows.ts'

type HourCounts = Counts & {
  /** When the hour begins, with the offset of the time zone: a day on which clocks change has 23 hours, or 25. */
  at: string
}

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
  compared?: Compared
  /** Scans by day of the week, Monday first, and hour. */
  heat?: number[][]
  breakdowns: Breakdowns
  /** Scans of the window that are counted and not stored one by one, by people and bots together. */
  raw_missing: number
  /** Until when scans are included, if other nodes have not folded later ones. */
  as_of?: string
}

/** Reads a window of whole local days. */
export async function readStats(rows: CountedRows, linkId: number, windows: Windows): Promise<Stats> {
  const { query, now, periods, hours, whole, rowRanges, from, to, before, compared, heat } = windows
  const { days, timeZone, audience } = query
  const earlier = earlierWindows(windows)
  const read = await rows.ofLink(linkId, {
    audience,
    slots: [...periods, ...hours, ...earlier],
    rowRanges,
    earlier: earlier.map((each) => each.rowRanges),
    heat,
    window: whole,
  })
  const sums = read.slots.slice(0, periods.length)
  const sumsOfHours = read.slots.slice(periods.length, periods.length + hours.length)
  const sumsOfEarlier = read.slots.slice(periods.length + hours.length)
  const breakdowns = await listBreakdowns(read.values, rows.texts, query.limit)
  const [qr, link] = sourceRows(breakdowns.source)
  return {
    days,
    from,
    to,
    timezone: timeZone,
    audience,
    ...countPeriods(periods, sums, audience, { qr: qr.scans }),
    by_audience: byAudience(sums),
    ...(days === 1 && { hours: countHours(hours, sumsOfHours, query) }),
    ...(before && { previous: countBefore(before, sumsOfEarlier[0], read.earlier[0], audience) }),
    ...(compared && {
      compared: {
        ...countCompared(compared, sumsOfEarlier.at(-1), read.earlier.at(-1), audience),
        by_audience: byAudience([sumsOfEarlier.at(-1) ?? NO_SCANS]),
      },
    }),
    ...(query.heat === true && { heat: heatOf(read.heat) }),
    breakdowns: { ...breakdowns, source: [qr, link] },
    raw_missing: read.missing,
    ...asOf(now, read),
  }
}

/** The statistics of a link without their breakdowns. */
export type LinkCounts = Pick<Stats, 'totals' | 'unique_visitors' | 'series' | 'compared'>

/** The counts of a link by period. */
export function countPeriods(
  periods: Pick<Period, 'date'>[],
  sums: AudienceSums[],
  audience: Audience,
  sources: Pick<Sources, 'qr'>,
): LinkCounts {
  const counts = sums.map((each) => ofAudience(each, audience))
  const sum = (name: keyof ReturnType<typeof ofAudience>) => counts.reduce((total, period) => total + period[name], 0)
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
    series: periods.map(({ date }, at) => {
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

/** The counts of each hour. */
function countHours(
  hours: SlotRange[],
  sums: AudienceSums[],
  { timeZone, audience }: Pick<StatsQuery, 'timeZone' | 'audience'>,
): HourCounts[] {
  return sums.map((each, at) => {
    const { scans, unique_visitors } = ofAudience(each, audience)
    const time = localTimeOf(hours[at]?.fromSlot ?? 0, timeZone)
    return { at: time.toString({ timeZoneName: 'never', smallestUnit: 'second' }), scans, unique_visitors }
  })
}

/** The counts of the window before. */
interface Previous {
  from: string
  /** Where it ends: at the time of day that it is now, if today is in the window. */
  until: string
  totals: WindowTotals
  unique_visitors: number
  by_audience: ByAudience
}

/** The counts of the window with which `compare` compares. */
interface Compared {
  from: string
  to: string
  totals: WindowTotals
  /** Of one link. */
  by_audience?: ByAudience
}

const NO_SCANS: AudienceSums = { humans: 0, humanFirsts: 0, bots: 0, botFirsts: 0 }
const NO_SOURCES: Sources = { qr: 0, link: 0 }

function countBefore(
  { from, until }: EarlierWindow,
  sums = NO_SCANS,
  sources = NO_SOURCES,
  audience: Audience,
): Previous {
  const totals = totalsOf(sums, sources, audience)
  return { from, until, totals, unique_visitors: totals.unique_visitors, by_audience: byAudience([sums]) }
}

export function countCompared(
  { from, to }: EarlierWindow,
  sums = NO_SCANS,
  sources = NO_SOURCES,
  audience: Audience,
): Compared {
  return { from, to, totals: totalsOf(sums, sources, audience) }
}

function totalsOf(sums: AudienceSums, sources: Sources, audience: Audience): WindowTotals {
  const { unique_visitors, ...counts } = ofAudience(sums, audience)
  return { ...counts, unique_visitors, ...bySource(counts.scans, sources.qr) }
}
