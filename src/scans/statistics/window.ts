import { dayOf, firstDayOfMonth, monthOf, slotOf, startOfDay } from '../calendar.ts'

/** The rows that hold the counts of a window by value. Ranges of periods include both ends, ranges of times only the first. */
export interface RowRanges {
  months: [from: number, to: number][]
  days: [from: number, to: number][]
  /** Edges that are not whole UTC days: counted from raw scans, milliseconds since 1970. */
  raw: [from: number, to: number][]
  /** Scans of these days that are not in the window: raw scans, to be subtracted. */
  excess: Excess[]
}

/** Raw scans of a UTC day. */
export interface Excess {
  day: number
  from: number
  to: number
}

/** The quarter of an hour in which a day begins in a time zone. */
export function slotOfDate(date: Temporal.PlainDate, timeZone: string): number {
  return slotOf(date.toZonedDateTime({ timeZone }).epochMilliseconds)
}

/**
 * Splits a range of time into whole months, the remaining whole days, and edges.
 * @param now after which there are no scans yet
 */
export function rowRangesOf(from: number, to: number, now: number): RowRanges {
  const [firstDay, endDay] = [Math.ceil(from / startOfDay(1)), dayOf(to)]
  // Within one UTC day, or two pieces of neighbouring ones.
  const pieces =
    firstDay > endDay
      ? [[from, to] as const]
      : [[from, startOfDay(firstDay)] as const, [startOfDay(endDay), to] as const]
  const rowRanges = firstDay < endDay ? wholeDays(firstDay, endDay) : { months: [], days: [] }
  const edges = pieces.filter(([begin, end]) => begin < end).map(([begin, end]) => edgeOf(begin, end, now))
  return {
    months: rowRanges.months,
    days: [...rowRanges.days, ...edges.flatMap(({ days }) => days)],
    raw: edges.flatMap(({ raw }) => raw),
    excess: edges.flatMap(({ excess }) => excess),
  }
}

function wholeDays(firstDay: number, endDay: number): Pick<RowRanges, 'months' | 'days'> {
  const firstMonth =
    firstDayOfMonth(monthOf(startOfDay(firstDay))) === firstDay
      ? monthOf(startOfDay(firstDay))
      : monthOf(startOfDay(firstDay)) + 1
  const endMonth = monthOf(startOfDay(endDay))
  if (firstMonth >= endMonth) return { months: [], days: [[firstDay, endDay - 1]] }
  const days: RowRanges['days'] = [
    [firstDay, firstDayOfMonth(firstMonth) - 1],
    [firstDayOfMonth(endMonth), endDay - 1],
  ]
  return { months: [[firstMonth, endMonth - 1]], days: days.filter(([first, last]) => first <= last) }
}

/** A part of a UTC day: its raw scans, or the day without the others, whichever are fewer hours so far. */
function edgeOf(from: number, to: number, now: number): Omit<RowRanges, 'months'> {
  const day = dayOf(from)
  const others = [
    { day, from: startOfDay(day), to: from },
    { day, from: to, to: startOfDay(day + 1) },
  ].filter((range) => range.from < range.to)
  const elapsed = (range: { from: number; to: number }) => Math.max(0, Math.min(range.to, now) - range.from)
  const isMost = others.reduce((sum, range) => sum + elapsed(range), 0) < elapsed({ from, to })
  return isMost ? { days: [[day, day]], raw: [], excess: others } : { days: [], raw: [[from, to]], excess: [] }
}
