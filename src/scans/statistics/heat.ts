import { slotOf } from '../calendar.ts'
import { localTimeOf, SLOTS_OF_HOUR } from './periods.ts'
import type { SlotRange, WeekRange } from './row-queries.ts'

export const HOURS_OF_WEEK = 7 * 24
export const SLOTS_OF_WEEK = HOURS_OF_WEEK * SLOTS_OF_HOUR

const HOURS_OF_DAY = 24
const NANOSECONDS_OF_SLOT = 900e9
/** 1970 began on a Thursday. */
const FIRST_OF_1970 = 3 * HOURS_OF_DAY * SLOTS_OF_HOUR

/** Splits a window where clocks change. */
export function weekRanges({ fromSlot, toSlot }: SlotRange, timeZone: string): WeekRange[] {
  const ranges: WeekRange[] = []
  let time = localTimeOf(fromSlot, timeZone)
  for (let from = fromSlot; from < toSlot;) {
    const change = time.getTimeZoneTransition('next')
    const to = change === null ? toSlot : Math.min(toSlot, slotOf(change.epochMilliseconds))
    ranges.push({ fromSlot: from, toSlot: to, shift: shiftOf(time) })
    from = to
    time = change ?? time
  }
  return ranges
}

function shiftOf({ offsetNanoseconds }: Temporal.ZonedDateTime): number {
  const shift = FIRST_OF_1970 + Math.floor(offsetNanoseconds / NANOSECONDS_OF_SLOT)
  return (shift + SLOTS_OF_WEEK) % SLOTS_OF_WEEK
}

/** The counts of the hours of each day, Monday first. */
export function heatOf(hoursOfWeek: number[]): number[][] {
  const days = hoursOfWeek.length / HOURS_OF_DAY
  return Array.from({ length: days }, (_, day) => hoursOfWeek.slice(day * HOURS_OF_DAY, (day + 1) * HOURS_OF_DAY))
}
