import type { RuleField, TypedValues } from './read-rule.ts'

/** A rule that could not be saved, for the editor. */
export interface RefusedRule {
  values: TypedValues
  faults: RuleField[]
  isBlocked?: boolean
  /** The rule as it was stored, as JSON; undefined for a new one. */
  stored: string | undefined
}
