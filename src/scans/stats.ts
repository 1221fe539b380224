import type { Totals } from '../links/link.ts'
import {
  columnsOf,
  readBreakdowns,
  type Audience,
  type Breakdowns,
  type Counts,
  type ValueCount,
} from './breakdowns.ts'
import { startOfSlot } from './calendar.ts'
import type { Sources } from './sources.ts'
import type { Warehouse } from './warehouse.ts'
import { localDays, partsOf, type LocalDay } from './window.ts'

export interface StatsQuery {
  days: number
  timeZone: string
  audience: Audience
}

/** The statistics of a link, as `GET …/stats` returns them. */
export interface Stats {
  days: number
  from: string
  to: string
  timezone: string
  audience: Audience
  totals: Counts & { humans: number; bots: number; qr: number; link: number }
  unique_visitors: number
  series: ({ date: string } & Counts)[]
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
  const { days, timeZone, audience } = query
  const { window, parts, from, to } = windowOf(query, now)
  const breakdowns = readBreakdowns(warehouse, linkId, audience, parts)
  const [qr, link] = sourceRows(breakdowns.source)
  const counts = readCounts(warehouse, linkId, { window, audience, sources: { qr: qr.scans, link: link.scans } })
  return {
    days,
    from,
    to,
    timezone: timeZone,
    audience,
    ...counts,
    breakdowns: { ...breakdowns, source: [qr, link] },
  }
}

/** The days of a query, and the rows that hold their counts by value. */
export function windowOf({ days, timeZone }: StatsQuery, now: number) {
  const window = localDays(now, days, timeZone)
  const [first, last] = [window[0], window.at(-1)]
  if (first === undefined || last === undefined) throw new RangeError(`a window of ${days} days`)
  const parts = partsOf(startOfSlot(first.fromSlot), startOfSlot(last.toSlot))
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
  const byDay = readDays(warehouse, linkId, audience, window)
  const sum = (pick: (day: (typeof byDay)[number]) => number) => byDay.reduce((total, day) => total + pick(day), 0)
  const visitors = sum((day) => day.unique_visitors)
  return {
    totals: {
      scans: sum((day) => day.scans),
      unique_visitors: visitors,
      humans: sum((day) => day.humans),
      bots: sum((day) => day.bots),
      qr: sources.qr,
      link: sources.link,
    },
    unique_visitors: visitors,
    series: byDay.map(({ date, scans, unique_visitors }) => ({ date, scans, unique_visitors })),
  }
}

/** Reads the counts of each day from the quarter-hourly rollup, whose borders fit every time zone. */
function readDays({ db }: Warehouse, linkId: number, audience: Audience, window: LocalDay[]) {
  const quarterHourly = db.prepare(
    `select total(humans) as humans, total(bots) as bots, total(${columnsOf[audience].firsts}) as firsts
     from quarter_hourly where link_id = ? and slot >= ? and slot < ?`,
  )
  return window.map(({ date, fromSlot, toSlot }) => {
    const row = quarterHourly.get(linkId, fromSlot, toSlot) as { humans: number; bots: number; firsts: number }
    const humans = audience === 'bot' ? 0 : row.humans
    const bots = audience === 'human' ? 0 : row.bots
    return { date, humans, bots, scans: humans + bots, unique_visitors: row.firsts }
  })
}

/** Both sources, also one without scans. */
function sourceRows(rows: ValueCount[]): [qr: ValueCount, link: ValueCount] {
  const row = (value: string) => rows.find((each) => each.value === value) ?? { value, scans: 0, unique_visitors: 0 }
  return [row('qr'), row('link')]
}
