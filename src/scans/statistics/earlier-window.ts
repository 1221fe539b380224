import { slotOf, startOfSlot } from '../calendar.ts'
import { localTimeOf } from './periods.ts'
import type { SlotRange } from './row-queries.ts'
import { rowRangesOf, slotOfDate, type RowRanges } from './window.ts'

/** A window with which another one is compared, and the rows that hold its counts. */
export interface EarlierWindow extends SlotRange {
  from: string
  to: string
  /** Where it ends. */
  until: string
  rowRanges: RowRanges
}

/** The first and the last day of a window. */
export interface WindowDates {
  first: Temporal.PlainDate
  last: Temporal.PlainDate
  timeZone: string
}

/**
 * The same window, so much earlier. Where today is the last day of the later one, this one ends at the same time of day: a
 * comparison must not depend on the hour.
 */
export function earlierWindow(
  { first, last, timeZone }: WindowDates,
  by: Temporal.DurationLike,
  now: number,
): EarlierWindow {
  const time = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone)
  const [from, to] = [first.subtract(by), last.subtract(by)]
  const end = slotOfDate(to.add({ days: 1 }), timeZone)
  const isOver = !last.equals(time.toPlainDate())
  // At most the end of that day: some islands have left out whole days.
  const toSlot = isOver ? end : Math.min(end, slotOf(time.subtract(by).epochMilliseconds))
  const fromSlot = slotOfDate(from, timeZone)
  return {
    from: from.toString(),
    to: to.toString(),
    until: localTimeOf(toSlot, timeZone).toString({ timeZoneName: 'never', smallestUnit: 'second' }),
    fromSlot,
    toSlot,
    rowRanges: rowRangesOf(startOfSlot(fromSlot), startOfSlot(toSlot), now),
  }
}
