import { dayOf, firstDayOfMonth, monthOf, slotOf, startOfDay } from './calendar.ts'

/** A day in the requested time zone. */
export interface LocalDay {
  date: string
  /** The first quarter of an hour of the day, and the first one after it. */
  fromSlot: number
  toSlot: number
}

/** The rows that hold the counts of a window by value. Ranges of periods include both ends, ranges of times only the first. */
export interface Parts {
  months: [from: number, to: number][]
  days: [from: number, to: number][]
  /** Edges that are not whole UTC days: counted from raw scans, milliseconds since 1970. */
  raw: [from: number, to: number][]
}

/** The days of a window in a time zone, oldest first; the last one has `now`. */
export function localDays(now: number, days: number, timeZone: string): LocalDay[] {
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone).toPlainDate()
  const startOf = (date: Temporal.PlainDate) => date.toZonedDateTime({ timeZone }).epochMilliseconds
  return Array.from({ length: days }, (_, at) => {
    const date = today.subtract({ days: days - 1 - at })
    return { date: date.toString(), fromSlot: slotOf(startOf(date)), toSlot: slotOf(startOf(date.add({ days: 1 }))) }
  })
}

/** Splits a range of time into whole months, the remaining whole days, and edges. */
export function partsOf(from: number, to: number): Parts {
  const firstDay = Math.ceil(from / startOfDay(1))
  const endDay = dayOf(to)
  if (firstDay >= endDay) return { months: [], days: [], raw: [[from, to]] }
  const raw: Parts['raw'] = [
    [from, startOfDay(firstDay)],
    [startOfDay(endDay), to],
  ]
  const firstMonth =
    firstDayOfMonth(monthOf(startOfDay(firstDay))) === firstDay
      ? monthOf(startOfDay(firstDay))
      : monthOf(startOfDay(firstDay)) + 1
  const endMonth = monthOf(startOfDay(endDay))
  if (firstMonth >= endMonth) return { months: [], days: [[firstDay, endDay - 1]], raw: nonEmpty(raw) }
  const days: Parts['days'] = [
    [firstDay, firstDayOfMonth(firstMonth) - 1],
    [firstDayOfMonth(endMonth), endDay - 1],
  ]
  return {
    months: [[firstMonth, endMonth - 1]],
    days: days.filter(([first, last]) => first <= last),
    raw: nonEmpty(raw),
  }
}

function nonEmpty(ranges: Parts['raw']): Parts['raw'] {
  return ranges.filter(([from, to]) => from < to)
}
