import type { Rule } from '../../../links/rules/rule.ts'
import { usualZone, type Language } from '../../../texts/language.ts'
import { nameIn } from './sentence.ts'
import type { ReadOptions, RuleField, TypedValues } from './read-rule.ts'

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
  const fields: Record<RuleField | 'answer', string[]> = {
    device: when.device ?? [],
    os: when.os ?? [],
    country: joined(when.country?.map((code) => nameIn(language, 'region', code))),
    language: joined(when.language),
    source: [when.source ?? ''],
    placement: joined(when.placement),
    from: one(when.from && localTime(when.from, zone)),
    until: one(when.until && localTime(when.until, zone)),
    weekdays: when.weekdays ?? [],
    hours: joined(when.hours),
    timezone: [zone],
    after_visitors: one(when.after_visitors),
    after_scans: one(when.after_scans),
    percent: one(when.percent),
    answer: [then.ended === undefined ? 'target' : 'ended'],
    target: one(then.target),
    ended: one(then.ended),
  }
  const values: Record<string, string[]> = fields
  return (name) => values[name] ?? []
}

function localTime(instant: string, zone: string): string {
  const local = toLocal(instant, zone).toPlainDateTime()
  return local.toString({ smallestUnit: local.second === 0 ? 'minute' : 'second' })
}

/** Without fractions of a second, which the editor does not show. */
function toLocal(instant: string, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.from(instant)
    .toZonedDateTimeISO(zone)
    .round({ smallestUnit: 'second', roundingMode: 'trunc' })
}

/**
 * Reads the times of the editor.
 * @param stored the rule that is edited: its offsets say which instant is meant where clocks are set back, so that a local
 * time happens twice
 */
export function instantsOf(stored: Rule | undefined): ReadOptions['instantOf'] {
  return (typed, timeZone, name) => {
    try {
      const local = Temporal.PlainDateTime.from(typed)
      const known = stored?.when[name]
      if (known === undefined) return textOf(local.toZonedDateTime(timeZone))
      const present = toLocal(known, timeZone)
      if (present.toPlainDateTime().equals(local)) return known
      const { year, month, day, hour, minute, second } = local
      const fields = { year, month, day, hour, minute, second, timeZone, offset: present.offset }
      return textOf(Temporal.ZonedDateTime.from(fields, { offset: 'prefer' }))
    } catch {
      return undefined
    }
  }
}

function textOf(time: Temporal.ZonedDateTime): string {
  return time.toString({ timeZoneName: 'never', smallestUnit: time.second === 0 ? 'minute' : 'second' })
}
