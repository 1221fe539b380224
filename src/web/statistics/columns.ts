import type { Stats } from '../../scans/statistics/stats.ts'
import type { Interval } from '../../scans/statistics/stats-query.ts'
import { dateAt } from '../../scans/statistics/windows.ts'
import type { StatisticsTexts } from '../../texts/statistics.ts'
import type { Formats } from './formats.ts'

/** A period of the chart. */
export interface Column {
  /** Its name in full. */
  name: string
  scans: number
  visitors: number
  /** The text below the axis, if any. */
  tick?: string
  /** Whether a narrow chart leaves out that text. */
  isMinor?: boolean
  isWeekend: boolean
  /** Whether it is not over yet. */
  isNow: boolean
}

/** What a chart counts by. */
export interface Charted {
  unit: Interval
  columns: Column[]
}

/** What a chart needs besides the statistics. */
export interface ColumnContext {
  now: number
  texts: StatisticsTexts
  formats: Formats
}

/** The columns of a chart: hours of one day, else the periods of the series. */
export function columnsOf(stats: Stats, interval: Interval | undefined, context: ColumnContext): Charted {
  const { series, hours, to, timezone } = stats
  const { now, formats } = context
  if (hours !== undefined) return { unit: 'hour', columns: hourColumns(hours, now, formats) }
  const hasToday = to === dateAt(now, timezone).toString()
  if (interval === undefined || interval === 'day')
    return { unit: 'day', columns: dayColumns(series, hasToday, formats) }
  if (interval === 'hour') return { unit: interval, columns: hourlyColumns(series, now, formats) }
  return { unit: interval, columns: periodColumns(series, interval, hasToday, context) }
}

/** Hours of several days: each day has its date below it, or each Monday. */
function hourlyColumns(series: Stats['series'], now: number, formats: Formats): Column[] {
  const hours = hourColumns(
    series.map(({ date, ...counts }) => ({ at: `${date.slice(0, 16)}:00${date.slice(16)}`, ...counts })),
    now,
    formats,
  )
  const isShort = series.length <= 8 * HOURS_OF_DAY
  return hours.map(({ name, tick: _tick, isMinor: _isMinor, ...column }, at) => {
    const date = series[at]?.date.slice(0, 10) ?? ''
    const isFirst = series[at - 1]?.date.slice(0, 10) !== date
    const isTicked = isFirst && (isShort || weekdayOf(date) === 1)
    return {
      ...column,
      name: `${formats.day(date)}, ${name}`,
      ...(isTicked && { tick: formats.shortDay(date), isMinor: isShort && at % (2 * HOURS_OF_DAY) !== 0 }),
    }
  })
}

function periodColumns(
  series: Stats['series'],
  interval: 'week' | 'month',
  hasToday: boolean,
  { texts, formats }: ColumnContext,
): Column[] {
  const stride = Math.ceil(series.length / MOST_PERIOD_TICKS)
  return series.map(({ date, scans, unique_visitors: visitors }, at) => ({
    name: interval === 'week' ? texts.week(formats.date(date)) : formats.wholeMonth(date),
    scans,
    visitors,
    ...(at % stride === 0 && {
      tick: interval === 'week' ? formats.shortDay(date) : formats.month(date),
      isMinor: at % (2 * stride) !== 0,
    }),
    isWeekend: false,
    isNow: hasToday && at === series.length - 1,
  }))
}

const HOURS_OF_DAY = 24
/** As many texts as have room below weeks or months. */
const MOST_PERIOD_TICKS = 13

function weekdayOf(date: string): number {
  return new Date(`${date}T00:00:00Z`).getUTCDay()
}

/** Longer windows have months below them. */
const MOST_DATES = 100

function dayColumns(series: Stats['series'], hasToday: boolean, formats: Formats): Column[] {
  const dates = series.map(({ date }) => ({ date, weekday: weekdayOf(date) }))
  const ticks = new Map(ticksOf(dates, formats))
  const ticked = [...ticks.keys()]
  // Narrow charts have room for some five dates, or seven shorter texts.
  const stride = ticked.length > 6 && series.length <= MOST_DATES && series.length > 7 ? 4 : 2
  return series.map(({ date, scans, unique_visitors: visitors }, at) => ({
    name: formats.day(date),
    scans,
    visitors,
    ...(ticks.has(at) && { tick: ticks.get(at) ?? '', isMinor: ticked.indexOf(at) % stride !== 0 }),
    isWeekend: [0, 6].includes(dates[at]?.weekday ?? 1),
    isNow: hasToday && at === series.length - 1,
  }))
}

/** The days that have a text: each one of a week, each Monday of some months, each first of a month of a year. */
function ticksOf(dates: { date: string; weekday: number }[], formats: Formats): [at: number, text: string][] {
  const pick = (isPicked: (date: string, weekday: number) => boolean, text: (date: string) => string) =>
    dates.flatMap(({ date, weekday }, at): [number, string][] => (isPicked(date, weekday) ? [[at, text(date)]] : []))
  if (dates.length <= 7) return pick(() => true, formats.weekday)
  if (dates.length <= MOST_DATES) return pick((_date, weekday) => weekday === 1, formats.shortDay)
  return pick((date) => date.endsWith('-01'), formats.month)
}

/** Every third hour has a text, every sixth one on narrow screens, too. */
const TICK_HOURS = 3

function hourColumns(hours: NonNullable<Stats['hours']>, now: number, formats: Formats): Column[] {
  const names = hours.map(({ at }) => formats.time(at.slice(0, 19)))
  return hours.map(({ at, scans, unique_visitors: visitors }, index) => {
    const end = hours[index + 1]?.at
    const hour = Number(at.slice(11, 13))
    const isTicked =
      hour % TICK_HOURS === 0 && at.slice(14, 16) === '00' && hours[index - 1]?.at.slice(11, 13) !== at.slice(11, 13)
    return {
      // When clocks are set back, an hour comes twice: its offset tells which.
      name: isRepeated(hours, index) ? `${names[index]} (UTC${at.slice(19)})` : (names[index] ?? at),
      scans,
      visitors,
      ...(isTicked && { tick: formats.hour(at.slice(0, 19)), isMinor: hour % (2 * TICK_HOURS) !== 0 }),
      isWeekend: false,
      isNow: Date.parse(at) <= now && (end === undefined || now < Date.parse(end)),
    }
  })
}

/** Whether the hour before or after has the same local time. */
function isRepeated(hours: NonNullable<Stats['hours']>, index: number): boolean {
  const local = (at: number) => hours[at]?.at.slice(0, 16)
  const own = local(index)
  // By half an hour, some clocks change by less than one.
  return [-2, -1, 1, 2].some((by) => local(index + by) === own)
}
