import assert from 'node:assert/strict'
import { test } from 'node:test'
import ICAL from 'ical.js'
import { fc } from '../../../../test/support/fast-check.ts'
import { Problem } from '../../../http/problem.ts'
import { parseDraft } from '../../draft.ts'
import type { EventFields, StoredEvent } from './event.ts'
import { writeCalendar } from './file.ts'
import { reading } from './form.ts'
import { event } from './kind.ts'
import { signOfEvent, whenText } from './preview.ts'

const policy = { owns: () => false, screen: () => undefined, now: () => 0 }
const calendar = {
  uid: 'f81d4fae-7dec-41d0-a765-00a0c91e6bf6',
  sequence: 3,
  revised: Date.UTC(2026, 10, 26, 17, 30, 5, 123),
}
const fair: StoredEvent = {
  calendar,
  summary: 'Summer fair',
  start: '2027-06-12T14:00+02:00',
  end: '2027-06-12T18:00:30.5+02:00',
}

/** What an independent parser reads from a file: the properties of its event. */
function read(text: string): ICAL.Component {
  const parsed = new ICAL.Component(ICAL.parse(text) as never[])
  assert.deepEqual([parsed.name, parsed.getFirstPropertyValue('version')], ['vcalendar', '2.0'])
  const events = parsed.getAllSubcomponents('vevent')
  assert.equal(events.length, 1)
  return events[0] as ICAL.Component
}

const valueOf = (component: ICAL.Component, name: string) => component.getFirstPropertyValue(name)?.toString()

/** The pointers and details with which fields are refused. */
function faultsOf(fields: object): string[] {
  try {
    parseDraft({ kind: 'event', summary: 'x', ...fields }, policy)
    return []
  } catch (error) {
    assert.ok(error instanceof Problem)
    return error.errors.map(({ pointer, detail }) => `${pointer} ${detail}`)
  }
}

test('a calendar file has the event with its times in UTC, who it is and which version', () => {
  const text = writeCalendar({ ...fair, url: 'https://example.com/fair?a,b;c' }, { utm_source: 'poster' })
  assert.equal(
    text,
    [
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      'PRODID:-//quirl//event//EN',
      'BEGIN:VEVENT',
      'UID:f81d4fae-7dec-41d0-a765-00a0c91e6bf6',
      'DTSTAMP:20261126T173005Z',
      'SEQUENCE:3',
      'SUMMARY:Summer fair',
      'DTSTART:20270612T120000Z',
      'DTEND:20270612T160030Z',
      'URL:https://example.com/fair?a,b;c&utm_source=poster',
      'END:VEVENT',
      'END:VCALENDAR',
      '',
    ].join('\r\n'),
  )
  const parsed = new ICAL.Event(read(text))
  assert.equal(parsed.startDate.toJSDate().toISOString(), '2027-06-12T12:00:00.000Z')
  assert.equal(parsed.endDate.toJSDate().toISOString(), '2027-06-12T16:00:30.000Z')
  assert.deepEqual([parsed.uid, parsed.sequence, parsed.summary], [calendar.uid, 3, 'Summer fair'])
})

test('whole days end with the last one, which a calendar has as the day after it', () => {
  const days = (end?: string) => {
    const parsed = new ICAL.Event(
      read(writeCalendar({ calendar, summary: 'x', start: '2028-02-28', ...(end && { end }) }, {})),
    )
    assert.ok(parsed.startDate.isDate && parsed.endDate.isDate)
    return [parsed.startDate.toString(), parsed.endDate.toString()]
  }
  assert.deepEqual(days('2028-02-29'), ['2028-02-28', '2028-03-01'])
  assert.deepEqual(days('2028-02-28'), ['2028-02-28', '2028-02-29'])
  // Without an end, a day is one day long (RFC 5545, 3.6.1).
  assert.deepEqual(days(), ['2028-02-28', '2028-02-29'])
})

test('for any text, no line is longer than 75 octets, no character is cut, and an independent parser reads it back', () => {
  const field = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 200 })
    .map((text) => `x${text.toWellFormed().replace(/\p{Cc}/gu, '\n')}😀`)
  fc.assert(
    fc.property(field, field, field, (summary, location, description) => {
      const text = writeCalendar({ ...fair, summary, location, description }, {})
      for (const line of text.split('\r\n')) {
        assert.ok(Buffer.byteLength(line) <= 75)
        assert.doesNotMatch(line, /[\r\n]/)
        assert.ok(line.isWellFormed())
      }
      const component = read(text)
      assert.deepEqual(
        ['summary', 'location', 'description'].map((name) => valueOf(component, name)),
        [summary, location, description],
      )
    }),
  )
})

test('an emoji at each place around the fold stays whole', () => {
  for (let length = 50; length <= 80; length++) {
    const summary = `${'a'.repeat(length)}👩‍👩‍👧‍👦é`
    const text = writeCalendar({ ...fair, summary }, {})
    assert.ok(text.split('\r\n').every((line) => Buffer.byteLength(line) <= 75 && line.isWellFormed()))
    assert.equal(valueOf(read(text), 'summary'), summary)
  }
})

test('line breaks of every form, commas, semicolons and backslashes are escaped, so that no text adds a property', () => {
  const description = 'one\r\ntwo\rthree\nATTENDEE:mailto:x@example.com;a,b\\n'
  const component = read(writeCalendar({ ...fair, description }, {}))
  assert.equal(valueOf(component, 'description'), 'one\ntwo\nthree\nATTENDEE:mailto:x@example.com;a,b\\n')
  assert.equal(component.getAllProperties('attendee').length, 0)
})

test('start and end are both days or both times that exist, the end is not earlier, and the time zone is known', () => {
  const moment =
    'must be a day such as 2027-06-12, or a time with its offset such as 2027-06-12T14:00+02:00, of the years 1900 to 2999'
  const day = '2027-06-12'
  const time = '2027-06-12T14:00+02:00'
  const cases: [fields: object, faults: string[]][] = [
    [{ start: day }, []],
    [{ start: day, end: day }, []],
    [{ start: time, end: '2027-06-12T12:00:00.001Z' }, []],
    [{ start: '2027-06-12T14:00:59.999999999Z', timezone: 'europe/berlin' }, []],
    [{}, ['/start is required']],
    [{ start: time, end: '2027-06-12T12:00Z' }, ['/end must be later than start']],
    [{ start: time, end: '2027-06-12T13:59+02:00' }, ['/end must be later than start']],
    [{ start: day, end: '2027-06-11' }, ['/end must not be earlier than start']],
    [{ start: day, end: time }, ['/end must be a day, or a time, as start is']],
    [{ start: time, end: day }, ['/end must be a day, or a time, as start is']],
    [{ start: '2027-02-29' }, ['/start must be on a day that exists']],
    [
      { start: '2027-02-29T10:00Z', end: '2027-13-01' },
      ['/start must be on a day that exists', '/end must be on a day that exists'],
    ],
    [{ start: day, timezone: 'Europe/Nowhere' }, ['/timezone must be an IANA time zone such as Europe/Berlin']],
    [{ start: day, timezone: '+02:00' }, ['/timezone must be an IANA time zone such as Europe/Berlin']],
    ...[
      '2027-06-12T14:00',
      '2027-06-12T24:00Z',
      '2027-06-12T14:60Z',
      '2027-06-12 14:00Z',
      '12.06.2027',
      '1899-12-31',
      '3000-01-01',
      '2027-06-12T14:00+24:00',
      ' 2027-06-12',
      '2027-06-12\n',
      '2027-06-12T14:00Z[UTC]',
      '20270612',
      '٢٠٢٧-٠٦-١٢',
    ].map((start): [object, string[]] => [{ start }, [`/start ${moment}`]]),
    [
      { start: day, summary: 'x'.repeat(201), description: 'x\u0007' },
      [
        '/summary must be at most 200 characters long',
        '/description must hold no lone surrogates and no control characters but TAB, LF and CR',
      ],
    ],
    [{ start: day, url: 'javascript:alert(1)' }, ['/url must be an http or https URL']],
  ]
  for (const [fields, faults] of cases) {
    const found = faultsOf(fields)
    assert.deepEqual(found.length, faults.length, `${JSON.stringify(fields)}: ${found.join(' | ')}`)
    for (const [at, fault] of faults.entries()) {
      // The URL policy has its own words, which its tests have.
      if (fault.startsWith('/url')) assert.match(found[at] ?? '', /^\/url /)
      else assert.equal(found[at], fault)
    }
  }
})

test('its page shows the times in its time zone, before and after the clocks change, else in the offset of its start', () => {
  const shown = (fields: Partial<EventFields>, language: 'en' | 'de' = 'en') => {
    const payload = { summary: 'x', start: '', ...fields }
    const visit = event.prepare({ code: 'x', target: null, payload, utm: {} })({ platform: 'other' })
    assert.equal(visit.type, 'document')
    const viewer = { language, browser: null, origin: 'https://go.example', service: '' }
    return [...visit.pageFor(viewer).body.markup.matchAll(/<p(?: class="hint")?>([^<]*)<\/p>/g)].map(([, text]) => text)
  }
  const timezone = 'Europe/Berlin'
  const end = '2027-10-31T02:15+01:00'
  // By the clock, it ends before it starts.
  assert.deepEqual(shown({ start: '2027-10-31T02:30+02:00', end, timezone }), [
    whenText('2027-10-31T02:30', '2027-10-31T02:15', 'en'),
    'Central European Summer Time',
  ])
  assert.deepEqual(shown({ start: '2027-03-28T00:59Z', timezone })[1], 'Central European Standard Time')
  assert.deepEqual(shown({ start: '2027-03-28T01:00Z', timezone }), [
    whenText('2027-03-28T03:00', undefined, 'en'),
    'Central European Summer Time',
  ])
  assert.deepEqual(shown({ start: '2027-06-12T14:00+05:45' })[1], 'GMT+05:45')
  assert.deepEqual(shown({ start: '2027-06-12', end: '2027-06-14' }, 'de'), [
    whenText('2027-06-12', '2027-06-14', 'de'),
  ])
  assert.match(whenText('2027-06-12', '2027-06-14', 'de'), /12\..*14\. Juni 2027/)
  assert.match(whenText('2027-06-12T14:00', '2027-06-12T18:00', 'en'), /12 June 2027.*14:00.*18:00/)
  assert.equal(signOfEvent('2027-06-02'), '2')
})

test('what is typed becomes fields with the offset of the time zone on that day', () => {
  const read = (typed: object, before?: EventFields) => reading.toFields({ summary: 'x', ...typed }, 'en', before)
  const berlin = { timezone: 'Europe/Berlin' }
  const at = (start_date: string, start_time: string) => ({ start_date, start_time, ...berlin })
  assert.deepEqual(read(at('2027-06-12', '14:00')), { summary: 'x', start: '2027-06-12T14:00+02:00', ...berlin })
  assert.deepEqual(read(at('2027-12-12', '14:00'))['start'], '2027-12-12T14:00+01:00')
  // The clocks go on from 2:00 to 3:00.
  assert.deepEqual(read(at('2027-03-28', '02:30'))['start'], '2027-03-28T03:30+02:00')
  // They go back from 3:00 to 2:00.
  assert.deepEqual(read(at('2027-10-31', '02:30'))['start'], '2027-10-31T02:30+02:00')
  assert.deepEqual(read({ start_date: '2027-06-12' }), { summary: 'x', start: '2027-06-12' })
  assert.deepEqual(read({ start_date: '2027-06-12', start_time: '14:00', end_time: '18:00' }), {
    summary: 'x',
    start: '2027-06-12T14:00+00:00',
    end: '2027-06-12T18:00+00:00',
    timezone: 'UTC',
  })
  assert.deepEqual(reading.toFields({ start_date: '2027-06-12', start_time: '14:00' }, 'de'), {
    start: '2027-06-12T14:00+02:00',
    ...berlin,
  })
  assert.deepEqual(read({}), { summary: 'x' })
  assert.deepEqual(faultsOf(read({ start_date: '2027-06-12', start_time: '14:00', timezone: 'Moon' })), [
    '/timezone must be an IANA time zone such as Europe/Berlin',
  ])
  assert.equal(faultsOf(read({ start_time: '14:00' })).length, 1)
})

/** What a form sends: empty inputs are left out. */
const present = (values: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

test('a form that is saved as it was shown changes nothing, whatever the event', () => {
  const time = fc
    .tuple(
      fc.date({ min: new Date('1970-01-02'), max: new Date('2999-12-30'), noInvalidDate: true }),
      fc.constantFrom('Z', '+02:00', '-09:30', '+05:45'),
    )
    .map(([date, offset]) => {
      const zoned = Temporal.Instant.fromEpochMilliseconds(date.getTime()).toZonedDateTimeISO(
        offset === 'Z' ? 'UTC' : offset,
      )
      return zoned.toPlainDateTime().toString({ smallestUnit: 'second' }) + offset
    })
  const zone = fc.option(fc.constantFrom('Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'UTC'), {
    nil: undefined,
  })
  fc.assert(
    fc.property(time, fc.integer({ min: 1, max: 100_000 }), zone, (start, minutes, timezone) => {
      const end = Temporal.Instant.from(start).add({ minutes }).toString({ smallestUnit: 'second' })
      const before: EventFields = { summary: 'x', start, end, ...(timezone !== undefined && { timezone }) }
      const typed = present(reading.toInputs(before))
      assert.deepEqual(reading.toFields(typed, 'de', before), before)
    }),
  )
  // Half past two comes twice on this night: the later one stays.
  const later: EventFields = { summary: 'x', start: '2027-10-31T02:30+01:00', timezone: 'Europe/Berlin' }
  const hour: EventFields = { ...later, start: '2027-10-31T02:30+02:00', end: '2027-10-31T02:30+01:00' }
  for (const stored of [later, hour])
    assert.deepEqual(reading.toFields(present(reading.toInputs(stored)), 'en', stored), stored)
})
