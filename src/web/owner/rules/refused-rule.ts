import type { FieldError } from '../../../http/problem.ts'
import type { RuleField, TypedValues } from './read-rule.ts'

/** A rule that could not be saved, for the editor. */
export interface RefusedRule {
  values: TypedValues
  faults: RuleField[]
  /** Errors of the service, by field. */
  errors?: Partial<Record<RuleField, FieldError>>
  /** The rule as it was stored, as JSON; undefined for a new one. */
  stored: string | undefined
}
