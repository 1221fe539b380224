import { Type } from '#typebox'
import { publicUrl, requiredText, text } from '../../../http/fields.ts'
import { html } from '../../../http/html.ts'
import { REASON, type FieldError } from '../../../http/problem.ts'
import { RULE } from '../../../http/validate.ts'
import { isTimeZone } from '../../../lib/time-zone.ts'
import { defineKind } from '../kind.ts'
import { wallTimes, type EventFields, type StoredEvent } from './event.ts'
import { writeCalendar } from './file.ts'
import { form, reading } from './form.ts'
import { compareMoments, isDay, isReal, MOMENT_PATTERN } from './moment.ts'
import { pictureOf, prepare } from './page.ts'
import { preview, whenText } from './preview.ts'
import { stamp } from './stamp.ts'
import { texts } from './texts.ts'

const moment = (description: string) =>
  Type.String({
    maxLength: 40,
    pattern: MOMENT_PATTERN,
    [RULE]:
      'must be a day such as 2027-06-12, or a time with its offset such as 2027-06-12T14:00+02:00, of the years 1900 to 2999',
    description,
    examples: ['2027-06-12T14:00+02:00'],
  })

const fields = {
  summary: requiredText(200, 'What the event is called.'),
  start: moment('When it begins: a day for whole days, or a time with its offset (ISO 8601).'),
  end: Type.Optional(moment('When it ends: the last day of whole days, or a time with its offset; like `start`.')),
  timezone: Type.Optional(text(64, 'IANA name of the time zone in which the page shows its times.')),
  location: Type.Optional(text(200, 'Where it is.')),
  description: Type.Optional(text(2000, 'Text about it; line breaks are preserved.')),
  url: Type.Optional(publicUrl('A page about it; `utm` is set in it.')),
}

const extension = 'ics'

/** An event: a page that shows it, and a file that adds it to a calendar. */
export const event = defineKind<EventFields>({
  name: 'event',
  texts,
  redirects: false,
  takesUtm: true,
  fields: Type.Object(fields),
  check: ({ payload: { start, end, timezone } }) => [...periodFaults(start, end), ...zoneFaults(timezone)],
  urls: ({ url }) => (url === undefined ? [] : [{ pointer: '/url', url }]),
  stamp,
  prepare: (content) => prepare(content, extension),
  file: {
    extension,
    mediaType: 'text/calendar',
    write: ({ payload, utm }) => writeCalendar(payload as StoredEvent, utm),
  },
  picture: pictureOf,
  form,
  reading,
  leadsTo(payload, language) {
    const { start, end } = wallTimes(payload)
    const text = texts[language].leadsTo(payload.summary, whenText(start, end, language))
    return html`<p class="owner-target" dir="auto">${text}</p>`
  },
  preview,
  sample: {
    summary: 'Summer fair',
    start: '2027-06-12T14:00+02:00',
    end: '2027-06-12T18:00+02:00',
    timezone: 'Europe/Berlin',
    location: 'Market square',
    description: 'Music and cake.',
    url: 'https://example.com/fair',
  },
})

function periodFaults(start: string, end: string | undefined): FieldError[] {
  const moments = Object.entries({ start, ...(end !== undefined && { end }) })
  const unreal = moments.filter(([, moment]) => !isReal(moment))
  const noSuchDay = { detail: 'must be on a day that exists', [REASON]: { name: 'day' } } as const
  if (unreal.length > 0) return unreal.map(([name]) => ({ pointer: `/${name}`, ...noSuchDay }))
  if (end === undefined) return []
  if (isDay(start) !== isDay(end))
    return [{ pointer: '/end', detail: 'must be a day, or a time, as start is', [REASON]: { name: 'pattern' } }]
  // A last day may be the first one; a time must be later (RFC 5545, 3.8.2.2).
  const order = compareMoments(start, end)
  if (order < 0 || (order === 0 && isDay(start))) return []
  const detail = isDay(start) ? 'must not be earlier than start' : 'must be later than start'
  return [{ pointer: '/end', detail, [REASON]: { name: 'before_start' } }]
}

function zoneFaults(timezone: string | undefined): FieldError[] {
  if (timezone === undefined || isTimeZone(timezone)) return []
  const detail = 'must be an IANA time zone such as Europe/Berlin'
  return [{ pointer: '/timezone', detail, [REASON]: { name: 'timezone' } }]
}
