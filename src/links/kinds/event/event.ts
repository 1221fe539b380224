import { isTimeZone } from '../../../lib/time-zone.ts'
import { offsetOf, wallTime } from './moment.ts'
import type { CalendarStamp } from './stamp.ts'

/** The fields of an event; start and end are both days or both times. */
export interface EventFields {
  summary: string
  start: string
  end?: string
  timezone?: string
  location?: string
  description?: string
  url?: string
}

/** An event as it is stored. */
export interface StoredEvent extends EventFields {
  calendar: CalendarStamp
}

/** The time zone in which people read its times: its own, unless this Node does not know it, else the offset of its start. */
export function zoneOf({ start, timezone }: Pick<EventFields, 'start' | 'timezone'>): string {
  return timezone !== undefined && isTimeZone(timezone) ? timezone : offsetOf(start)
}

/** Start and end as clocks show them there. */
export function wallTimes(event: EventFields): { start: string; end: string | undefined } {
  const zone = zoneOf(event)
  return { start: wallTime(event.start, zone), end: event.end === undefined ? undefined : wallTime(event.end, zone) }
}
