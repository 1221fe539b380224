import { slotOf, startOfSlot } from '../calendar.ts'
import { bySource, byAudience, ofAudience, type AudienceSums, type ByAudience } from './quarter-hours.ts'
import type { SlotRange, Sources } from './row-queries.ts'
import type { StatsQuery, WindowTotals } from './stats-query.ts'
import { partsOf, startOfDate, type Parts } from './window.ts'

/** The counts of the window before, for a comparison with a window whose last day is not over. */
export interface Previous {
  from: string
  /** Where it ends: at the time of day that it is now. */
  until: string
  totals: WindowTotals
  unique_visitors: number
  by_audience: ByAudience
}

/** The window before, and the rows that hold its counts. */
export interface WindowBefore extends Pick<Previous, 'from' | 'until'>, SlotRange {
  parts: Parts
}

/** As many days as the window has, before it, until the same time of day. */
export function windowBefore({ days, timeZone }: StatsQuery, now: number): WindowBefore {
  const time = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone)
  const end = time.subtract({ days })
  const first = end.toPlainDate().subtract({ days: days - 1 })
  const [fromSlot, toSlot] = [slotOf(startOfDate(first, timeZone)), slotOf(end.epochMilliseconds)]
  const until = Temporal.Instant.fromEpochMilliseconds(startOfSlot(toSlot)).toZonedDateTimeISO(timeZone)
  return {
    from: first.toString(),
    until: until.toString({ timeZoneName: 'never', smallestUnit: 'second' }),
    fromSlot,
    toSlot,
    parts: partsOf(startOfSlot(fromSlot), startOfSlot(toSlot), now),
  }
}

/** The counts of the window before. */
export function countBefore(
  { from, until }: WindowBefore,
  sums: AudienceSums,
  sources: Sources,
  { audience }: StatsQuery,
): Previous {
  const { unique_visitors, ...counts } = ofAudience(sums, audience)
  return {
    from,
    until,
    totals: { ...counts, unique_visitors, ...bySource(counts.scans, sources.qr) },
    unique_visitors,
    by_audience: byAudience([sums]),
  }
}
