import { startOfSlot } from '../calendar.ts'
import { ofAudience, type AudienceSums } from './quarter-hours.ts'
import type { SlotRange } from './row-queries.ts'
import type { Counts, StatsQuery } from './stats-query.ts'

export type HourCounts = Counts & {
  /** When the hour begins, with the offset of the time zone: a day on which clocks change has 23 hours, or 25. */
  at: string
}

const SLOTS = 4

/** The hours of a day; the last one is shorter where clocks change by half an hour. */
export function hoursOf({ fromSlot: first, toSlot: end }: SlotRange): SlotRange[] {
  return Array.from({ length: Math.ceil((end - first) / SLOTS) }, (_, hour) => {
    const fromSlot = first + hour * SLOTS
    return { fromSlot, toSlot: Math.min(fromSlot + SLOTS, end) }
  })
}

/** The counts of each hour. */
export function countHours(
  hours: SlotRange[],
  sums: AudienceSums[],
  { timeZone, audience }: Pick<StatsQuery, 'timeZone' | 'audience'>,
): HourCounts[] {
  return sums.map((each, at) => {
    const { scans, unique_visitors } = ofAudience(each, audience)
    const start = startOfSlot(hours[at]?.fromSlot ?? 0)
    const time = Temporal.Instant.fromEpochMilliseconds(start).toZonedDateTimeISO(timeZone)
    return { at: time.toString({ timeZoneName: 'never', smallestUnit: 'second' }), scans, unique_visitors }
  })
}
