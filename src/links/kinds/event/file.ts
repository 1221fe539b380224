import { escapeText, foldLine } from '../shared/content-lines.ts'
import { destination } from '../../utm.ts'
import type { StoredEvent } from './event.ts'
import { isDay } from './moment.ts'

/**
 * An iCalendar object (RFC 5545) of one event.
 *
 * Times are in UTC: an event that happens once is at one instant, which its offset names, so that a time zone with its rules
 * (VTIMEZONE) would add nothing, and could contradict it. Calendars show it in the zone of their user.
 */
export function writeCalendar(event: StoredEvent, utm: Record<string, string>): string {
  const { calendar, start, end, url } = event
  const lines: [name: string, value: string | undefined][] = [
    ['BEGIN', 'VCALENDAR'],
    ['VERSION', '2.0'],
    ['PRODID', '-//quirl//event//EN'],
    ['BEGIN', 'VEVENT'],
    ['UID', calendar.uid],
    ['DTSTAMP', utcTime(Temporal.Instant.fromEpochMilliseconds(calendar.revised))],
    ['SEQUENCE', String(calendar.sequence)],
    ['SUMMARY', escapeText(event.summary)],
    timeLine('DTSTART', start, 0),
    // The last day is included here, and excluded there.
    ...(end === undefined ? [] : [timeLine('DTEND', end, 1)]),
    ['LOCATION', event.location && escapeText(event.location)],
    ['DESCRIPTION', event.description && escapeText(event.description)],
    ['URL', url && destination(url, utm)],
    ['END', 'VEVENT'],
    ['END', 'VCALENDAR'],
  ]
  return lines.map(([name, value]) => (value ? `${foldLine(`${name}:${value}`)}\r\n` : '')).join('')
}

function timeLine(name: string, moment: string, days: number): [name: string, value: string] {
  if (!isDay(moment)) return [name, utcTime(Temporal.Instant.from(moment))]
  return [`${name};VALUE=DATE`, Temporal.PlainDate.from(moment).add({ days }).toString().replaceAll('-', '')]
}

function utcTime(instant: Temporal.Instant): string {
  return instant.toString({ smallestUnit: 'second' }).replaceAll(/[-:]/g, '')
}
