import { slotOf, startOfSlot } from '../calendar.ts'
import { earlierWindow, type EarlierWindow } from './earlier-window.ts'
import { weekRanges } from './heat.ts'
import { hoursOf, localDays, seriesOf, type Period } from './periods.ts'
import type { SlotRange, WeekRange } from './row-queries.ts'
import type { StatsQuery } from './stats-query.ts'
import { rowRangesOf, type RowRanges } from './window.ts'

/** The windows of a query: its own and those with which it is compared, and the rows that hold their counts by value. */
export interface Windows {
  query: StatsQuery
  now: number
  /** Of the series. */
  periods: Period[]
  /** Of a window of one day. */
  hours: SlotRange[]
  /** All of the window. */
  whole: SlotRange
  rowRanges: RowRanges
  from: string
  to: string
  before: EarlierWindow | undefined
  compared: EarlierWindow | undefined
  /** Of the hours of the week; none without. */
  heat: WeekRange[]
}

export function windowsOf(query: StatsQuery, now: number): Windows {
  const { days, timeZone, interval = 'day', previous = false, compare, heat = false } = query
  const last = query.to === undefined ? dateAt(now, timeZone) : Temporal.PlainDate.from(query.to)
  const first = last.subtract({ days: days - 1 })
  const earlier = (by: Temporal.DurationLike) => earlierWindow({ first, last, timeZone }, by, now)
  const window = localDays(first, days, timeZone)
  const whole = slotsOf(window)
  return {
    query,
    now,
    periods: seriesOf(window, interval, timeZone),
    hours: days === 1 ? window.flatMap(hoursOf) : [],
    whole,
    rowRanges: rowRangesOf(startOfSlot(whole.fromSlot), startOfSlot(whole.toSlot), now),
    from: first.toString(),
    to: last.toString(),
    before: previous ? earlier({ days }) : undefined,
    compared: compare && earlier(compare === 'year' ? { years: 1 } : { days }),
    heat: heat ? weekRanges(whole, timeZone) : [],
  }
}

/** All slots of the days. */
function slotsOf(days: Period[]): SlotRange {
  return { fromSlot: days[0]?.fromSlot ?? 0, toSlot: days.at(-1)?.toSlot ?? 0 }
}

/** The day of a time. */
export function dateAt(at: number, timeZone: string): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone).toPlainDate()
}

/** The earlier windows with which that of the query is compared. */
export function earlierWindows({ before, compared }: Pick<Windows, 'before' | 'compared'>): EarlierWindow[] {
  return [before, compared].filter((window) => window !== undefined)
}

/** The ranges whose scans are counted one by one; none in UTC, where each day is in the rollups. */
export function rawRanges(windows: Windows): SlotRange[] {
  return [windows, ...earlierWindows(windows)].flatMap(({ rowRanges: { raw, excess } }) =>
    [...raw, ...excess.map(({ from, to }) => [from, to] as const)].map(([from, to]) => ({
      fromSlot: slotOf(from),
      toSlot: slotOf(to),
    })),
  )
}
