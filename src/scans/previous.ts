import type { Audience } from './breakdowns.ts'
import { slotOf, startOfSlot } from './calendar.ts'
import { byAudience, createSlotReader, ofAudience, type ByAudience } from './quarter-hours.ts'
import { createSourceReader } from './sources.ts'
import type { Warehouse } from './warehouse.ts'
import { partsOf, startOfDate } from './window.ts'
import type { StatsQuery, WindowTotals } from './stats-query.ts'

/** The counts of the window before, for a comparison with a window whose last day is not over. */
export interface Previous {
  from: string
  /** Where it ends: at the time of day that it is now. */
  until: string
  totals: WindowTotals
  unique_visitors: number
  by_audience: ByAudience
}

/** Reads the counts of as many days as the window has, before it, until the same time of day. */
export function readPrevious(warehouse: Warehouse, linkId: number, query: StatsQuery, now: number): Previous {
  const { days, timeZone, audience } = query
  const time = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone)
  const end = time.subtract({ days })
  const first = end.toPlainDate().subtract({ days: days - 1 })
  const [fromSlot, toSlot] = [slotOf(startOfDate(first, timeZone)), slotOf(end.epochMilliseconds)]
  const sums = createSlotReader(warehouse)(linkId, fromSlot, toSlot)
  const { unique_visitors, ...counts } = ofAudience(sums, audience)
  const until = Temporal.Instant.fromEpochMilliseconds(startOfSlot(toSlot)).toZonedDateTimeISO(timeZone)
  const sources = sourcesBetween(warehouse, linkId, audience, [startOfSlot(fromSlot), startOfSlot(toSlot)], now)
  return {
    from: first.toString(),
    until: until.toString({ timeZoneName: 'never', smallestUnit: 'second' }),
    totals: { ...counts, unique_visitors, ...sources },
    unique_visitors,
    by_audience: byAudience([sums]),
  }
}

function sourcesBetween(
  warehouse: Warehouse,
  linkId: number,
  audience: Audience,
  [from, to]: [number, number],
  now: number,
) {
  return createSourceReader(warehouse, audience, partsOf(from, to, now))(linkId)
}
