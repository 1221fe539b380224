import type { Counts } from './breakdowns.ts'
import { startOfSlot } from './calendar.ts'
import { createSlotReader, ofAudience } from './quarter-hours.ts'
import type { StatsQuery } from './stats-query.ts'
import type { Warehouse } from './warehouse.ts'
import type { LocalDay } from './window.ts'

export type HourCounts = Counts & {
  /** When the hour begins, with the offset of the time zone: a day on which clocks change has 23 hours, or 25. */
  at: string
}

const SLOTS = 4

/** Reads the counts of each hour of a day. */
export function readHours(
  warehouse: Warehouse,
  linkId: number,
  { timeZone, audience }: Pick<StatsQuery, 'timeZone' | 'audience'>,
  { fromSlot, toSlot }: LocalDay,
): HourCounts[] {
  const read = createSlotReader(warehouse)
  return Array.from({ length: Math.ceil((toSlot - fromSlot) / SLOTS) }, (_, hour) => {
    const slot = fromSlot + hour * SLOTS
    const { scans, unique_visitors } = ofAudience(read(linkId, slot, Math.min(slot + SLOTS, toSlot)), audience)
    const time = Temporal.Instant.fromEpochMilliseconds(startOfSlot(slot)).toZonedDateTimeISO(timeZone)
    return { at: time.toString({ timeZoneName: 'never', smallestUnit: 'second' }), scans, unique_visitors }
  })
}
