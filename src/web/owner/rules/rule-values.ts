import type { Rule } from '../../../links/rules/rule.ts'
import type { Language } from '../../../texts/language.ts'
import { nameIn } from './sentence.ts'
import type { TypedValues } from './read-rule.ts'

/** Where most readers of a language live. The script proposes the visitor's own time zone. */
const usualZone: Record<Language, string> = { en: 'UTC', de: 'Europe/Berlin' }

/** What the editor shows for a new rule. */
export function valuesOfNewRule(language: Language): TypedValues {
  const values: Record<string, string[]> = { answer: ['target'], source: [''], timezone: [usualZone[language]] }
  return (name) => values[name] ?? []
}

/** What the editor shows for a stored rule. */
export function valuesOfRule({ when, then }: Rule, language: Language): TypedValues {
  const zone = when.timezone ?? usualZone[language]
  const one = (value: string | number | undefined) => (value === undefined ? [] : [String(value)])
  const joined = (list: string[] | undefined) => (list === undefined ? [] : [list.join(', ')])
  const values: Record<string, string[]> = {
    device: when.device ?? [],
    os: when.os ?? [],
    country: joined(when.country?.map((code) => nameIn(language, 'region', code))),
    language: joined(when.language),
    source: [when.source ?? ''],
    from: one(when.from && localTime(when.from, zone)),
    until: one(when.until && localTime(when.until, zone)),
    weekdays: when.weekdays ?? [],
    hours: joined(when.hours),
    timezone: [zone],
    after_scans: one(when.after_scans),
    percent: one(when.percent),
    answer: [then.ended === undefined ? 'target' : 'ended'],
    target: one(then.target),
    ended: one(then.ended),
  }
  return (name) => values[name] ?? []
}

function localTime(instant: string, zone: string): string {
  const local = Temporal.Instant.from(instant).toZonedDateTimeISO(zone).toPlainDateTime()
  return local.toString({ smallestUnit: local.second === 0 ? 'minute' : 'second' })
}

/** The instant of a local time; undefined when the time or the zone does not exist. */
export function instantOf(local: string, timezone: string): string | undefined {
  try {
    const time = Temporal.PlainDateTime.from(local).toZonedDateTime(timezone)
    return time.toString({ timeZoneName: 'never', smallestUnit: time.second === 0 ? 'minute' : 'second' })
  } catch {
    return undefined
  }
}
