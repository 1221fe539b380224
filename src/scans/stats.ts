import type { Totals } from '../links/link.ts'
import { readBreakdowns, type Audience, type Breakdowns, type Counts, type ValueCount } from './breakdowns.ts'
import { startOfSlot } from './calendar.ts'
import { readHours, type HourCounts } from './hours.ts'
import { readPrevious, type Previous } from './previous.ts'
import { byAudience, createSlotReader, ofAudience, type AudienceSums, type ByAudience } from './quarter-hours.ts'
import type { Sources } from './sources.ts'
import type { StatsQuery, WindowTotals } from './stats-query.ts'
import type { Warehouse } from './warehouse.ts'
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
}

/** Reads the totals of a link since its creation. */
export function readTotals({ db }: Warehouse, linkId: number): Totals {
  const row = db.prepare('select * from totals where link_id = ?').get(linkId) as Record<string, number> | undefined
  const {
    humans = 0,
    bots = 0,
    human_firsts: humanFirsts = 0,
    bot_firsts: botFirsts = 0,
    qr = 0,
    last_at: last,
  } = row ?? {}
  const scans = humans + bots
  return {
    scans,
    humans,
    bots,
    unique_visitors: humanFirsts + botFirsts,
    qr,
    link: scans - qr,
    last_scan_at: last === undefined ? null : new Date(last).toISOString(),
  }
}

/** Reads a window of whole local days; the last one is today. */
export function readStats(warehouse: Warehouse, linkId: number, query: StatsQuery, now: number): Stats {
  const { days, timeZone, audience, previous = false } = query
  const { window, parts, from, to } = windowOf(query, now)
  const breakdowns = readBreakdowns(warehouse, linkId, audience, parts)
  const [qr, link] = sourceRows(breakdowns.source)
  const sums = readDays(warehouse, linkId, window)
  return {
    days,
    from,
    to,
    timezone: timeZone,
    audience,
    ...countsOf(sums, audience, { qr: qr.scans, link: link.scans }),
    by_audience: byAudience(sums),
    ...(days === 1 && { hours: window.flatMap((day) => readHours(warehouse, linkId, query, day)) }),
    ...(previous && { previous: readPrevious(warehouse, linkId, query, now) }),
    breakdowns: { ...breakdowns, source: [qr, link] },
  }
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

/** Reads the counts of a link by day. */
export function readCounts(
  warehouse: Warehouse,
  linkId: number,
  { window, audience, sources }: { window: LocalDay[]; audience: Audience; sources: Sources },
): LinkCounts {
  return countsOf(readDays(warehouse, linkId, window), audience, sources)
}

type DaySums = AudienceSums & { date: string }

function readDays(warehouse: Warehouse, linkId: number, window: LocalDay[]): DaySums[] {
  const read = createSlotReader(warehouse)
  return window.map(({ date, fromSlot, toSlot }) => ({ date, ...read(linkId, fromSlot, toSlot) }))
}

function countsOf(days: DaySums[], audience: Audience, sources: Sources): LinkCounts {
  const counts = days.map(({ date, ...sums }) => ({ date, ...ofAudience(sums, audience) }))
  const sum = (name: keyof ReturnType<typeof ofAudience>) => counts.reduce((total, day) => total + day[name], 0)
  const visitors = sum('unique_visitors')
  return {
    totals: {
      scans: sum('scans'),
      unique_visitors: visitors,
      humans: sum('humans'),
      bots: sum('bots'),
      qr: sources.qr,
      link: sources.link,
    },
    unique_visitors: visitors,
    series: counts.map(({ date, scans, unique_visitors }) => ({ date, scans, unique_visitors })),
  }
}

/** Both sources, also one without scans. */
function sourceRows(rows: ValueCount[]): [qr: ValueCount, link: ValueCount] {
  const row = (value: string) => rows.find((each) => each.value === value) ?? { value, scans: 0, unique_visitors: 0 }
  return [row('qr'), row('link')]
}
