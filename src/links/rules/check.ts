import { conditions } from '../../dimensions/dimensions.ts'
import type { FieldError } from '../../http/problem.ts'
import { isTimeZone } from '../../lib/time-zone.ts'
import type { Conditions, Rule } from './rule.ts'

/** What the schema of rules cannot say: known names, and how the fields of a well-formed rule depend on one another. */
export function ruleErrors(rules: Rule[]): FieldError[] {
  return rules.flatMap((rule, at) => [
    ...answerErrors(rule.then, `/rules/${at}/then`),
    ...conditionErrors(rule.when, `/rules/${at}/when`),
  ])
}

/** The URLs of rules, with their pointers. */
export function urlsOfRules(rules: Rule[]): { pointer: string; url: string }[] {
  return rules.flatMap(({ then: { target } }, at) =>
    target === undefined ? [] : [{ pointer: `/rules/${at}/then/target`, url: target }],
  )
}

function answerErrors({ target, ended }: Rule['then'], pointer: string): FieldError[] {
  if ((target === undefined) !== (ended === undefined)) return []
  return [{ pointer, detail: 'must have either target or ended' }]
}

function conditionErrors(when: Conditions, pointer: string): FieldError[] {
  const errors = [...dimensionErrors(when), ...periodErrors(when), ...localErrors(when)]
  return errors.map(([name, detail]) => ({ pointer: `${pointer}/${name}`, detail }))
}

type ConditionError = [name: string, detail: string]

function dimensionErrors(when: Conditions): ConditionError[] {
  return conditions.flatMap(({ name, condition: { errors = () => [] } }) =>
    errors([when[name] ?? []].flat()).map(([at, detail]): ConditionError => [`${name}/${at}`, detail]),
  )
}

function periodErrors({ from, until }: Conditions): ConditionError[] {
  const [start, end] = [timeOf(from), timeOf(until)]
  const errors: ConditionError[] = []
  if (Number.isNaN(start)) errors.push(['from', 'is not a time that exists'])
  if (Number.isNaN(end)) errors.push(['until', 'is not a time that exists'])
  if ((start ?? -Infinity) >= (end ?? Infinity)) errors.push(['until', 'must be later than from'])
  return errors
}

function localErrors({ weekdays, hours, timezone }: Conditions): ConditionError[] {
  const errors = (hours ?? []).flatMap((span, at): ConditionError[] => {
    const [from, until] = span.split('-')
    return from === until ? [[`hours/${at}`, 'must not begin and end at the same time']] : []
  })
  const needsZone = weekdays !== undefined || hours !== undefined
  if (timezone === undefined) {
    if (needsZone) errors.push(['timezone', 'is required with weekdays or hours'])
  } else if (!needsZone) errors.push(['timezone', 'is only of use with weekdays or hours'])
  else if (!isTimeZone(timezone)) errors.push(['timezone', 'must be an IANA time zone such as Europe/Berlin'])
  return errors
}

/** An instant in milliseconds since 1970; NaN for one that does not exist. */
export function timeOf(instant: string | undefined): number | undefined {
  if (instant === undefined) return undefined
  try {
    return Temporal.Instant.from(instant).epochMilliseconds
  } catch {
    return Number.NaN
  }
}
