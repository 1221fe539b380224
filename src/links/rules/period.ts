import type { Rule } from './rule.ts'

/** A rule as the API has it, or as it is being typed. */
interface TimedRule {
  when: object
  then: { ended?: string | undefined }
}

/**
 * What a rule says that has no other condition than a time and sends nobody elsewhere: that the link starts then, or that it
 * ends then. Undefined for another rule.
 */
export function periodOf({ when, then }: TimedRule): 'start' | 'end' | undefined {
  if (then.ended === undefined) return undefined
  const [name, ...others] = Object.keys(when)
  if (others.length > 0) return undefined
  return name === 'until' ? 'start' : name === 'from' ? 'end' : undefined
}

/** The rule of a link that starts at an instant; visitors before it read a text. */
export function startingAt(until: string, ended: string): Rule {
  return { when: { until }, then: { ended } }
}

/** The rule of a link that ends at an instant; visitors from then on read a text. */
export function endingAt(from: string, ended: string): Rule {
  return { when: { from }, then: { ended } }
}
