import type { Totals } from '../links/link.ts'
import { startOfSlot } from './calendar.ts'
import { dimensions, type Dimension } from './warehouse-schema.ts'
import type { Warehouse } from './warehouse.ts'
import { localDays, partsOf, type Parts } from './window.ts'
import { splitCity } from './dictionary.ts'

export type Audience = 'all' | 'human' | 'bot'

/** What the statistics are asked for. */
export interface StatsQuery {
  days: number
  timeZone: string
  audience: Audience
}

export interface Counts {
  scans: number
  unique_visitors: number
}

type Row = Counts & { value: string | null; country?: string | null }

/** The statistics of a link, as `GET …/stats` answers them. */
export interface Stats {
  days: number
  from: string
  to: string
  timezone: string
  audience: Audience
  totals: Counts & { humans: number; bots: number; qr: number; link: number }
  unique_visitors: number
  series: ({ date: string } & Counts)[]
  breakdowns: Record<Dimension, Row[]>
}

const TOP = 10

const sums: Record<Audience, [scans: string, firsts: string]> = {
  all: ['humans + bots', 'human_firsts + bot_firsts'],
  human: ['humans', 'human_firsts'],
  bot: ['bots', 'bot_firsts'],
}

/** Counts of one dimension by the id of their value. */
type Counted = Map<number, { scans: number; firsts: number }>

/** Everything that was counted of a link. */
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

/** Reads a window of whole local days, the last being today's. */
export function readStats(warehouse: Warehouse, linkId: number, query: StatsQuery, now: number): Stats {
  const { days, timeZone, audience } = query
  const window = localDays(now, days, timeZone)
  const [first, last] = [window[0], window.at(-1)]
  if (first === undefined || last === undefined) throw new RangeError(`a window of ${days} days`)
  const counted = countValues(
    warehouse,
    linkId,
    audience,
    partsOf(startOfSlot(first.fromSlot), startOfSlot(last.toSlot)),
  )

  const pulse = warehouse.db.prepare(
    `select total(humans) as humans, total(bots) as bots, total(${sums[audience][1]}) as firsts
     from pulse where link_id = ? and slot >= ? and slot < ?`,
  )
  const byDay = window.map(({ date, fromSlot, toSlot }) => {
    const row = pulse.get(linkId, fromSlot, toSlot) as { humans: number; bots: number; firsts: number }
    const humans = audience === 'bot' ? 0 : row.humans
    const bots = audience === 'human' ? 0 : row.bots
    return { date, humans, bots, scans: humans + bots, unique_visitors: row.firsts }
  })
  const sum = (pick: (day: (typeof byDay)[number]) => number) => byDay.reduce((total, day) => total + pick(day), 0)
  const breakdowns = Object.fromEntries(
    dimensions.map((dimension, at) => [dimension, topRows(warehouse, dimension, counted[at] ?? new Map())]),
  ) as Stats['breakdowns']
  const [qr, link] = sourceRows(breakdowns.source)
  const totals = { scans: sum((day) => day.scans), unique_visitors: sum((day) => day.unique_visitors) }
  return {
    days,
    from: first.date,
    to: last.date,
    timezone: timeZone,
    audience,
    totals: {
      ...totals,
      humans: sum((day) => day.humans),
      bots: sum((day) => day.bots),
      qr: qr.scans,
      link: link.scans,
    },
    unique_visitors: totals.unique_visitors,
    series: byDay.map(({ date, scans, unique_visitors }) => ({ date, scans, unique_visitors })),
    breakdowns: { ...breakdowns, source: [qr, link] },
  }
}

/** Both sources are always there. */
function sourceRows(rows: Row[]): [qr: Row, link: Row] {
  const row = (value: string) => rows.find((each) => each.value === value) ?? { value, scans: 0, unique_visitors: 0 }
  return [row('qr'), row('link')]
}

function countValues({ db }: Warehouse, linkId: number, audience: Audience, parts: Parts): Counted[] {
  const counted: Counted[] = dimensions.map(() => new Map())
  const add = (dimension: number, value: number, scans: number, firsts: number) => {
    const sum = counted[dimension]?.get(value)
    if (sum === undefined) {
      counted[dimension]?.set(value, { scans, firsts })
      return
    }
    sum.scans += scans
    sum.firsts += firsts
  }

  for (const [table, ranges] of [
    ['monthly', parts.months],
    ['daily', parts.days],
  ] as const) {
    // Summed here: a month has some ten thousand rows, and SQLite would sort them all to group them.
    const read = db.prepare(
      `select dimension, value, ${sums[audience][0]}, ${sums[audience][1]} from ${table}
       where link_id = ? and period between ? and ?`,
    )
    read.setReturnArrays(true)
    for (const range of ranges) {
      for (const row of read.all(linkId, ...range) as unknown as Parameters<typeof add>[]) add(...row)
    }
  }
  for (const range of parts.raw) {
    for (const [at, dimension] of dimensions.entries()) {
      const bots = { all: '', human: 'and bot = 0', bot: 'and bot = 1' }[audience]
      const read = db.prepare(
        `select ${dimension} as value, count(*) as scans, sum(first) as firsts from scans
         where link_id = ? and at >= ? and at < ? ${bots} group by ${dimension}`,
      )
      for (const row of read.all(linkId, ...range) as { value: number; scans: number; firsts: number }[])
        add(at, row.value, row.scans, row.firsts)
    }
  }
  return counted
}

/** The most frequent values, by scans and then by name; the unknown ones last among equals. */
function topRows({ words }: Warehouse, dimension: Dimension, counted: Counted): Row[] {
  const sorted = [...counted].filter(([, { scans }]) => scans > 0).sort(([, a], [, b]) => b.scans - a.scans)
  const least = sorted[TOP - 1]?.[1].scans ?? 0
  const named = sorted
    .filter(([, { scans }]) => scans >= least)
    .map(([id, { scans, firsts }]) => ({ value: words.text(id), scans, unique_visitors: firsts }))
  named.sort((a, b) => b.scans - a.scans || compareNames(a.value, b.value))
  const top = named.slice(0, TOP)
  if (dimension !== 'city') return top
  return top.map(({ value, scans, unique_visitors }) => {
    const { city, country } = splitCity(value)
    return { value: city, country, scans, unique_visitors }
  })
}

function compareNames(a: string | null, b: string | null): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1
  return a < b ? -1 : a > b ? 1 : 0
}
