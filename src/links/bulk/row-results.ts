import { Problem, type FieldError } from '../../http/problem.ts'

/** Why a row failed. */
export interface RowError {
  code: string
  detail: string
  /** The invalid fields, as in a request for one link; a pointer begins at the row. `detail` says when there are more. */
  errors: FieldError[]
}

/** The result of a row; `index` counts the rows of the request from 0. */
export type RowResult<T> = { index: number } & (T | { error: RowError })

/** The most field errors in one response; each failed row lists at least one of its own. */
const MAX_ERRORS = 1_000

/** A result for each row, in their order, and how many are errors. */
export function rowResults<T extends object>(outcomes: (T | Problem)[]): { failed: number; results: RowResult<T>[] } {
  const failed = outcomes.filter((outcome) => outcome instanceof Problem).length
  let remaining = MAX_ERRORS - failed
  const results = outcomes.map((outcome, index): RowResult<T> => {
    if (!(outcome instanceof Problem)) return { index, ...outcome }
    const { code, message: detail, errors } = outcome
    const listed = errors.slice(0, 1 + remaining)
    remaining -= Math.max(0, listed.length - 1)
    return { index, error: { code, detail, errors: listed } }
  })
  return { failed, results }
}

/**
 * The problem of a request none of whose rows took effect.
 * @param membersOf further members of the problem, from the outcome of each row: a valid row fails as well when another
 * row fails an atomic request
 */
export function noneOf(
  code: 'nothing_created' | 'nothing_changed',
  outcomes: object[],
  membersOf: (outcomes: Problem[]) => object,
): Problem {
  const row = outcomes.findIndex((outcome) => outcome instanceof Problem)
  const fault = outcomes[row] as Problem
  const skipped = new Problem(code, `row ${row} is invalid, and the request is atomic: all rows or none`)
  return new Problem(code, `none of ${outcomes.length} rows; row ${row}: ${fault.message}`, {
    members: membersOf(outcomes.map((outcome) => (outcome instanceof Problem ? outcome : skipped))),
  })
}
