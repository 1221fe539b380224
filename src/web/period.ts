import { html, type Html } from '../http/html.ts'
import { invalidRequest, REASON, type FieldError } from '../http/problem.ts'
import { isTimeZone } from '../lib/time-zone.ts'
import { endingAt, startingAt } from '../links/rules/period.ts'
import type { Rule } from '../links/rules/rule.ts'
import { locales, perLanguage, usualZone, type Language } from '../texts/language.ts'
import { periodTexts } from '../texts/period.ts'
import { textOf } from './faults.ts'
import { firstInvalid, renderFields, type FormInput, type Values } from './form.ts'

const days: FormInput[] = [
  { name: 'starts_on', input: 'date', isHalf: true },
  { name: 'ends_on', input: 'date', isHalf: true },
]

/** The first and the last day of a link, in a time zone: they become rules, which its owner can change to the minute. */
export const periodFields: FormInput[] = [...days, { name: 'period_timezone', input: 'zone' }]

/** The inputs; the script of the page fills in the browser's time zone. */
export function periodInputs(values: Values, errors: FieldError[], language: Language, focus: boolean): Html {
  const { labels, hints } = periodTexts[language]
  const fields = periodFields.map((field) => ({
    ...field,
    label: textOf(labels, field.name) ?? '',
    hint: textOf(hints, field.name) ?? '',
  }))
  return html`<fieldset class="home-period">
    <legend>${periodTexts[language].legend}</legend>
    ${renderFields(fields, values, errors, { language, focus })}
  </fieldset>`
}

/** Whether a form has one of the days, or a fault among them. */
export function hasPeriod(values: Values, errors: FieldError[]): boolean {
  return days.some(({ name }) => values[name] !== undefined) || firstInvalid(periodFields, errors) !== undefined
}

/**
 * The rules of the days that were typed.
 * @throws {Problem} 400 for a day or a time zone that does not exist, and for a last day before the first
 */
export function readPeriod(values: Values, language: Language): Rule[] {
  const [first, last] = [values['starts_on'], values['ends_on']]
  if (first === undefined && last === undefined) return []
  const timeZone =
    typeof values['period_timezone'] === 'string' ? values['period_timezone'].trim() : usualZone[language]
  if (!isTimeZone(timeZone))
    throw fault('period_timezone', 'timezone', 'must be an IANA time zone such as Europe/Berlin')
  const [start, end] = [readDay('starts_on', first), readDay('ends_on', last)]
  if (start !== undefined && end !== undefined && Temporal.PlainDate.compare(end, start) < 0)
    throw fault('ends_on', 'before_start', 'must not be earlier than starts_on')
  const { starts, ends } = periodTexts[language]
  const rules: Rule[] = []
  if (start !== undefined) rules.push(startingAt(midnight(start, timeZone), starts(dayText(start, language))))
  if (end !== undefined) rules.push(endingAt(midnight(end.add({ days: 1 }), timeZone), ends(dayText(end, language))))
  return rules
}

function readDay(name: string, text: unknown): Temporal.PlainDate | undefined {
  if (text === undefined) return undefined
  try {
    // The day after the last one is also of a year with four digits.
    if (typeof text === 'string' && /^[1-9]\d{3}-\d\d-\d\d$/.test(text) && text < '9999-12-31')
      return Temporal.PlainDate.from(text)
  } catch {
    // There is no such day.
  }
  throw fault(name, 'day', 'must be a day such as 2026-12-31')
}

/** The first instant of a day, with its offset. */
function midnight(day: Temporal.PlainDate, timeZone: string): string {
  return day.toZonedDateTime(timeZone).toString({ timeZoneName: 'never', smallestUnit: 'minute' })
}

const formatIn = perLanguage(
  (language) => new Intl.DateTimeFormat(locales[language], { dateStyle: 'long', timeZone: 'UTC' }),
)

function dayText(day: Temporal.PlainDate, language: Language): string {
  return formatIn(language).format(day.toZonedDateTime('UTC').epochMilliseconds)
}

function fault(name: string, reason: 'timezone' | 'day' | 'before_start', detail: string) {
  return invalidRequest([{ pointer: `/${name}`, detail, [REASON]: { name: reason } }])
}
