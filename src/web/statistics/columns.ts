import type { Stats } from '../../scans/statistics/stats.ts'
import type { Formats } from './formats.ts'

/** A day of the chart, or an hour. */
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

/** The columns of a chart: hours of one day, else days. */
export function columnsOf({ series, hours }: Stats, now: number, formats: Formats): Column[] {
  return hours === undefined ? dayColumns(series, formats) : hourColumns(hours, now, formats)
}

/** Longer windows have months below them. */
const MOST_DATES = 100

function dayColumns(series: Stats['series'], formats: Formats): Column[] {
  const dates = series.map(({ date }) => ({ date, weekday: new Date(`${date}T00:00:00Z`).getUTCDay() }))
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
    isNow: at === series.length - 1,
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
    const isRepeated = names.indexOf(names[index] ?? '') !== names.lastIndexOf(names[index] ?? '')
    const end = hours[index + 1]?.at
    const hour = Number(at.slice(11, 13))
    const isTicked =
      hour % TICK_HOURS === 0 && at.slice(14, 16) === '00' && hours[index - 1]?.at.slice(11, 13) !== at.slice(11, 13)
    return {
      // When clocks are set back, an hour comes twice: its offset tells which.
      name: isRepeated ? `${names[index]} (UTC${at.slice(19)})` : (names[index] ?? at),
      scans,
      visitors,
      ...(isTicked && { tick: formats.hour(at.slice(0, 19)), isMinor: hour % (2 * TICK_HOURS) !== 0 }),
      isWeekend: false,
      isNow: Date.parse(at) <= now && (end === undefined || now < Date.parse(end)),
    }
  })
}
