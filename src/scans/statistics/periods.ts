import { startOfSlot } from '../calendar.ts'
import type { SlotRange } from './row-queries.ts'
import type { Interval } from './stats-query.ts'
import { slotOfDate } from './window.ts'

/** A period of a window: an hour, a day, or the days of a week or a month that are in the window. */
export interface Period extends SlotRange {
  /** The first day, or when the hour begins, in local time with its offset. */
  date: string
}

export const SLOTS_OF_HOUR = 4
const MONDAY = 1

/** The days of a window in a time zone, oldest first. */
export function localDays(first: Temporal.PlainDate, days: number, timeZone: string): Period[] {
  let fromSlot = slotOfDate(first, timeZone)
  return Array.from({ length: days }, (_, at) => {
    const toSlot = slotOfDate(first.add({ days: at + 1 }), timeZone)
    const day = { date: first.add({ days: at }).toString(), fromSlot, toSlot }
    fromSlot = toSlot
    return day
  })
}

/** The periods of a series, which have all slots of its days. */
export function seriesOf(days: Period[], interval: Interval, timeZone: string): Period[] {
  if (interval === 'day') return days
  if (interval === 'hour') return days.flatMap(hoursOf).map((hour) => ({ date: hourOf(hour, timeZone), ...hour }))
  const periods: Period[] = []
  for (const day of days) {
    const current = periods.at(-1)
    if (current === undefined || begins(day.date, interval)) periods.push({ ...day })
    else current.toSlot = day.toSlot
  }
  return periods
}

function begins(date: string, interval: 'week' | 'month'): boolean {
  const { day, dayOfWeek } = Temporal.PlainDate.from(date)
  return interval === 'week' ? dayOfWeek === MONDAY : day === 1
}

function hourOf({ fromSlot }: SlotRange, timeZone: string): string {
  return localTimeOf(fromSlot, timeZone).toString({ timeZoneName: 'never', smallestUnit: 'minute' })
}

/** When a quarter of an hour begins. */
export function localTimeOf(slot: number, timeZone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(startOfSlot(slot)).toZonedDateTimeISO(timeZone)
}

/** The hours of a day: 23 or 25 when clocks change; the last one is shorter where they change by half an hour. */
export function hoursOf({ fromSlot: first, toSlot: end }: SlotRange): SlotRange[] {
  return Array.from({ length: Math.ceil((end - first) / SLOTS_OF_HOUR) }, (_, hour) => {
    const fromSlot = first + hour * SLOTS_OF_HOUR
    return { fromSlot, toSlot: Math.min(fromSlot + SLOTS_OF_HOUR, end) }
  })
}
