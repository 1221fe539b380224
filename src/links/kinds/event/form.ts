import { usualZone, type Language } from '../../../texts/language.ts'
import type { FormField, FormReading } from '../kind.ts'
import { wallTimes, zoneOf, type EventFields } from './event.ts'
import { isDay, isOffset, momentAt, wallTime } from './moment.ts'
import { typedPeriod } from './preview.ts'

export const form: FormField[] = [
  { name: 'summary', input: 'text', required: true },
  { name: 'start_date', field: 'start', input: 'date', required: true, isHalf: true },
  { name: 'start_time', field: 'start', input: 'time', isHalf: true },
  { name: 'end_date', field: 'end', input: 'date', isHalf: true },
  { name: 'end_time', field: 'end', input: 'time', isHalf: true },
  { name: 'timezone', input: 'zone' },
  { name: 'location', input: 'text' },
  { name: 'description', input: 'textarea' },
  { name: 'url', input: 'url' },
]

/** Days and times are typed as a clock shows them, and stored with their offset. */
export const reading: FormReading<EventFields> = { toFields, toInputs }

function toFields(typed: Record<string, unknown>, language: Language, before?: EventFields): Record<string, unknown> {
  const { start_date, start_time, end_date, end_time, timezone, ...others } = typed
  const inputs: Record<string, unknown> = { start_date, start_time, end_date, end_time }
  const textOf = (name: string) => asText(inputs[name])
  const hasTime = start_time !== undefined || end_time !== undefined
  const zone = asText(timezone) || (hasTime ? usualZone[language] : '')
  const { start, end } = typedPeriod(textOf)
  // One that was not changed stays as it was: by the clock, an hour comes twice when summer ends.
  const momentOf = (wall: string, kept: string | undefined) =>
    kept !== undefined && isSameWall(kept, wall, zone) ? kept : momentAt(wall, zone)
  return {
    ...others,
    ...(start !== '' && { start: momentOf(start, before?.start) }),
    ...(end !== undefined && { end: momentOf(end, before?.end) }),
    ...(zone !== '' && !isOffset(zone) && zone !== unnamedZone(before) && { timezone: zone }),
  }
}

function toInputs(event: EventFields): Record<string, unknown> {
  const { start, end = '' } = wallTimes(event)
  const { summary, location, description, url } = event
  const [start_date, start_time] = start.split('T')
  const [end_date, end_time] = end.split('T')
  const timezone = event.timezone ?? unnamedZone(event)
  return { summary, start_date, start_time, end_date, end_time, timezone, location, description, url }
}

function isSameWall(moment: string, wall: string, zone: string): boolean {
  try {
    return wallTime(moment, zone) === wall
  } catch {
    return false
  }
}

/** What stands for the time zone of an event with times that has none: the offset of its start. */
function unnamedZone(event: EventFields | undefined): string | undefined {
  return event === undefined || event.timezone !== undefined || isDay(event.start) ? undefined : zoneOf(event)
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value.trim() : ''
}
