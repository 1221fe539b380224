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
