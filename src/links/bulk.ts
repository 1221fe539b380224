import { setImmediate as yieldToLoop } from 'node:timers/promises'
import { Problem, type FieldError } from '../http/problem.ts'
import { ChargedRollback, createCharged, readDraft, type CreationOptions, type LinkDeps } from './create.ts'
import type { Draft } from './draft.ts'
import { insertDrafts, type CreatedLink } from './insert.ts'

/** Rows of one request. */
export const MAX_ROWS = 500

/** Why a row created no link. */
export interface RowError {
  code: string
  detail: string
  /** The invalid fields, as for a single creation; a pointer begins at the row. `detail` says when there are more. */
  errors: FieldError[]
}

/** The result of a row; `index` counts the rows of the request from 0. */
export type RowResult = { index: number } & (CreatedLink | { error: RowError } | { valid: true })

/** The response to a bulk creation: a result for each row, in their order. */
export interface BulkResult {
  created: number
  failed: number
  results: RowResult[]
}

/** Options of a bulk creation. */
export interface BulkOptions extends CreationOptions {
  /** Create all rows or none. */
  atomic: boolean
  /** Only validate the rows. */
  dryRun: boolean
}

/**
 * Creates a link from each valid row, in one transaction; each row is validated as a single creation is. A row can also be
 * a problem: the reason why it could not be parsed.
 * @throws {Problem} 400 when no link could be created, with the result of each row among its members
 */
export async function createBulk(deps: LinkDeps, rows: unknown[], options: BulkOptions): Promise<BulkResult> {
  const drafts = await readRows(deps, rows)
  const valid = drafts.filter((draft): draft is Draft => !(draft instanceof Problem))
  // A retry gets its first response, even if all its destinations have been blocked in the meantime.
  if (valid.length === 0 && options.idempotentRequest === undefined) throw nothingCreated(drafts as Problem[])

  try {
    const result = await createCharged(deps, options, async (creation) => {
      const created = (await insertDrafts(deps, creation, valid, options.origin)).values()
      const outcomes = drafts.map((draft) => (draft instanceof Problem ? draft : (created.next().value as Outcome)))
      const failed = outcomes.filter((outcome) => outcome instanceof Problem)
      if (options.dryRun) throw new DryRun(outcomes)
      if (failed.length === outcomes.length || (options.atomic && failed.length > 0)) throw nothingCreated(outcomes)
      return toResult(outcomes)
    })
    for (const row of result.results) if ('code' in row) deps.invalidate(row.code)
    return result
  } catch (error) {
    if (error instanceof DryRun) return dryRunResult(error)
    throw error
  }
}

type Outcome = CreatedLink | Problem

/** Rolls the transaction back, even when every row is valid. */
class DryRun extends ChargedRollback {
  readonly outcomes: Outcome[]
  constructor(outcomes: Outcome[]) {
    super('a dry run creates nothing')
    this.outcomes = outcomes
  }
}

function dryRunResult({ outcomes }: DryRun): BulkResult {
  const { failed, results } = toResult(outcomes)
  return {
    created: 0,
    failed,
    results: results.map((row) => ('code' in row ? { index: row.index, valid: true } : row)),
  }
}

/** How long visits may wait while rows are validated, in milliseconds: a row can hold 100 URLs. */
const SLICE_MS = 5

async function readRows(deps: LinkDeps, rows: unknown[]): Promise<(Draft | Problem)[]> {
  const drafts: (Draft | Problem)[] = []
  let startedAt = performance.now()
  for (const row of rows) {
    drafts.push(readRow(deps, row))
    if (performance.now() - startedAt < SLICE_MS) continue
    await yieldToLoop()
    startedAt = performance.now()
  }
  return drafts
}

function readRow(deps: LinkDeps, row: unknown): Draft | Problem {
  if (row instanceof Problem) return row
  try {
    return readDraft(deps, row)
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

/** The most field errors in one response; each failed row lists at least one of its own. */
const MAX_ERRORS = 1_000

function toResult(outcomes: Outcome[]): BulkResult {
  const failed = outcomes.filter((outcome) => outcome instanceof Problem).length
  let remaining = MAX_ERRORS - failed
  const results = outcomes.map((outcome, index): RowResult => {
    if (!(outcome instanceof Problem)) return { index, ...outcome }
    const { code, message: detail, errors } = outcome
    const listed = errors.slice(0, 1 + remaining)
    remaining -= Math.max(0, listed.length - 1)
    return { index, error: { code, detail, errors: listed } }
  })
  return { created: outcomes.length - failed, failed, results }
}

/** A valid row fails as well when another row fails an atomic request. */
function nothingCreated(outcomes: Outcome[]): Problem {
  const row = outcomes.findIndex((outcome) => outcome instanceof Problem)
  const fault = outcomes[row] as Problem
  const skipped = new Problem('nothing_created', `row ${row} is invalid, and the request is atomic: all rows or none`)
  return new Problem('nothing_created', `none of ${outcomes.length} rows; row ${row}: ${fault.message}`, {
    members: toResult(outcomes.map((outcome) => (outcome instanceof Problem ? outcome : skipped))),
  })
}
